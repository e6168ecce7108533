package playground

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long a test waits for what must come; it bounds a failing test alone.
const patience = 30 * time.Second

// A page is a tab in a profile of its own. When its test ends, it must have written nothing to
// the console and asked no other origin.
type page struct {
	testing.TB
	ctx    context.Context
	origin string

	mu     sync.Mutex
	faults []string
}

// A screen is what a page is shown on.
type screen struct {
	width, height int64
	isPhone       bool
	scheme        string // what prefers-color-scheme is
}

var (
	desktop = screen{1280, 800, false, "light"}
	dark    = screen{1280, 800, false, "dark"}
	phone   = screen{360, 740, true, "light"}
)

// open opens the page with a fragment such as "#story=sidecar", and waits for its first answer.
func open(t testing.TB, s screen, fragment string) *page {
	t.Helper()
	p := blank(t, s, address)
	p.visit(fragment)
	return p
}

// blank returns a page that shows nothing yet.
func blank(t testing.TB, s screen, origin string) *page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	p := &page{TB: t, ctx: ctx, origin: origin}
	t.Cleanup(func() {
		p.check()
		cancel()
	})
	p.do() // opens the tab
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	p.emulate(s)
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		p.allow(name)
	}
	return p
}

// within returns the page for a part of its test.
func (p *page) within(t testing.TB) *page {
	return &page{TB: t, ctx: p.ctx, origin: p.origin}
}

func (p *page) emulate(s screen) {
	p.Helper()
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: s.width, Height: s.height, DeviceScaleFactor: 1, Mobile: s.isPhone,
	})
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: s.scheme}},
	})
}

func (p *page) visit(fragment string) {
	p.Helper()
	p.do(chromedp.Navigate(p.origin + "/" + fragment))
	p.settle()
}

func (p *page) allow(name string) {
	p.Helper()
	_, err := chromedp.CallBrowser(p.ctx, browser.SetPermission, browser.SetPermissionParams{
		Permission:       &browser.PermissionDescriptor{Name: name},
		Setting:          browser.PermissionSettingGranted,
		Origin:           p.origin,
		BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
	})
	if err != nil {
		p.Fatal(err)
	}
}

// hear notes what a page must not do.
func (p *page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		url := event.Request.URL
		if !strings.HasPrefix(url, p.origin+"/") && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "blob:"+p.origin+"/") {
			p.faults = append(p.faults, "asked another origin: "+url)
		}
	case *runtime.EventExceptionThrown:
		p.faults = append(p.faults, "threw "+event.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		p.faults = append(p.faults, fmt.Sprintf("wrote to the console: %s", encode(p, event.Args)))
	}
}

// forgive drops what the page has done until now that it must not do.
func (p *page) forgive() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	faults := p.faults
	p.faults = nil
	return faults
}

func (p *page) check() {
	p.Helper()
	for _, fault := range p.forgive() {
		p.Errorf("the page %s", fault)
	}
	for _, request := range strange.drain() {
		p.Errorf("the browser asked another host: %s", request)
	}
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := p.patient()
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// patient bounds one step. The first one starts the tab, whose life must not be bound by it.
func (p *page) patient() (context.Context, context.CancelFunc) {
	if chromedp.FromContext(p.ctx).Target == nil {
		return p.ctx, func() {}
	}
	return context.WithTimeout(p.ctx, patience)
}

// call sends a command of the protocol.
func call[P, R any](p *page, command cdp.Command[P, R], params P) {
	p.Helper()
	if _, err := chromedp.Call(p.ctx, command, params); err != nil {
		p.Fatal(err)
	}
}

// eval evaluates an expression of JavaScript, in which $ finds an element by its id. A promise is
// awaited.
func eval[T any](p *page, expression string, args ...any) T {
	p.Helper()
	ctx, cancel := p.patient()
	defer cancel()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T](script(p, expression, args), chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return got
}

// run evaluates an expression for what it does.
func (p *page) run(expression string, args ...any) {
	p.Helper()
	eval[chromedp.Void](p, expression, args...)
}

// wait waits until an expression is true.
func (p *page) wait(expression string, args ...any) {
	p.Helper()
	ctx, cancel := p.patient()
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Poll[chromedp.Void](script(p, expression, args), chromedp.WithPollingTimeout(patience))); err != nil {
		p.Fatalf("waiting for %s %v: %v\nThe page says %q", expression, args, err, eval[[]string](p, told))
	}
}

