package jq

import "testing"

func TestMistakeIn(t *testing.T) {
	for expression, want := range map[string]string{
		`.a[] | select(.name == "x")`:                             "",
		`.a[] | select(.b |= 1 | .c)`:                             `.a[] | select(.b == 1 | .c)`,
		`.a[] | select(.name = "x")`:                              `.a[] | select(.name == "x")`,
		`.a[] | select(.name = "x" or (.name += "y"))`:            `.a[] | select(.name == "x" or (.name == "y"))`,
		`.a[] | select(.name | test("select = ="))`:               "",
		`(.a = 1) | .b[] | select(.name == "x") | .name`:          "",
		`.a[] | select(.name == "x" or "y")`:                      `.a[] | select(.name == "x" or .name == "y")`,
		`.a[] | select(.name == "x" or "y" or "z") | .b`:          `.a[] | select(.name == "x" or .name == "y" or .name == "z") | .b`,
		`.a[] | select((.name | startswith("x")) or "y")`:         "",
		`.a[] | select(.name == "x" or .b)`:                       "",
		`.a[] | if .name == "x" then .b end`:                      `.a[] | if .name == "x" then .b else empty end`,
		`.c, (.a[] | .b), if .d then .e elif .f then .g end | .h`: `.c, (.a[] | .b), if .d then .e elif .f then .g else empty end | .h`,
		`.a[] | if .name == "x" then .b else empty end`:           "",
		`.a[] | select(if .name == "x" then .b end)`:              "",
		`.a | del(.["b.c/d"])`:                                    `.a["b.c/d"]`,
		`.a.x | del(.b[0].c)`:                                     `.a.x.b[0].c`,
		`del(.a, .b)`:                                             `.a, .b`,
		`.a | del(.b | .c) | del(.d)`:                             `.a | (.b | .c), (.d)`,
		`.a | with_entries(.value |= del(.b))`:                    "",
		`.a | del(.b).c`:                                          "",
		`.a | del(.b) | keys`:                                     "",
		`.a | del(.b) | del(.c | .d) | del(.e | .f)`:              `.a | (.b), ((.c | .d), (.e | .f))`,
		`.a | del(.b) | .c | del(.d)`:                             "",
		`.a | del(3)`:                                             "",
	} {
		got, found := MistakeIn(expression)
		if got.Fix != want || found != (want != "") {
			t.Errorf("%s: got %s, want %s", expression, got.Fix, want)
		}
	}
}
