package playground

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const foreign = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: größe\ndata:\n  greeting: \"こんにちは 👋 ünïcödé\"\n"

// TestShareLink opens the link that one page gives in another.
func TestShareLink(t *testing.T) {
	p := open(t, desktop, "")
	config := strings.Replace(p.text("config"), "/spec/replicas", "/data/greeting", 1)
	config = strings.Replace(config, "Deployment", "ConfigMap", 1)
	p.put("manifests", foreign)
	p.put("config", config)
	p.put("live", foreign+"# live: 東京\n")
	p.click("#share")
	p.said("The link is copied")
	link := eval[string](p, `navigator.clipboard.readText()`)
	if !strings.HasPrefix(link, address+"/#s=") {
		t.Fatalf("the link must be of this page, is %s", link)
	}

	other := open(t, phone, strings.TrimPrefix(link, address+"/"))
	for id, want := range map[string]string{"manifests": foreign, "config": config, "live": foreign + "# live: 東京\n"} {
		if got := other.text(id); got != want {
			t.Errorf("%s must be %q, is %q", id, want, got)
		}
	}
	if got := eval[string](other, `$('story').selectedOptions[0].text`); got != "Your own" {
		t.Errorf("it is no story, and is called %q", got)
	}
	other.contains(other.show("diff"), "-  greeting:")
}

// TestLinkSaysSecret warns of what a link carries.
func TestLinkSaysSecret(t *testing.T) {
	p := open(t, desktop, "")
	p.put("manifests", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  password: hunter2\n")
	p.click("#share")
	p.said("It holds a Secret")
}

// TestAddressFollows edits, reloads, and goes back.
func TestAddressFollows(t *testing.T) {
	p := open(t, desktop, "")
	p.run(`{ $('story').value = 'sidecar'; $('story').dispatchEvent(new Event('change')); }`)
	p.wait(`location.hash === '#story=sidecar'`)
	p.settle()
	sidecar := p.text("manifests")
	p.put("manifests", foreign)
	p.wait(`location.hash.startsWith('#s=')`)
	p.do(chromedp.Reload())
	p.settle()
	if got := p.text("manifests"); got != foreign {
		t.Errorf("a reload must show what was edited, shows %q", got)
	}
	p.run(`{ $('story').value = 'sidecar'; $('story').dispatchEvent(new Event('change')); }`)
	p.wait(`$('manifests').value === args[0]`, sidecar)
	p.run(`history.back()`)
	p.wait(`$('manifests').value === args[0]`, foreign)
	p.run(`history.back()`)
	p.wait(`$('story').value === 'first-rule'`)
	p.settle()
	p.contains(p.text("manifests"), "kind: Deployment")
	p.run(`{ location.hash = '#story=sidecar' }`)
	p.wait(`$('manifests').value === args[0]`, sidecar)
}

// TestBrokenLink falls back to the first story.
func TestBrokenLink(t *testing.T) {
	for name, fragment := range map[string]string{
		"no base64":  "#s=%%%",
		"no deflate": "#s=AAAA",
		"no state":   "#s=q1YqSyzKzE1VslIqLU5VqgUA",
		"no story":   "#story=none",
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, desktop, fragment)
			if strings.HasPrefix(fragment, "#s=") && name != "no state" {
				p.said("The link can't be read")
			}
			p.wait(`$('manifests').value !== '' || args[0] === 'no state'`, name)
		})
	}
}