// told is what the page says of itself.
const told = `['summary', 'said', 'stopped', 'field-name', 'config-problems', 'manifests-problems', 'live-problems'].map((id) => $(id).innerText).filter(Boolean)`

// script is an expression with its arguments, which it calls args.
func script(p *page, expression string, args []any) string {
	if args == nil {
		args = []any{}
	}
	if !strings.HasPrefix(expression, "{") {
		expression = "(" + expression + ")"
	}
	return fmt.Sprintf("((args, $) => %s)(%s, (id) => document.getElementById(id))", expression, encode(p, args))
}

func encode(p *page, value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		p.Fatal(err)
	}
	return string(text)
}

// settle waits until the last question has been answered.
func (p *page) settle() {
	p.Helper()
	p.wait(`document.querySelector('.outcome')?.ariaBusy === 'false' && $('field').ariaBusy !== 'true' && ['explain', 'plan'].every((tab) => $('panel-' + tab).ariaBusy !== 'true')`)
}

// text returns what an editor holds.
func (p *page) text(id string) string {
	p.Helper()
	return eval[string](p, `$(args[0]).value`, id)
}

// put replaces what an editor holds, as by pasting.
func (p *page) put(id, text string) {
	p.Helper()
	p.run(`{
		const area = $(args[0]);
		area.focus();
		area.setRangeText(args[1], 0, area.value.length, 'end');
		area.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }));
	}`, id, text)
	p.settle()
}

// typeIn types into what has the focus, a key at a time.
func (p *page) typeIn(keys string, modifiers ...chromedp.Modifier) {
	p.Helper()
	p.do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(modifiers...)))
}

// enter presses the Enter key, which enters a character unless the page prevents it.
func (p *page) enter() {
	p.Helper()
	for _, event := range []input.DispatchKeyEventParams{
		{Type: input.DispatchKeyEventTypeKeyDown, Text: "\r"}, {Type: input.DispatchKeyEventTypeKeyUp},
	} {
		event.Key, event.Code, event.WindowsVirtualKeyCode = "Enter", "Enter", 13
		call(p, input.DispatchKeyEvent, event)
	}
}

// caretAt puts the caret behind the first place where an editor has a text.
func (p *page) caretAt(id, text string) {
	p.Helper()
	p.run(`{
		const area = $(args[0]);
		const at = area.value.indexOf(args[1]);
		if (at < 0) throw new Error(args[0] + ' has no ' + args[1]);
		area.focus();
		area.setSelectionRange(at + args[1].length, at + args[1].length);
	}`, id, text)
}

// click clicks on an element as a person would: where it is, if nothing lies above it.
func (p *page) click(selector string) {
	p.Helper()
	at := eval[[]float64](p, `{
		const element = document.querySelector(args[0]);
		element.scrollIntoView({ block: 'nearest' });
		const { left, top, width, height } = element.getBoundingClientRect();
		const [x, y] = [left + width / 2, top + height / 2];
		const hit = document.elementFromPoint(x, y);
		if (!element.contains(hit)) throw new Error(args[0] + ' is covered by ' + hit?.outerHTML);
		return [x, y];
	}`, selector)
	p.do(chromedp.MouseClickXY(at[0], at[1]))
}

