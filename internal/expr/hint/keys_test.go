package hint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func TestForKey(t *testing.T) {
	var many strings.Builder
	for i := range maxKeys {
		fmt.Fprintf(&many, "key%d: 1\n", i)
	}
	for _, test := range []struct{ text, key, want string }{
		{"replicas: 1", "replica", `; did you mean "replicas"?`},
		{"replicas: 1", "image", ""},
		{"prometheus.io/port: 1", "prometheus.io/prot", `; did you mean "prometheus.io/port"?`},
		{"prometheus.io/port: 1", "prometheus.io/scrape", ""},
		{"port: 1", "prometheus.io/port", ""},
		{many.String(), "keyx", `; did you mean "key0"?`},
		{many.String() + "more: 1\n", "keyx", ""},
	} {
		m, err := tree.Parse([]byte(test.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := ForKey(m, test.key); got != test.want {
			t.Errorf("%.30q: %s is hinted at with %q, want %q", test.text, test.key, got, test.want)
		}
	}
}

func TestJoined(t *testing.T) {
	m, err := tree.Parse([]byte("a: 1\na.b: 2\na.b.c.d: 3\nb: 4\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := Joined(m, []string{"a", "b", "c", "d", "e"}, "."); !slices.Equal(got, []int{4, 2, 1}) {
		t.Errorf("joined %v, want 4, 2 and 1 names", got)
	}
}
