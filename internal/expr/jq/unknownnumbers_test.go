package jq

import "testing"

func TestTroubledByNumbers(t *testing.T) {
	for expression, want := range map[string]NumberTrouble{
		".ports[] | select(.nodePort == null)":              {Text: ".nodePort == null"},
		".ports[] | select(null != .nodePort)":              {Text: "null != .nodePort"},
		".ports[] | select(.port == .nodePort)":             {Text: ".port == .nodePort"},
		".ports[] | select(.port | IN(80, 81))":             {Text: "IN(80, 81)"},
		".. | .port?":                                       {Text: "..", Panics: true},
		"recurse | .port?":                                  {Text: "recurse", Panics: true},
		`.ports[] | select(.port | type == "number")`:       {Text: "type", Panics: true},
		`.ports[] | select(.port | tostring == "80")`:       {Text: "tostring", Panics: true},
		`.a[] | objects | .b`:                               {Text: "objects", Panics: true},
		".ports[] | select([.port] < [80])":                 {Text: "[.port] < [80]"},
		".ports[] | select(.port as $p | [80] | index($p))": {Text: "[80] | index($p)"},
		`.ports[] | select(.a as $p | ["b"] | index($p))`:   {},
		`.ports[] | select(.name | IN("a", "b"))`:           {},
		`.ports[] | select(.name == "a" and .on == true)`:   {},
		`.ports[] | select(.nodePort | not)`:                {},
		`.ports[] | select(has("nodePort"))`:                {},
		`.env[] | select(.value | startswith("x"))`:         {},
		".ports[0]": {},
		".ports[":   {},
	} {
		if got, ok := TroubledByNumbers(expression); got != want || ok != (want.Text != "") {
			t.Errorf("%s: got %+v %v, want %+v", expression, got, ok, want)
		}
	}
}
