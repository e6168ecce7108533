package jq

import "testing"

func TestComparesNumber(t *testing.T) {
	tests := map[string]struct {
		want  string
		holds bool
	}{
		".ports[] | select(.port == 80)":           {want: ".port == 80"},
		".ports[] | select(.port != 80)":           {want: ".port != 80", holds: true},
		".ports[] | select(80 > .port)":            {want: "80 > .port", holds: true},
		".ports[] | select(80 < .port)":            {want: "80 < .port"},
		".ports[] | select(.port <= 80)":           {want: ".port <= 80", holds: true},
		".ports[] | select(.port >= 8.5)":          {want: ".port >= 8.5"},
		".ports[] | select(.port | . == -1)":       {want: ". == -1"},
		`.a[] | select(.n == "b" and (.p) == 1)`:   {want: "(.p) == 1"},
		"def f: .a == 1; .b | select(f)":           {want: ".a == 1"},
		".a[] | select(.port as $p | $p == 80)":    {want: "$p == 80"},
		"80 as $n | .a[] | select(.port != $n)":    {want: ".port != $n", holds: true},
		".a[] | select([.port] == [80])":           {want: "[.port] == [80]"},
		`.a[] | select({port} != {port: 80})`:      {want: "{ port } != { port: 80 }", holds: true},
		`.a[] | select(. == {name: "b", c: [80]})`: {want: `. == { name: "b", c: [80] }`},
		`.a[] | select([.name] == ["b"])`:          {},
		". as $x | [$x] as $x | $x == $x":          {},
		". as $x | $x.a as $x | $x.b == []":        {},
		". as $x | $x as $y | $y as $x | $x == {}": {},
		`"b" as $n | .a[] | select(.name == $n)`:   {},
		".a | select((.b | length) > 1)":           {},
		".a | select(.b | length > 1)":             {},
		`.a[] | select(.port == "80")`:             {},
		".a[] | select(.port == .nodePort)":        {},
		".a[1]":                                    {},
		".a[] | select(":                           {},
		".a | select(if . then 1 else 2 end == 1)": {},
	}
	for expression, test := range tests {
		got, ok := ComparesNumber(expression)
		if got.Text != test.want || ok != (test.want != "") || got.HoldsForNull != test.holds {
			t.Errorf("%s: %q, %v, %v; want %q, %v", expression, got.Text, got.HoldsForNull, ok, test.want, test.holds)
		}
	}
}