// clickText clicks on the first place where an editor has a text, as it is drawn.
func (p *page) clickText(id, text string) {
	p.Helper()
	at := eval[[]float64](p, `{
		const area = $(args[0]);
		const line = area.value.slice(0, area.value.indexOf(args[1])).split('\n').length;
		const scroller = area.closest('.editor');
		scroller.scrollIntoView({ block: 'nearest' });
		scroller.scrollTo(0, (line - 5) * area.scrollHeight / area.value.split('\n').length);
		return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => {
			for (const drawn of area.parentElement.querySelectorAll('.line')) {
				const column = drawn.textContent.indexOf(args[1]);
				if (column < 0) continue;
				const walker = document.createTreeWalker(drawn, NodeFilter.SHOW_TEXT);
				let before = 0;
				for (let node; (node = walker.nextNode()); before += node.length) {
					if (before + node.length <= column) continue;
					const range = document.createRange();
					range.setStart(node, column - before);
					range.setEnd(node, column - before + 1);
					const { left, top, width, height } = range.getBoundingClientRect();
					return [left + width / 2, top + height / 2];
				}
			}
			throw new Error('not drawn: ' + args[1]);
		});
	}`, id, text)
	p.do(chromedp.MouseClickXY(at[0], at[1]))
}

// show chooses a tab and returns the text of its panel.
func (p *page) show(tab string) string {
	p.Helper()
	p.click("#tab-" + tab)
	p.settle()
	return eval[string](p, `{
		const panel = $('panel-' + args[0]);
		return panel.querySelector('textarea')?.value ?? panel.innerText;
	}`, tab)
}

// summary is what the page says of the last run.
func (p *page) summary() string {
	p.Helper()
	return eval[string](p, `$('summary').innerText`)
}

// said waits for a sentence, a part of which is given.
func (p *page) said(part string) {
	p.Helper()
	p.wait(`!$('said').hidden && $('said').innerText.includes(args[0])`, part)
}

// marked returns the texts that an editor marks, of those in sight.
func (p *page) marked(id, mark string) []string {
	p.Helper()
	return eval[[]string](p, `[...$(args[0]).parentElement.querySelectorAll('.line')].map((line) =>
		[...line.querySelectorAll('[class*="mark-' + args[1] + '"]')].map((span) => span.textContent).join('')).filter(Boolean)`, id, mark)
}

func (p *page) problems(id string) []string {
	p.Helper()
	return eval[[]string](p, `[...$(args[0] + '-problems').querySelectorAll('button')].map((button) => button.innerText.replaceAll('\n', ' '))`, id)
}

func (p *page) focused() string {
	p.Helper()
	return eval[string](p, `document.activeElement.id || document.activeElement.innerText || document.activeElement.tagName`)
}

func (p *page) contains(text, part string) {
	p.Helper()
	if !strings.Contains(text, part) {
		p.Errorf("must contain %q, is:\n%s", part, text)
	}
}

func (p *page) tab(times int) {
	p.Helper()
	p.typeIn(strings.Join(slices.Repeat([]string{kb.Tab}, times), ""))
}

// beforeLoad runs a script at the start of each page that the tab opens from now on.
func (p *page) beforeLoad(script string) {
	p.Helper()
	call(p, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: script})
}

// downloads has the tab write downloads into a folder.
func (p *page) downloads() string {
	p.Helper()
	folder := p.TempDir()
	_, err := chromedp.CallBrowser(p.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior:         browser.SetDownloadBehaviorBehaviorAllow,
		BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
		DownloadPath:     folder,
		EventsEnabled:    new(true),
	})
	if err != nil {
		p.Fatal(err)
	}
	return folder
}

// download clicks on a button and returns the content of the file that it downloads.
func (p *page) download(folder, selector string) string {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	progress := chromedp.BrowserEvents(ctx, browser.DownloadProgress)
	p.click(selector)
	for event, err := range progress {
		if err != nil {
			p.Fatal(err)
		}
		if event.State == browser.DownloadProgressStateCompleted {
			break
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		p.Fatalf("there must be one download, are %q (%v)", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		p.Fatal(err)
	}
	return string(content)
}
