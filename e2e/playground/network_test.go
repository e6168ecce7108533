package playground

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestOffline loads the page once, ends the server, and uses the page as before.
func TestOffline(t *testing.T) {
	server := serve()
	p := blank(t, desktop, server.URL)
	p.visit("")
	p.wait(`navigator.serviceWorker.controller !== null`)
	server.Close()
	p.do(chromedp.Reload())
	p.settle()
	p.contains(p.text("diff"), "-  replicas: 3")
	p.put("config", strings.Replace(p.text("config"), "/spec/replicas", "/spec/selector", 1))
	p.contains(p.text("diff"), "-  selector:")
	p.run(`{ $('story').value = 'sidecar'; $('story').dispatchEvent(new Event('change')); }`)
	p.wait(`$('config').value.includes('ApplyPatches')`)
	p.settle()
	if problems := p.problems("config"); len(problems) > 0 {
		t.Errorf("there must be no problems: %q", problems)
	}
}

// TestNewBuild loads the page after another build is there: it is shown at once and whole, though
// the server lets a browser keep files for ten minutes, and is what is there offline.
func TestNewBuild(t *testing.T) {
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(site)); err != nil {
		t.Fatal(err)
	}
	files := http.FileServer(http.Dir(folder))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=600")
		files.ServeHTTP(w, r)
	}))
	p := blank(t, desktop, server.URL)
	p.visit("")
	p.wait(`navigator.serviceWorker.controller !== null`)
	edit(t, filepath.Join(folder, "index.html"), "<span>playground</span>", "<span>new build</span>")
	edit(t, filepath.Join(folder, "stories.json"), `"title":"The first rule"`, `"title":"The new rule"`)
	edit(t, filepath.Join(folder, "service-worker.js"), "const cache = 'krm-fields ", "const cache = 'krm-fields new ")
	const isNew = `document.querySelector('h1').innerText.includes('new build') && $('story').innerText.includes('The new rule')`
	p.visit("")
	p.wait(isNew)
	// The new service worker has taken over once its cache is the only one.
	p.wait(`caches.keys().then((names) => names.length === 1 && names[0].startsWith('krm-fields new '))`)
	server.Close()
	p.do(chromedp.Reload())
	p.settle()
	p.wait(isNew)
}

func edit(t *testing.T, path, old, new string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(content), old, new, 1)
	if changed == string(content) {
		t.Fatalf("%s must have %q", path, old)
	}
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	// The server tells by the second whether a file is another one.
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
}

// TestTexts puts markup and links into every text that the page shows: they stay texts, also in a
// link to the page.
func TestTexts(t *testing.T) {
	const evil = `<img src=x onerror="globalThis.ran = 1"><a href="javascript:globalThis.ran = 1">javascript:globalThis.ran = 1</a>`
	quoted := "'" + evil + "'"
	manifests := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: " + quoted + "\n  namespace: " + quoted + "\nspec:\n  " + quoted + ": " + quoted + "\n"
	live := strings.Replace(manifests, "spec:", "  managedFields:\n  - {manager: "+quoted+", operation: Apply, apiVersion: apps/v1, fieldsType: FieldsV1, "+
		"fieldsV1: {'f:spec': {'f:"+evil+"': {}}}}\nspec:", 1)
	p := open(t, desktop, "")
	p.put("live", live)
	p.put("manifests", manifests)
	for _, rule := range []string{"jqPathExpressions: ['.spec[\"" + strings.ReplaceAll(evil, `"`, `\"`) + "\"]']", "jsonPaths: [" + quoted + "]", "'" + evil + "': a"} {
		p.put("config", "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata:\n  name: "+quoted+"\nignoreFields:\n- "+rule+"\n")
		p.clickText("manifests", "<img")
		p.settle()
		for _, tab := range []string{"diff", "output", "results", "explain", "plan"} {
			p.contains(p.show(tab), "<img")
		}
		p.click("#suggest")
		p.said("")
	}
	p.contains(strings.Join(p.problems("config"), "\n"), "<img")
	p.click("#open-from-error")
	p.put("from-error-input", "conflict with "+strconv.Quote(evil)+" using apps/v1: .spec.replicas")
	p.wait(`$('from-error-notes').innerText.includes('<img')`)
	p.click("#from-error button[aria-label=Close]")
	p.click("#share")
	p.said("copied")
	p.visit(strings.TrimPrefix(eval[string](p, `navigator.clipboard.readText()`), p.origin+"/"))
	p.do(chromedp.Reload())
	p.settle()
	p.contains(p.text("manifests"), evil)
	found := eval[[]string](p, `[...document.querySelectorAll('img, iframe, [onerror], a[href^="javascript:"]')].map((element) => element.outerHTML)`)
	if len(found) > 0 || eval[bool](p, `'ran' in globalThis`) {
		t.Errorf("texts must stay texts, there are %q", found)
	}
}

