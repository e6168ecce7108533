package playground

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// undo takes back the last edit of what has the focus.
func (p *page) undo() {
	p.Helper()
	p.run(`document.execCommand('undo')`)
}

// TestCompletion types a rule with the list of what may be there.
func TestCompletion(t *testing.T) {
	p := open(t, desktop, "")
	p.put("config", "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata:\n  name: rules\nignoreFields:\n- ")
	p.caretAt("config", "ignoreFields:\n- ")
	p.typeIn("jso")
	p.wait(`!$('completions').hidden`)
	list := eval[string](p, `$('completions').innerText`)
	p.contains(list, "jsonPointers")
	p.contains(list, "jsonPaths")
	if strings.Contains(list, "jqPathExpressions") {
		t.Errorf("only what begins with jso must be offered, offered is:\n%s", list)
	}
	first := eval[string](p, `document.querySelector('#completions [aria-selected=true]').id`)
	if active := eval[string](p, `$('config').getAttribute('aria-activedescendant')`); active != first {
		t.Errorf("the textarea must name the chosen option %s, names %s", first, active)
	}
	p.typeIn(kb.ArrowDown)
	p.wait(`document.querySelector('#completions [aria-selected=true]').id !== args[0]`, first)
	p.typeIn(kb.ArrowUp)
	for range 10 {
		if strings.HasPrefix(eval[string](p, `document.querySelector('#completions [aria-selected=true]').innerText`), "jsonPointers") {
			break
		}
		p.typeIn(kb.ArrowDown)
	}
	p.enter()
	p.wait(`$('completions').hidden`)
	p.contains(p.text("config"), "\n- jsonPointers")
	if strings.Contains(p.text("config"), "jsojson") {
		t.Errorf("what was typed must be replaced:\n%s", p.text("config"))
	}
}

// TestCompletionIsAskedFor opens the list by keys, and closes it by Escape; Tab closes it, and goes
// on.
func TestCompletionIsAskedFor(t *testing.T) {
	p := open(t, desktop, "")
	p.put("config", "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata:\n  name: rules\naction: \nignoreFields:\n- jsonPointers: [/spec/replicas]\n")
	p.caretAt("config", "action: ")
	p.typeIn(" ", chromedp.ModifierCtrl)
	p.wait(`!$('completions').hidden`)
	p.contains(eval[string](p, `$('completions').innerText`), "TakeLive")
	p.typeIn(kb.Escape)
	p.wait(`$('completions').hidden`)
	if p.focused() != "config" {
		t.Errorf("the focus must stay in the editor, is at %s", p.focused())
	}
	p.typeIn(kb.ArrowDown, chromedp.ModifierAlt)
	p.wait(`!$('completions').hidden`)
	p.typeIn(kb.Tab)
	p.wait(`$('completions').hidden && document.activeElement.id !== 'config'`)
}

// TestErrorAtItsPlace types a wrong name and a wrong expression, each underlined where it is.
func TestErrorAtItsPlace(t *testing.T) {
	for _, test := range []struct{ name, old, new, marked, message string }{
		{"field", "jsonPointers", "jsonPointer", "jsonPointer", "jsonPointers"},
		{"expression", "/spec/replicas", "spec/replicas", "spec/replicas", "/"},
		{"YAML", "kind: Deployment", "kind: [Deployment", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := open(t, desktop, "")
			p.put("config", strings.Replace(p.text("config"), test.old, test.new, 1))
			problems := p.problems("config")
			if len(problems) != 1 {
				t.Fatalf("there must be one problem, are %q", problems)
			}
			p.contains(problems[0], test.message)
			marked := strings.Join(p.marked("config", "error"), "")
			if marked == "" || !strings.Contains(marked, test.marked) {
				t.Errorf("%q must be underlined, underlined is %q", test.marked, marked)
			}
			if got := eval[string](p, `$('config').ariaInvalid`); got != "true" {
				t.Errorf("the textarea must be invalid, is %q", got)
			}
			p.contains(p.text("diff"), "-  replicas: 3")
			p.click("#config-problems button")
			if p.focused() != "config" {
				t.Errorf("the problem must lead to the editor, leads to %s", p.focused())
			}
			p.undo()
			p.put("config", strings.Replace(p.text("config"), test.new, test.old, 1))
			p.wait(`$('config-problems').hidden`)
		})
	}
}

