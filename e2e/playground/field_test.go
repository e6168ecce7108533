package playground

import (
	"slices"
	"strings"
	"testing"
)

const pods = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations:
    prometheus.io/port: "8080"
spec:
  template:
    spec:
      containers:
      - name: app
        image: app:1
      - name: sidecar
        image: sidecar:2
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: api
spec:
  template:
    spec:
      containers:
      - name: sidecar
        image: sidecar:2
`

// expressions are what the page says of the field at the caret: dialect, expression, count.
func (p *page) expressions() []string {
	p.Helper()
	return eval[[]string](p, `[...$('expressions').children].map((row) =>
		[...row.querySelectorAll('.dialect, code, .matches')].map((part) => part.innerText).join(' | '))`)
}

// TestClickField clicks a field where it is drawn, adds each of its expressions as a rule, and
// takes the rules back.
func TestClickField(t *testing.T) {
	p := open(t, desktop, "")
	p.put("config", "")
	p.put("manifests", pods)
	p.clickText("manifests", "sidecar:2")
	p.wait(`$('field-name').innerText.includes('image')`)
	p.settle()
	p.contains(eval[string](p, `$('field-name').innerText`), "Deployment web")
	want := []string{
		"JSON Pointer | /spec/template/spec/containers/1/image | 1 field in 1 object",
		`JSONPath | .spec.template.spec.containers[?(@.name=="sidecar")].image | 2 fields in 2 objects`,
		`jq | .spec.template.spec.containers[]? | select(.name == "sidecar") | .image | 2 fields in 2 objects`,
	}
	if got := p.expressions(); !slices.Equal(got, want) {
		t.Fatalf("the expressions must be\n%s\nare\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
	if got := p.marked("manifests", "field"); !slices.Equal(got, []string{"image: sidecar:2"}) {
		t.Errorf("the field must be marked, marked are %q", got)
	}

	p.click("#expressions li:nth-child(2) button")
	p.said("The rule is added")
	p.settle()
	p.contains(p.text("config"), "kind: IgnoreFields")
	p.contains(p.text("config"), "jsonPaths")
	if got := p.marked("manifests", "rule-0"); len(got) != 2 {
		t.Errorf("the rule must mark two fields, marks %q", got)
	}
	p.contains(p.show("explain"), "2 fields")

	p.click("#expressions li:nth-child(3) button")
	p.wait(`$('config').value.includes('jqPathExpressions')`)
	p.settle()
	p.contains(p.show("explain"), "jq")

	p.run(`$('config').focus()`)
	p.undo()
	p.wait(`!$('config').value.includes('jqPathExpressions')`)
}

// TestFieldWithDots clicks a key that each dialect spells in its own way.
func TestFieldWithDots(t *testing.T) {
	p := open(t, desktop, "")
	p.put("manifests", pods)
	p.clickText("manifests", "prometheus.io/port")
	p.wait(`$('field-name').innerText.includes('prometheus')`)
	p.contains(strings.Join(p.expressions(), "\n"), "/metadata/annotations/prometheus.io~1port")
	p.contains(strings.Join(p.expressions(), "\n"), `.metadata.annotations["prometheus.io/port"]`)
}

// TestNoField puts the caret where no field is.
func TestNoField(t *testing.T) {
	p := open(t, desktop, "")
	p.put("manifests", pods)
	p.clickText("manifests", "sidecar:2")
	p.wait(`$('expressions').children.length === 3`)
	p.clickText("manifests", "---")
	p.wait(`$('expressions').children.length === 0`)
	p.contains(eval[string](p, `$('field-name').innerText`), "no field")
}

// TestMarksFollow types above a marked field: the mark moves along before the answer is there.
func TestMarksFollow(t *testing.T) {
	p := open(t, desktop, "")
	p.caretAt("manifests", "metadata:")
	got := eval[string](p, `{
		document.execCommand('insertText', false, '\n  # one\n  # two');
		// The page draws at the end of the task.
		return Promise.resolve().then(() => [...document.querySelectorAll('.source .mark-rule-0')].map((span) => span.textContent).join(''));
	}`)
	if got != "replicas: 3" {
		t.Errorf("the mark must be at the field, is at %q", got)
	}
	p.settle()
	if got := strings.Join(p.marked("manifests", "rule-0"), ""); got != "replicas: 3" {
		t.Errorf("the mark must be at the field, is at %q", got)
	}
}

// TestManyLines scrolls in ten thousand lines: what is drawn lies under what is typed.
func TestManyLines(t *testing.T) {
	p := open(t, desktop, "")
	var text strings.Builder
	text.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: large\ndata:\n")
	for text.Len() < 10_000*20 {
		text.WriteString("  key-" + strings.Repeat("x", text.Len()%7) + ": \"a value\"\n")
	}
	lines := strings.Count(text.String(), "\n")
	p.run(`{
		const area = $('manifests');
		area.value = args[0];
		area.dispatchEvent(new InputEvent('input', { bubbles: true }));
	}`, strings.ReplaceAll(text.String(), "key-", "key-"))
	for _, part := range []float64{0, 0.5, 1} {
		got := eval[[]int](p, `{
			const area = $('manifests');
			const scroller = area.closest('.editor');
			scroller.scrollTo(0, args[0] * scroller.scrollHeight);
			return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => {
				const { top } = scroller.getBoundingClientRect();
				const first = [...area.parentElement.querySelectorAll('.line')].find((line) => line.getBoundingClientRect().top >= top);
				const { top: y, height } = first.getBoundingClientRect();
				const number = Math.round((y - area.getBoundingClientRect().top) / height) + 1;
				const isRight = area.value.split('\n')[number - 1] === first.textContent;
				return [number, Number(isRight), area.parentElement.querySelectorAll('.line').length];
			});
		}`, part)
		if got[1] != 1 {
			t.Errorf("line %d must be drawn where it is", got[0])
		}
		if got[2] > 200 {
			t.Errorf("of %d lines only those in sight must be drawn, drawn are %d", lines, got[2])
		}
		if part == 0.5 && (got[0] < lines/4 || got[0] > 3*lines/4) {
			t.Errorf("the middle of %d lines must be in sight, in sight is %d", lines, got[0])
		}
	}
	p.forgive()
}

// TestWideCharacters clicks behind characters that are as wide as two.
func TestWideCharacters(t *testing.T) {
	p := open(t, desktop, "")
	p.put("manifests", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: wide\ndata:\n  greeting: \"こんにちは 👋 ünïcödé\"\n")
	p.clickText("manifests", "ünïcödé")
	p.wait(`$('field-name').innerText.includes('data.greeting')`)
	got := eval[bool](p, `{
		const area = $('manifests');
		return area.scrollWidth <= area.clientWidth && area.scrollHeight <= area.clientHeight;
	}`)
	if !got {
		t.Error("the textarea must have room for all its text")
	}
}
