package listkey_test

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func TestKeys(t *testing.T) {
	for _, test := range []struct{ a, b, usual, shared string }{
		{"[{name: a}, {name: b}]", "[{name: b}]", "name", ""},
		{"[{name: a}, {name: a}]", "[{name: a}]", "", ""},
		{"[{name: a, port: 1}, {name: a, port: 2}]", "[{port: 1, name: x}]", "port", ""},
		{"[{port: 1}, {port: '1'}]", "[{port: 2}]", "port", ""},
		{"[{name: null}]", "[{name: null}]", "", ""},
		{"[{protocol: TCP}]", "[{}]", "", ""},
		{"[{m: {x: 1, y: 2}}, {m: {x: 3, y: 2}}]", "[{m: {x: 1}}, {m: {x: 3}}]", "", "m.x"},
		{"[{m: {x: 1, kind: A}}, {m: {x: 3, kind: B}}]", "[{m: {x: 1, kind: A}}, {m: {x: 3, kind: B}}]", "", "m.kind"},
		{"[{data: {x: 1}}, {data: {x: 2}}]", "[{data: {x: 1}}, {data: {x: 2}}]", "", ""},
		{"[{x: 1}, {x: 2}]", "[{x: 2}, {x: 1}]", "", ""},
	} {
		a, b := elements(t, test.a), elements(t, test.b)
		if got := listkey.Usual(a, b).String(); got != test.usual {
			t.Errorf("%s and %s: the usual key is %q, want %q", test.a, test.b, got, test.usual)
		}
		if test.usual != "" {
			continue
		}
		if got := listkey.Shared(a, b).String(); got != test.shared {
			t.Errorf("%s and %s: the shared key is %q, want %q", test.a, test.b, got, test.shared)
		}
	}
	tcp, none := elements(t, "[{port: 1, protocol: TCP}, {port: 1, protocol: UDP}]"), elements(t, "[{port: 1}]")
	ports := listkey.Of("port", "protocol")
	got, _ := ports.Of(none[0])
	if want, _ := ports.Of(tcp[0]); got != want || !ports.Identifies(tcp, none) {
		t.Errorf("a missing protocol must be TCP, found %s", got)
	}
	if set := elements(t, "[a, b]"); !listkey.Value.Identifies(set) || listkey.Value.Identifies(tcp) {
		t.Error("the elements of a set must be scalars")
	}
}

func elements(t *testing.T, text string) []*tree.Node {
	t.Helper()
	n, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tree.Elements(n)
}
