package playground

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestTabOrder goes through the page by the Tab key: in the order of the page, through the editors
// and out of them, each stop with a focus that is seen, and back.
func TestTabOrder(t *testing.T) {
	p := open(t, desktop, "")
	p.clickText("manifests", "replicas")
	p.wait(`$('expressions').children.length === 3`)
	p.run(`{ document.body.tabIndex = -1; document.body.focus(); }`) // the Tab key goes on from there
	add := "Add rule"
	want := []string{"share", "story", "tab-manifests", "open-files", "manifests", add, add, add, "suggest", "open-from-error", "open-convert", "open-export", "config",
		"tab-diff", "copy", "diff", "How to use this page", "Documentation", "Source"}
	var got []string
	for range want {
		p.typeIn(kb.Tab)
		got = append(got, p.focused())
		p.seesFocus()
	}
	if !slices.Equal(got, want) {
		t.Fatalf("the order must be\n%q, is\n%q", want, got)
	}
	for i := len(want) - 2; i >= 0; i-- {
		p.typeIn(kb.Tab, chromedp.ModifierShift)
		if p.focused() != want[i] {
			t.Fatalf("back from %q must be %q, is %q", want[i+1], want[i], p.focused())
		}
	}
}

// seesFocus checks that what has the focus, or the editor around it, shows that.
func (p *page) seesFocus() {
	p.Helper()
	seen := eval[bool](p, `{
		const shows = (element) => {
			const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
			return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || boxShadow !== 'none';
		};
		const focused = document.activeElement;
		return shows(focused) || (focused.closest('.editor') !== null && shows(focused.closest('.editor')));
	}`)
	if !seen {
		p.Errorf("the focus at %q must be seen", p.focused())
	}
}

// TestByKeysAlone goes from a field to a rule, to its results, to the dialogs, without a mouse.
func TestByKeysAlone(t *testing.T) {
	p := open(t, desktop, "")
	p.tab(5)
	if p.focused() != "manifests" {
		t.Fatalf("the focus must be in the manifests, is at %s", p.focused())
	}
	p.typeIn(kb.PageUp + kb.Home)
	for range 10 { // to revisionHistoryLimit
		p.typeIn(kb.ArrowDown)
	}
	p.wait(`$('field-name').innerText.includes('spec.revisionHistoryLimit')`)
	p.settle()
	p.tab(1)
	p.enter()
	p.wait(`$('config').value.includes('/spec/revisionHistoryLimit')`)
	p.settle()
	if got := p.focused(); got != "Add rule" {
		t.Errorf("the focus must stay at the button, is at %q", got)
	}
	p.contains(p.text("diff"), "-  revisionHistoryLimit: 5")

	p.tab(7)
	if p.focused() != "config" {
		t.Fatalf("the focus must be in the rules, is at %s", p.focused())
	}
	p.tab(1)
	p.typeIn(kb.ArrowRight + kb.ArrowRight)
	if p.focused() != "tab-results" {
		t.Fatalf("the arrow keys must choose the results, the focus is at %s", p.focused())
	}
	p.contains(eval[string](p, `$('panel-results').innerText`), "2 fields removed")
	p.typeIn(kb.End)
	p.wait(`!$('panel-plan').hidden`)
	p.typeIn(kb.Home)
	p.wait(`!$('panel-diff').hidden`)

	p.run(`$('open-export').focus()`)
	p.enter()
	p.wait(`$('export').open && $('export-text').value !== ''`)
	seen := map[string]bool{}
	for range 12 {
		p.typeIn(kb.Tab)
		seen[p.focused()] = true
	}
	for _, id := range []string{"export-text", "export-copy", "export-download"} {
		if !seen[id] {
			t.Errorf("the Tab key must lead to %s in the dialog", id)
		}
	}
	p.typeIn(kb.Escape)
	p.wait(`!$('export').open`)
	if p.focused() != "open-export" {
		t.Errorf("the focus must return to the button, is at %s", p.focused())
	}
}

// roles are those whose elements must have names.
var roles = []string{"button", "textbox", "combobox", "tab", "tabpanel", "radio", "link", "listbox", "option", "dialog", "region", "heading"}

// named takes the page as a screen reader does: each control and each region has a name.
func (p *page) named() {
	p.Helper()
	tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		p.Fatal(err)
	}
	count := 0
	for _, node := range tree.Nodes {
		if node.Ignored || !slices.Contains(roles, strings.ToLower(valueOf(node.Role))) {
			continue
		}
		count++
		if valueOf(node.Name) == "" {
			p.Errorf("a %s must have a name: %s", valueOf(node.Role), encode(p, node))
		}
	}
	if count < 5 {
		p.Errorf("there must be controls, are %d", count)
	}
}

func valueOf(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	return strings.Trim(string(v.Value), `"`)
}

// TestTold watches the live regions while a rule is edited.
func TestTold(t *testing.T) {
	p := open(t, desktop, "")
	for id, role := range map[string]string{"summary": "status", "said": "status", "stopped": "alert", "convert-notes": "status"} {
		if got := eval[string](p, `$(args[0]).role`, id); got != role {
			t.Errorf("%s must be a live region of the role %s, is %q", id, role, got)
		}
	}
	before := p.summary()
	p.put("config", strings.Replace(p.text("config"), "Deployment", "StatefulSet", 1))
	if p.summary() == before {
		t.Errorf("the summary must change, is %q", before)
	}
}