// TestPolicy tries what the policy of the page must refuse.
func TestPolicy(t *testing.T) {
	p := open(t, desktop, "")
	for name, attempt := range map[string]string{
		"a request":                  `fetch('https://example.com/').then(() => 'done', () => 'refused')`,
		"an image":                   `new Promise((resolve) => { const i = new Image(); i.onload = () => resolve('done'); i.onerror = () => resolve('refused'); i.src = 'https://example.com/a.png'; })`,
		"a script of another origin": `new Promise((resolve) => { const s = document.createElement('script'); s.onload = () => resolve('done'); s.onerror = () => resolve('refused'); s.src = 'https://example.com/a.js'; document.head.append(s); })`,
		"an inline handler":          `{ const b = document.createElement('button'); b.setAttribute('onclick', 'globalThis.ran = true'); b.click(); return globalThis.ran ? 'done' : 'refused'; }`,
		"a link that is a script":    `{ const a = document.createElement('a'); a.href = 'javascript:globalThis.ran = true'; document.body.append(a); a.click(); return new Promise((resolve) => setTimeout(() => resolve(globalThis.ran ? 'done' : 'refused'))); }`,
		"an inline script":           `{ const s = document.createElement('script'); s.textContent = 'globalThis.ran = true'; document.head.append(s); return globalThis.ran ? 'done' : 'refused'; }`,
	} {
		if got := eval[string](p, attempt); got != "refused" {
			t.Errorf("%s must be refused, is %s", name, got)
		}
	}
	p.forgive()
	content, err := os.ReadFile(filepath.Join(site, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	if scripts := regexp.MustCompile(`<script[^>]*>`).FindAllString(string(content), -1); len(scripts) != 1 {
		t.Errorf("the page must have one script, has %q", scripts)
	}
}

// TestEncodedByTheServer serves the compressed program as some servers do: with a header by which
// the browser decodes it.
func TestEncodedByTheServer(t *testing.T) {
	files := http.FileServer(http.Dir(site))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".gz") {
			w.Header().Set("Content-Encoding", "gzip")
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p := blank(t, desktop, server.URL)
	p.visit("")
	p.contains(p.text("diff"), "-  replicas: 3")
}

// TestNotThere says so where the program can't be loaded.
func TestNotThere(t *testing.T) {
	files := http.FileServer(http.Dir(site))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".gz") {
			http.NotFound(w, r)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p := blank(t, desktop, server.URL)
	p.visit("")
	p.contains(eval[string](p, `$('stopped').innerText`), "can't be loaded")
	p.contains(p.text("manifests"), "kind: Deployment")
}

// TestSize prints how large the page is, compressed, and holds what a first answer needs to
// 4.15 MB.
func TestSize(t *testing.T) {
	files, err := os.ReadDir(site)
	if err != nil {
		t.Fatal(err)
	}
	first, all := int64(0), int64(0)
	for _, file := range files {
		size := compressed(t, filepath.Join(site, file.Name()))
		t.Logf("%9d bytes: %s", size, file.Name())
		all += size
		if file.Name() != "krm-fields-patches.wasm.gz" { // which is loaded where a rule needs it
			first += size
		}
	}
	t.Logf("%9d bytes for a first answer, %d in all", first, all)
	if first > 4_150_000 {
		t.Errorf("a first answer must need no more than 4.15 MB, needs %d bytes", first)
	}
}

func compressed(t *testing.T, path string) int64 {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		return int64(len(content))
	}
	counted := &counter{}
	packer := gzip.NewWriter(counted)
	if _, err := packer.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	return counted.n
}

type counter struct{ n int64 }

var _ io.Writer = (*counter)(nil)

func (c *counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}