// TestErrorInManifests breaks the manifests, and the live objects, whose tab says so.
func TestErrorInManifests(t *testing.T) {
	p := open(t, desktop, "")
	p.put("live", "kind: [")
	p.contains(eval[string](p, `$('tab-live').innerText`), "1 problem")
	p.put("live", "")
	p.put("manifests", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n name: b\n")
	if problems := p.problems("manifests"); len(problems) != 1 || !strings.HasPrefix(problems[0], "5:") {
		t.Errorf("there must be one problem, in line 5, are %q", problems)
	}
	if marked := p.marked("manifests", "error"); len(marked) != 1 {
		t.Errorf("one line must be underlined, are %q", marked)
	}
}

// TestNoMatch says of a rule that finds nothing that it does, and why.
func TestNoMatch(t *testing.T) {
	p := open(t, desktop, "")
	p.put("config", strings.Replace(p.text("config"), "/spec/replicas", "/spec/replica", 1))
	p.contains(eval[string](p, `document.querySelector('.rules .note').textContent`), "no match")
	p.contains(p.show("explain"), "replicas")
	p.contains(p.show("results"), "warning")
	p.contains(eval[string](p, `$('results-count').className`), "warning")
}

// TestIndent begins a line below the text of the one before.
func TestIndent(t *testing.T) {
	p := open(t, desktop, "")
	p.caretAt("config", "name: owned-by-others")
	p.enter()
	p.typeIn("labels: {}")
	p.contains(p.text("config"), "\n  name: owned-by-others\n  labels: {}\n")
}

// TestSuggest has rules made from the difference from live objects.
func TestSuggest(t *testing.T) {
	p := open(t, desktop, "#story=hpa-live")
	p.put("config", "")
	p.click("#suggest")
	p.wait(`$('config').value.includes('replicas')`)
	p.settle()
	p.contains(p.text("config"), "kind: IgnoreFields")
	if len(p.problems("config")) > 0 {
		t.Errorf("the rules must be valid: %q", p.problems("config"))
	}
}

// TestSuggestWithoutLive has rules made for the owners among the manifests, and says so where there
// is none.
func TestSuggestWithoutLive(t *testing.T) {
	p := open(t, desktop, "")
	p.put("live", "")
	p.put("config", "")
	p.click("#suggest")
	p.wait(`$('config').value.includes('/spec/replicas')`)
	p.said("owners among the manifests")
	p.put("manifests", foreign)
	p.put("config", "")
	p.click("#suggest")
	p.wait(`!$('said').innerText.includes('owners among the manifests')`)
	if got := p.text("config"); got != "" {
		t.Errorf("there must be no rules, are\n%s", got)
	}
}

// TestPlan shows what the next apply does, where live objects are given: that of the manager that
// has applied most of them, or of another one.
func TestPlan(t *testing.T) {
	p := open(t, desktop, "#story=hpa-live")
	plan := p.show("plan")
	p.contains(plan, "spec.replicas")
	p.contains(plan, "Apply as kubectl (kpt)")
	if got := eval[string](p, `$('field-manager').placeholder`); got != "kpt" {
		t.Errorf("the manager that applies must be kpt, is %q", got)
	}
	p.put("config", "")
	p.contains(p.show("plan"), "spec.replicas: 10 → 3, conflict (owned by kube-controller-manager)")
	p.click("#field-manager")
	p.typeIn("argocd-controller" + kb.Enter)
	p.settle()
	p.contains(p.show("plan"), "Apply as argocd (argocd-controller)")
}

// TestOwners shows who owns the lines of the manifests on the cluster, as krm-fields locate does,
// and who owns the field at the caret.
func TestOwners(t *testing.T) {
	p := open(t, desktop, "#story=hpa-live")
	const owners = `[...document.querySelectorAll('.source .owner')].map((owner) => owner.textContent)`
	p.wait(owners + `.includes('kube-controller-manager') && ` + owners + `.includes('kpt')`)
	p.clickText("manifests", "replicas")
	p.wait(`$('field-name').innerText.includes('Owned by kube-controller-manager (Update, scale) since ')`)
	p.put("manifests", "kind: [\n"+p.text("manifests")) // while it is typed, the owners stay
	p.wait(owners + `.includes('kpt')`)
	p.put("live", "")
	p.put("manifests", "")
	p.wait(owners + `.length === 0`)
}

// TestNoRuleForNames offers no rule for a field that no rule may have.
func TestNoRuleForNames(t *testing.T) {
	p := open(t, desktop, "")
	p.clickText("manifests", "apiVersion")
	p.wait(`$('field-name').innerText.includes("can't be ignored") && $('expressions').children.length === 0`)
}

// TestExplain tells what krm-fields explain tells.
func TestExplain(t *testing.T) {
	p := open(t, desktop, "")
	s := readStories(t)[0]
	s.Config = strings.Replace(s.Config, "/spec/replicas", "/spec/replica", 1)
	p.put("config", s.Config)
	want, _, _ := strings.Cut(runCommand(t, s, "explain"), "\nChanges\n")
	shown := p.show("explain")
	p.contains(shown, "has no key \"replica\"; did you mean")
	p.contains(eval[string](p, `document.querySelector('#panel-explain pre').textContent`), strings.TrimSpace(want))
}

// TestFromError makes rules of the text of a failed apply, and holds them to those of the command
// line.
func TestFromError(t *testing.T) {
	p := open(t, desktop, "")
	p.click("#open-from-error")
	p.click("#from-error-example")
	p.wait(`$('from-error-output').value !== ''`)
	rules := p.text("from-error-output")
	folder := t.TempDir()
	write(t, filepath.Join(folder, "error"), []byte(p.text("from-error-input")))
	write(t, filepath.Join(folder, "manifests.yaml"), []byte(p.text("manifests")))
	if want := krmFields(t, folder, "suggest", "--error", "error", "manifests.yaml"); rules != want {
		t.Errorf("the rules must be\n%s\nare\n%s", want, rules)
	}
	p.contains(eval[string](p, `$('from-error-notes').innerText`), "verified: it finds exactly this field")
	p.put("from-error-input", "no such host")
	p.wait(`$('from-error-notes').querySelector('.error')?.innerText.includes('the text must hold the message of a failed server-side apply')`)
	p.put("from-error-input", ".spec.replicas: field not declared in schema")
	p.wait(`$('from-error-output').value.includes('kind: ApplyPatches')`)
	p.click("#from-error-example")
	p.wait(`$('from-error-output').value === args[0] && !$('from-error-take').disabled`, rules)
	p.click("#from-error-take")
	p.settle()
	if got := p.text("config"); got != rules {
		t.Errorf("the rules must be those of the error, are\n%s", got)
	}
}

// TestCopy copies the diff and the output.
func TestCopy(t *testing.T) {
	p := open(t, desktop, "")
	for _, tab := range []string{"diff", "output"} {
		text := p.show(tab)
		p.click("#copy")
		p.said("The " + tab + " is copied.")
		if got := eval[string](p, `navigator.clipboard.readText()`); got != text || text == "" {
			t.Errorf("the clipboard must have the %s, has\n%s", tab, got)
		}
	}
	p.show("results")
	p.wait(`$('copy').hidden`)
}

// TestOpenFiles opens two files in place of the manifests, and drops one on the rules.
func TestOpenFiles(t *testing.T) {
	p := open(t, desktop, "")
	var paths []string
	for _, name := range []string{"a", "b"} {
		paths = append(paths, filepath.Join(t.TempDir(), name+".yaml"))
		write(t, paths[len(paths)-1], []byte("kind: "+name))
	}
	p.do(chromedp.SetUploadFiles("#files", paths))
	p.said("2 files opened.")
	if got := p.text("manifests"); got != "kind: a\n---\nkind: b\n" {
		t.Errorf("the manifests must be those of the files, are\n%s", got)
	}
	p.run(`{
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File(['kind: c\n'], 'c.yaml'));
		$('config').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
	}`)
	p.wait(`$('config').value === 'kind: c\n'`)
}
