package jq

import "testing"

func TestMistakeIn(t *testing.T) {
	const assigns, isTrue, keeps, lacks = "to compare, write ==", "write a comparison on each side of or",
		"write the path that is inside del", "to find nothing then, write else empty"
	for expression, want := range map[string]string{
		`.a[] | select(.name == "x")`:                             "",
		`.a[] | select(.b |= 1 | .c)`:                             assigns,
		`.a[] | select(.name = "x")`:                              assigns,
		`.a[] | select(.name == "x" or (.name += "y"))`:           assigns,
		`.a[] | select(.name | test("select = ="))`:               "",
		`(.a = 1) | .b[] | select(.name == "x") | .name`:          "",
		`.a[] | select(.name == "x" or "y")`:                      isTrue,
		`.a[] | select(.name == "x" or "y" or .b) | .b`:           isTrue,
		`.a[] | select(.name == "x" or .b)`:                       "",
		`.a[] | if .name == "x" then .b end`:                      lacks,
		`.c, (.a[] | .b), if .d then .e elif .f then .g end | .h`: lacks,
		`.a[] | if .name == "x" then .b else empty end`:           "",
		`.a[] | select(if .name == "x" then .b end)`:              "",
		`.a | del(.["b.c/d"])`:                                    keeps,
		`del(.a, .b)`:                                             keeps,
		`.a | with_entries(.value |= del(.b))`:                    "",
		`.a | del(.b).c`:                                          "",
		`.a | del(.b) | keys`:                                     "",
	} {
		got, found := MistakeIn(expression)
		if got.Fix != want || found != (want != "") {
			t.Errorf("%s: got %s, want %s", expression, got.Fix, want)
		}
	}
}
