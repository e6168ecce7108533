package jsonpath

import (
	"strings"
	"testing"
)

func TestAsJQ(t *testing.T) {
	for expression, want := range map[string]string{
		`.l[?(@.a=="b" && @.c==1 || @.d)].e`: `.l[]? | select(.a? == "b" and .c? == 1 or (objects | has("d"))) | .e?`,
		`.l[?(@.a =~ "^b(c)")]`:              `.l[]? | select(.a? | strings | test("^b(c)"))`,
		`.l[?(@.a=~/b/ && @.c!="d")]`:        `.l[]? | select((.a? | strings | test("b")) and (.c? | strings | . != "d"))`,
		`.l[?(@.a==")" && @.b=="(")].e`:      `.l[]? | select(.a? == ")" and .b? == "(") | .e?`,
		`.l[?(@.a=="b" && @.c==@.d)]`:        "",
		`.l[?(@.a=="b" & @.c=="d")]`:         "",
		`.l[?(@.a=="b" && )]`:                "",
		`.l[?(@.a=="b" && @.c)][?(@.d)]`:     "",
	} {
		start := strings.Index(expression, "[?(")
		inside := expression[start+len("[?(") : strings.Index(expression, ")]")]
		if want = "write the jq expression '" + want + "' under jqPathExpressions"; strings.Contains(want, "''") {
			want = underJQ
		}
		if got := asJQ(expression, inside); got != want {
			t.Errorf("%s:\n got %s\nwant %s", expression, got, want)
		}
	}
}
