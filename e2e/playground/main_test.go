// Package playground tests the page of playground/site in Chromium, as it is built into
// bin/playground: what a person sees, clicks and types there. It is a module of its own, since
// nothing else needs a browser.
//
// "make test-playground" builds what is needed and runs it.
package playground

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

const (
	site    = "../../bin/playground"
	program = "../../bin/krm-fields"
)

// browsers are the programs that the tests can drive; the first one found does.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

var (
	chromium context.Context // of the one browser that all tests share, each in a tab of its own
	address  string          // of the page
	strange  *strangers
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	flag.Parse() // a flag that is not known ends the process, which must have started no other by then
	for _, file := range []string{filepath.Join(site, "index.html"), program} {
		if _, err := os.Stat(file); err != nil {
			return 0, fmt.Errorf("%w: make test-playground builds it", err)
		}
	}
	path, err := findBrowser()
	if err != nil {
		return 0, err
	}
	server := serve()
	defer server.Close()
	address = server.URL
	strange = &strangers{}
	proxy := httptest.NewServer(strange)
	defer proxy.Close()

	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.NoSandbox, // which root can't have
		chromedp.ProxyServer(proxy.URL),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("font-render-hinting", "none"),
	)
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	chromium, cancel = chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(chromium); err != nil {
		return 0, fmt.Errorf("%s does not start: %w", path, err)
	}
	return m.Run(), nil
}

func findBrowser() (string, error) {
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("chromium must be on the PATH (apt-get install chromium)")
}

func serve() *httptest.Server {
	return httptest.NewServer(http.FileServer(http.Dir(site)))
}

// services are the domains of what Chromium itself asks for, with no page open, too.
var services = regexp.MustCompile(`(^|\.)(google|googleapis|gvt1|gstatic)\.com(:\d+)?$`)

// strangers is a proxy that every request to another host than this one reaches, also one of a
// worker, and that answers none.
type strangers struct {
	mu   sync.Mutex
	seen []string
}

func (s *strangers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !services.MatchString(r.Host) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen = append(s.seen, r.Method+" "+r.Host)
	}
	http.Error(w, "no other host is to be asked", http.StatusForbidden)
}

// drain returns the requests since it was called last.
func (s *strangers) drain() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	return seen
}
