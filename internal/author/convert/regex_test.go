package convert

import (
	"errors"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/fn/manifestwork"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/words"
)

// any is in the tests for a selector field that holds for any text.
const anyText = "(any)"

func texts(globs []*string) []string {
	var all []string
	for _, glob := range globs {
		if glob == nil {
			all = append(all, anyText)
			continue
		}
		all = append(all, *glob)
	}
	return all
}

func TestFromRegex(t *testing.T) {
	for text, want := range map[string][]string{
		"":                        {anyText},
		".*":                      {anyText},
		"apps":                    {"apps"},
		"^$":                      {""},
		"^web$":                   {"web"},
		"cart.*":                  {"cart*"},
		".*-system":               {"*-system"},
		"(HelmRelease|HelmChart)": {"HelmRelease", "HelmChart"},
		`my\.group\.io`:           {"my.group.io"},
		"helm.toolkit.fluxcd.io":  {"helm.toolkit.fluxcd.io"},
		"a.*b.*":                  {"a*b*"},
		"(dev|prod)-(web|api).*":  {"dev-web*", "dev-api*", "prod-web*", "prod-api*"},
		"v1|v2":                   {"v1", "v2"},
		"v[12]":                   {"v1", "v2"},
		".*.toolkit.fluxcd.io":    {"*.toolkit.fluxcd.io"},
	} {
		globs, dots, err := fromRegex(text)
		if diff := cmp.Diff(want, texts(globs)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", text, err, diff)
		}
		if wantDots := text == "helm.toolkit.fluxcd.io" || text == ".*.toolkit.fluxcd.io"; dots != wantDots {
			t.Errorf("%s: dots are %v, want %v", text, dots, wantDots)
		}
	}
	for _, text := range []string{
		"[0-9]+", ".+", "a+", "(?i)web", "[a-zA-Z]", "[^a]", "0^", "$a", `\bweb`, "a*", "x{1,100}", `\*`, `(\d)(\d)`,
		"webs?", "v[1-2]", "((a|b)c)", "(a|b)c|d",
	} {
		if globs, _, err := fromRegex(text); !errors.Is(err, errRegex) {
			t.Errorf("%s: got %v, %v, want that it has no form", text, texts(globs), err)
		}
	}
	if _, _, err := fromRegex("a("); err == nil || errors.Is(err, errRegex) {
		t.Errorf("a( is no regular expression: %v", err)
	}
}

// FuzzFromRegex proves that globs match what the regular expression matches.
func FuzzFromRegex(f *testing.F) {
	for _, seed := range []string{"apps", "a.*", "(a|b)c?", "v[12]", "^$", "x{2}", `a\.b`, "(?:ab|a).*c|d", "a|"} {
		f.Add(seed, "abc")
	}
	f.Fuzz(func(t *testing.T, text, sample string) {
		globs, dots, err := fromRegex(text)
		if err != nil || dots || text == "" {
			return
		}
		want := regexp.MustCompile("^(?s:" + text + ")$").MatchString(sample)
		got := false
		for _, glob := range globs {
			got = got || glob == nil || selector.Glob(*glob, sample)
		}
		if want != got {
			t.Errorf("%q matches %q: %v, the globs %q: %v", text, sample, want, texts(globs), got)
		}
	})
}

func TestToRegex(t *testing.T) {
	for glob, want := range map[string]string{
		"apps": "apps", "*": "", "": "^$", "web-*": "web-.*", "a.b": `a\.b`, "*x*": ".*x.*",
	} {
		if got := toRegex(&glob); got != want {
			t.Errorf("%q: got %q, want %q", glob, got, want)
		}
		back, dots, err := fromRegex(want)
		if err != nil || dots || len(back) != 1 {
			t.Errorf("%q does not come back: %v, %v", want, texts(back), err)
			continue
		}
		if back[0] == nil != (glob == "*") || back[0] != nil && *back[0] != glob {
			t.Errorf("%q comes back as %q", glob, texts(back))
		}
	}
	if got := toRegex(nil); got != "" {
		t.Errorf("any text: got %q", got)
	}
}

