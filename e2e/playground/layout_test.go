package playground

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A state is one of those that the page is looked at in.
type state struct {
	name string
	make func(*page)
}

var states = []state{
	{"first", func(p *page) {
		p.clickText("manifests", "replicas")
		p.wait(`$('expressions').children.length === 3`)
	}},
	{"results", func(p *page) { p.show("results") }},
	{"explain", func(p *page) { p.show("explain") }},
	{"output", func(p *page) { p.show("output") }},
	{"no match", func(p *page) {
		p.put("config", strings.Replace(p.text("config"), "/spec/replicas", "/spec/replica", 1))
	}},
	{"problem", func(p *page) { p.put("config", strings.Replace(p.text("config"), "jsonPointers", "jsonPointer", 1)) }},
	{"problem in live", func(p *page) { p.put("live", "a: [") }},
	{"completion", func(p *page) {
		p.caretAt("config", "ignoreFields:\n- ")
		p.typeIn("js")
		p.wait(`!$('completions').hidden`)
	}},
	{"plan", func(p *page) {
		p.run(`{ $('story').value = 'hpa-live'; $('story').dispatchEvent(new Event('change')); }`)
		p.wait(`$('live').value !== ''`)
		p.settle()
		p.show("plan")
		p.click("#tab-live")
	}},
	{"six rules", func(p *page) {
		rules := ""
		for _, field := range []string{"replicas", "revisionHistoryLimit", "selector", "template/metadata", "template/spec/containers/0/image", "template/spec/containers/0/ports"} {
			rules += "- jsonPointers: [/spec/" + field + "]\n"
		}
		p.put("config", strings.Replace(p.text("config"), "- jsonPointers: [/spec/replicas]\n", rules, 1))
	}},
	{"stopped", func(p *page) {
		p.run(`{ $('stopped').hidden = false; $('stopped').firstElementChild.textContent = 'This took longer than 2 seconds and was stopped.'; }`)
	}},
	{"convert", func(p *page) {
		p.openConvert()
		p.convert("argocd", "ignorefields", "")
	}},
	{"error", func(p *page) {
		p.click("#open-from-error")
		p.click("#from-error-example")
		p.wait(`$('from-error-output').value !== ''`)
	}},
	{"fault of convert", func(p *page) {
		p.openConvert()
		p.convert("argocd", "ignorefields", "kind: [")
	}},
	{"export", func(p *page) {
		p.click("#open-export")
		p.wait(`$('export-text').value !== ''`)
		p.click("#export-copy")
		p.said("copied")
	}},
}

// TestStates puts one page into each state, and looks at it on each screen.
func TestStates(t *testing.T) {
	whole := open(t, desktop, "")
	for _, s := range states {
		t.Run(s.name, func(t *testing.T) {
			p := whole.within(t)
			p.reset()
			s.make(p)
			p.named()
			for _, screen := range []screen{desktop, dark, phone} {
				p.emulate(screen)
				p.hasContrast(screen)
			}
			p.fitsThePhone()
			p.emulate(desktop)
		})
	}
}

// TestWidths looks for what hangs out of its card, or is cut, in windows of each width.
func TestWidths(t *testing.T) {
	p := open(t, desktop, "")
	for _, width := range []int64{390, 520, 521, 860, 861, 900, 1024, 1100, 1101, 1400} {
		p.emulate(screen{width, 800, width < 520, "light"})
		for _, out := range eval[[]string](p, `[...document.querySelectorAll('.pane .bar button')].filter((button) => {
			const [{ right, width }, card] = [button, button.closest('.pane')].map((element) => element.getBoundingClientRect());
			return width > 0 && right > card.right;
		}).map((button) => button.textContent)`) {
			t.Errorf("%d px: %q hangs out of its card", width, out)
		}
		for _, cut := range eval[[]string](p, `[...document.querySelectorAll('[role=tablist]')].filter((list) => list.scrollWidth > list.clientWidth)
			.map((list) => list.textContent.replace(/\s+/g, ' '))`) {
			t.Errorf("%d px: the tabs%sare cut", width, cut)
		}
		if eval[bool](p, `$('about').scrollHeight > $('about').clientHeight`) {
			t.Errorf("%d px: what the story is about is cut", width)
		}
		if *draw {
			write(t, fmt.Sprintf("%s/page-%d.png", os.TempDir(), width), p.take())
		}
	}
}

// reset shows the first story as when the page was opened.
func (p *page) reset() {
	p.Helper()
	p.run(`{
		for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
		for (const id of ['tab-diff', 'tab-manifests']) $(id).click();
		$('said').hidden = true;
		$('story').value = 'first-rule';
		$('story').dispatchEvent(new Event('change'));
	}`)
	p.wait(`$('story').value === 'first-rule' && location.hash === '#story=first-rule'`)
	p.settle()
}

