package location

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLocationText(t *testing.T) {
	for _, test := range []struct {
		location        Location
		text, asPointer string
	}{
		{Location{}, "", ""},
		{Location{Key("spec"), Key("replicas")}, "spec.replicas", "/spec/replicas"},
		{
			Location{Key("spec"), Key("containers"), Index(1), Key("image")},
			"spec.containers[1].image", "/spec/containers/1/image",
		},
		{
			Location{Key("metadata"), Key("annotations"), Key("prometheus.io/port")},
			`metadata.annotations["prometheus.io/port"]`, "/metadata/annotations/prometheus.io~1port",
		},
		{Location{Key("a~b")}, "a~b", "/a~0b"},
		{Location{Key("~1")}, "~1", "/~01"},
		{Location{Key("")}, `[""]`, "/"},
		{Location{Key("8080"), Index(0)}, "8080[0]", "/8080/0"},
		{Location{Key(`a"b`), Key("c d"), Key("e[0]")}, `["a\"b"]["c d"]["e[0]"]`, `/a"b/c d/e[0]`},
		{Location{Key("a\rb"), Key("\xff"), Key("grün")}, `["a\rb"]["\xff"].grün`, "/a\rb/\xff/grün"},
		{Location{Index(0), Index(2)}, "[0][2]", "/0/2"},
	} {
		if got := test.location.String(); got != test.text {
			t.Errorf("String() = %s, want %s", got, test.text)
		}
		if got := test.location.Pointer(); got != test.asPointer {
			t.Errorf("Pointer() = %s, want %s", got, test.asPointer)
		}
	}
}

func TestLocationOrder(t *testing.T) {
	ordered := []Location{
		{},
		{Index(2)},
		{Index(10)},
		{Key("a")},
		{Key("a"), Index(0)},
		{Key("a"), Index(1), Key("b")},
		{Key("a"), Key("")},
		{Key("a"), Key("b")},
		{Key("a.b")},
		{Key("b")},
	}
	for i, a := range ordered {
		for j, b := range ordered {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got := Compare(a, b); got != want {
				t.Errorf("Compare(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestLocationContains(t *testing.T) {
	outer := Location{Key("a"), Index(1)}
	for _, test := range []struct {
		inner Location
		want  bool
	}{
		{Location{Key("a"), Index(1)}, true},
		{Location{Key("a"), Index(1), Key("b")}, true},
		{Location{Key("a")}, false},
		{Location{Key("a"), Index(10)}, false},
		{Location{Key("a"), Key("1")}, false},
	} {
		if got := outer.Contains(test.inner); got != test.want {
			t.Errorf("%s contains %s: %t, want %t", outer, test.inner, got, test.want)
		}
	}
}

func TestLocationWithSharesNoMemory(t *testing.T) {
	l := make(Location, 1, 8)
	l[0] = Key("a")
	b, c := l.With(Key("b")), l.With(Key("c"))
	if b.String() != "a.b" || c.String() != "a.c" || l.String() != "a" {
		t.Errorf("got %s, %s and %s, want a.b, a.c and a", b, c, l)
	}
}

func TestOutermost(t *testing.T) {
	chosen := []Location{
		{Key("b")},
		{Key("a"), Index(10)},
		{Key("a"), Index(2), Key("x")},
		{Key("a"), Index(2)},
		{Key("b")},
		{Key("ab"), Key("c")},
		{Key("a"), Index(2), Key("x"), Key("y")},
	}
	want := []Location{
		{Key("a"), Index(2)},
		{Key("a"), Index(10)},
		{Key("ab"), Key("c")},
		{Key("b")},
	}
	if diff := cmp.Diff(want, Outermost(chosen)); diff != "" {
		t.Errorf("Outermost (-want +got):\n%s", diff)
	}
	if got := chosen[0].String(); got != "b" {
		t.Errorf("Outermost changed its argument: first is %s", got)
	}
	if got := Outermost(nil); len(got) != 0 {
		t.Errorf("Outermost(nil) = %v, want none", got)
	}
}