func TestFromArgoGlob(t *testing.T) {
	for glob, want := range map[string][]string{
		"": {""}, "*": {anyText}, "apps": {"apps"}, "*.example.com": {"*.example.com"}, "{apps,batch}": {"apps", "batch"},
		"a{b,c}d{e,f}": {"abde", "abdf", "acde", "acdf"}, "**": {anyText}, "{a,}": {"a", ""},
	} {
		globs, err := fromArgoGlob(glob)
		if diff := cmp.Diff(want, texts(globs)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", glob, err, diff)
		}
	}
	for _, glob := range []string{"?", "[ab]", `a\*`, "{a", "a}", "{a,{b,c}}", "{a?,b}", "{a,b}[c]"} {
		if globs, err := fromArgoGlob(glob); !errors.Is(err, errGlob) {
			t.Errorf("%s: got %v, %v, want that it has no form", glob, texts(globs), err)
		}
	}
}

func TestBoth(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, test := range []struct {
		name            string
		a, b, want      selector.Selector
		possible, known bool
	}{
		{
			"different fields", selector.Selector{Kind: text("A")}, selector.Selector{Name: text("x")},
			selector.Selector{Kind: text("A"), Name: text("x")}, true, true,
		},
		{"unequal", selector.Selector{Kind: text("A")}, selector.Selector{Kind: text("B")}, selector.Selector{}, false, true},
		{
			"a glob and a text", selector.Selector{Name: text("web-*")}, selector.Selector{Name: text("web-1")},
			selector.Selector{Name: text("web-1")}, true, true,
		},
		{"a glob that does not fit", selector.Selector{Name: text("web-*")}, selector.Selector{Name: text("api")}, selector.Selector{}, false, true},
		{
			"two globs", selector.Selector{Name: text("a*")}, selector.Selector{Name: text("*b")},
			selector.Selector{Name: text("a*")}, true, false,
		},
		{
			"apiVersion and group", selector.Selector{APIVersion: text("apps/v1")}, selector.Selector{Group: text("apps")},
			selector.Selector{Group: text("apps"), Version: text("v1")}, true, true,
		},
		{
			"the core group", selector.Selector{APIVersion: text("v1")}, selector.Selector{Group: text("apps")},
			selector.Selector{}, false, true,
		},
		{
			"labels", selector.Selector{Labels: map[string]string{"a": "1"}}, selector.Selector{Labels: map[string]string{"b": "2"}},
			selector.Selector{Labels: map[string]string{"a": "1", "b": "2"}}, true, true,
		},
		{
			"unequal labels", selector.Selector{Labels: map[string]string{"a": "1"}}, selector.Selector{Labels: map[string]string{"a": "2"}},
			selector.Selector{}, false, true,
		},
		{
			"label selectors", selector.Selector{LabelSelector: text("a")}, selector.Selector{LabelSelector: text("!b")},
			selector.Selector{LabelSelector: text("a,!b")}, true, true,
		},
	} {
		got, possible, known := both(test.a, test.b)
		if diff := cmp.Diff(test.want, got); diff != "" || possible != test.possible || known != test.known {
			t.Errorf("%s: possible %v, known %v (-want +got)\n%s", test.name, possible, known, diff)
		}
	}
}

func TestKindsAndResources(t *testing.T) {
	for group, kinds := range knownKinds() {
		for _, kind := range kinds {
			if got, known := kindOf(manifestwork.ResourceIdentifier{Resource: words.Plural(kind)}, group, nil); got != kind || !known {
				t.Errorf("%s/%s: the resource %s is of kind %s, %v", group, kind, words.Plural(kind), got, known)
			}
		}
	}
	for resource, want := range map[string]string{
		"widgets": "Widget", "policies": "Policy", "accesses": "Access", "s": "s", "certificaterequests": "Certificaterequest",
	} {
		if got, known := kindOf(manifestwork.ResourceIdentifier{Resource: resource}, "example.com", nil); got != want || known {
			t.Errorf("%s: got %s, %v, want the guess %s", resource, got, known, want)
		}
	}
}
