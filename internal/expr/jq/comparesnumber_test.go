package jq

import "testing"

func TestComparesNumbers(t *testing.T) {
	for expression, want := range map[string]struct{ comparison, typed string }{
		".ports[] | select(.port == 80)":              {comparison: ".port == 80"},
		".ports[] | select(80 > .port)":               {comparison: "80 > .port"},
		".ports[] | select(.port | . == -1)":          {comparison: ". == -1"},
		`.a[] | select(.n == "b" and (.p) == 1)`:      {comparison: "(.p) == 1"},
		"def f: .a == 1; .b | select(f)":              {comparison: ".a == 1"},
		".a[] | select(.port as $p | $p == 80)":       {comparison: "$p == 80"},
		".a[] | select(. as $e | $e.port == 80)":      {comparison: "$e.port == 80"},
		".ports[] | select(null != .nodePort)":        {comparison: "null != .nodePort"},
		".ports[] | select(.port == .nodePort)":       {comparison: ".port == .nodePort"},
		".ports[] | select(.port | IN(80, 81))":       {comparison: "IN(80, 81)"},
		`"b" as $n | .a[] | select(.name == $n)`:      {},
		".a | select((.b | length) > 1)":              {},
		".a | select(.b | length > 1)":                {},
		`.a[] | select(.port == "80")`:                {},
		".a[1]":                                       {},
		".a[] | select(":                              {},
		".a | select(if . then 1 else 2 end == 1)":    {},
		".. | .port?":                                 {typed: ".."},
		"recurse | .port?":                            {typed: "recurse"},
		`.ports[] | select(.port | type == "number")`: {typed: "type"},
		`.a[] | objects | .b`:                         {typed: "objects"},
		`.ports[] | select(.name | IN("a", "b"))`:     {},
		`.ports[] | select(has("nodePort"))`:          {},
	} {
		if comparison, typed := ComparesNumbers(expression); comparison != want.comparison || typed != want.typed {
			t.Errorf("%s: got %q and %q, want %+v", expression, comparison, typed, want)
		}
	}
}