// fitsThePhone checks that nothing is wider than the screen, or too small for a finger.
func (p *page) fitsThePhone() {
	p.Helper()
	wide := eval[[]string](p, `[...document.querySelectorAll('body, body *')].filter((element) => {
		if (element.closest('.editor, .list, [role=tablist], #expressions code') && !element.matches('.editor, .list')) return false;
		const { left, right, width } = element.getBoundingClientRect();
		return width > 0 && (right > innerWidth + 0.5 || left < -0.5);
	}).map((element) => element.outerHTML.slice(0, 80)).concat(
		document.documentElement.scrollWidth > innerWidth ? ['the page is ' + document.documentElement.scrollWidth + ' wide'] : [])`)
	for _, element := range wide {
		p.Errorf("wider than the phone: %s", element)
	}
	small := eval[[]string](p, `[...document.querySelectorAll('button, select, a')].filter((element) => {
		const { width, height } = element.getBoundingClientRect();
		return width > 0 && (width < 24 || height < 18);
	}).map((element) => element.outerHTML.slice(0, 80))`)
	for _, element := range small {
		p.Errorf("too small for a finger: %s", element)
	}
}

// hasContrast computes the contrast of each text in sight with what lies behind it: 4.5 at least,
// which WCAG 2 asks for at level AA.
func (p *page) hasContrast(s screen) {
	p.Helper()
	texts := eval[[]struct {
		Text, Color, Ground string
		Contrast            float64
	}](p, contrasts)
	if len(texts) < 10 {
		p.Fatalf("there must be texts to look at, are %d", len(texts))
	}
	told := map[string]bool{}
	for _, text := range texts {
		colours := text.Color + " on " + text.Ground
		if text.Contrast < 4.5 && !told[colours] {
			p.Errorf("%s: %q: %s has a contrast of %.2f", s.scheme, text.Text, colours, text.Contrast)
			told[colours] = true
		}
	}
}

// contrasts lists the texts in sight, each with its colour, with what is behind it, painted over
// what is behind that, and with the contrast as WCAG 2 defines it.
const contrasts = `{
	const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
	const paint = (colors) => {
		canvas.clearRect(0, 0, 1, 1);
		for (const color of colors) {
			canvas.fillStyle = color;
			canvas.fillRect(0, 0, 1, 1);
		}
		return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
	};
	const luminance = (rgb) => {
		const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const grounds = (element) => {
		const list = [];
		for (let e = element; e; e = e.parentElement) list.unshift(getComputedStyle(e).backgroundColor);
		return list;
	};
	const top = document.querySelector('dialog[open]') ?? document.body;
	const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
	const found = [];
	const add = (text, color, element) => {
		const behind = paint(['white', ...grounds(element)]);
		const ink = paint([` + "`rgb(${behind})`" + `, color]);
		const [light, dim] = [luminance(ink), luminance(behind)].sort((a, b) => b - a);
		found.push({ Text: text, Color: ink.join(), Ground: behind.join(), Contrast: (light + 0.05) / (dim + 0.05) });
	};
	for (let node; (node = walker.nextNode()); ) {
		const element = node.parentElement;
		const text = node.data.trim();
		if (!text || element.matches('textarea, script, style, noscript') || !element.checkVisibility({ visibilityProperty: true })) continue;
		add(text, getComputedStyle(element).color, element);
	}
	for (const area of top.querySelectorAll('textarea')) {
		if (area.value || !area.placeholder || !area.checkVisibility()) continue;
		add(area.placeholder, getComputedStyle(area, '::placeholder').color, area);
	}
	return found;
}`

// TestDark looks at the ground of the page by night and by day.
func TestDark(t *testing.T) {
	grounds := map[string]string{}
	for _, s := range []screen{desktop, dark} {
		p := open(t, s, "")
		grounds[s.scheme] = eval[string](p, `getComputedStyle(document.querySelector('.pane')).backgroundColor`)
		if got := eval[string](p, `getComputedStyle(document.documentElement).colorScheme`); got != s.scheme {
			t.Errorf("the colour scheme must be %s, is %s", s.scheme, got)
		}
	}
	if grounds["light"] != "rgb(255, 255, 255)" || grounds["dark"] == grounds["light"] {
		t.Errorf("the grounds must be light and dark, are %v", grounds)
	}
}

// TestFitsTheScreen needs no scrolling of the page on a desktop.
func TestFitsTheScreen(t *testing.T) {
	p := open(t, desktop, "")
	got := eval[[]int](p, `[document.documentElement.scrollWidth, document.documentElement.scrollHeight]`)
	if fmt.Sprint(got) != "[1280 800]" {
		t.Errorf("the page must be 1280 by 800, is %v", got)
	}
}
