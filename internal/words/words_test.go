package words

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"jsonPaths", "jsonPointers", "jqPathExpressions", "op", "Deployment", "StatefulSet"}
	tests := map[string]string{
		"jsonPointer":             "jsonPointers",
		"JSONPOINTERS":            "jsonPointers",
		"jsonPtahs":               "jsonPaths",
		"jqExpressions":           "jqPathExpressions",
		"deployments":             "Deployment",
		"Deploymnet":              "Deployment",
		"OP":                      "op",
		"os":                      "",
		"json":                    "",
		"":                        "",
		"deploy":                  "Deployment",
		"opus":                    "",
		"StatefulSetsOfTheApps":   "StatefulSet",
		"Service":                 "",
		strings.Repeat("a", 1000): "",
	}
	for word, want := range tests {
		got, ok := Nearest(word, known)
		if got != want || ok != (want != "") {
			t.Errorf("nearest to %q: %q, %v; want %q", word, got, ok, want)
		}
	}
}

func TestIsSlip(t *testing.T) {
	slips := [][2]string{
		{"worker", "worker"}, {"wrker", "worker"}, {"worrker", "worker"}, {"wotker", "worker"}, {"wroker", "worker"},
		{"deployment", "Deployment"}, {"DEPLOYMENT", "Deployment"}, {"deployments", "Deployment"}, {"web1", "weeb1"},
	}
	for _, s := range slips {
		if !IsSlip(s[0], s[1]) {
			t.Errorf("%q must be a slip for %q", s[0], s[1])
		}
	}
	others := [][2]string{
		{"web-1", "web-2"}, {"web", "web2"}, {"web2", "web"}, {"web-1", "web-11"}, {"wker", "worker"}, {"a", "b"}, {"a", ""}, {"db", "dbs"},
		{strings.Repeat("a", 1000), strings.Repeat("a", 999)},
	}
	for _, o := range others {
		if IsSlip(o[0], o[1]) {
			t.Errorf("%.20q must not be a slip for %.20q", o[0], o[1])
		}
	}
}

func TestNearestOfSeveral(t *testing.T) {
	if got, _ := Nearest("abcdef", []string{"abcdxx", "abcdxf", "abcxef"}); got != "abcdxf" {
		t.Errorf("nearest is %q, want the first of those at the smallest distance, abcdxf", got)
	}
}

func TestEditDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "ab", 1},
		{"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}, {"äöü", "äü", 1},
	}
	for _, test := range tests {
		if got := editDistance([]rune(test.a), []rune(test.b)); got != test.want {
			t.Errorf("from %q to %q: %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

func TestList(t *testing.T) {
	tests := map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}}
	for want, list := range tests {
		if got := List(list); got != want {
			t.Errorf("%v: %q, want %q", list, got, want)
		}
	}
}
