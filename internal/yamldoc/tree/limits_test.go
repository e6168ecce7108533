package tree

import (
	"fmt"
	"strings"
	"testing"
)

// nested returns maps or lists in one another, depth of them.
func nested(open, inner, end string, depth int) string {
	return strings.Repeat(open, depth) + inner + strings.Repeat(end, depth)
}

// nestedBlocks returns block maps in one another, depth of them.
func nestedBlocks(depth int) string {
	var text strings.Builder
	for i := range depth {
		text.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return text.String()
}

func TestDepthLimit(t *testing.T) {
	deepest := []string{
		nested("[", "", "]", MaxDepth),
		"x: " + nested("{a: ", "b", "}", MaxDepth-1) + "\n",
		nested("- ", "a", "", MaxDepth),
		nestedBlocks(MaxDepth),
		nested("- ", "&x a", "", MaxDepth),
		"? a\n: " + nested("[", "b", "]", MaxDepth-1) + "\n",
		"- &x " + nested("[", "", "]", MaxDepth/2) + "\n- " + nested("[", "*x", "]", MaxDepth/2-1) + "\n",
	}
	for _, text := range deepest {
		if n := mustParse(t, text); Value(n) == nil {
			t.Errorf("Parse(%.20q…) must have a value", text)
		}
	}
	const want = "line 1: maps and lists must be nested at most 1000 levels deep"
	checkError(t, nested("[", "", "]", MaxDepth+1), want)
	checkError(t, "x: "+nested("{a: ", "b", "}", MaxDepth)+"\n", want)
	checkError(t, nested("- ", "a", "", MaxDepth+1), want)
	checkError(t, "- &x "+nested("[", "", "]", MaxDepth/2)+"\n- "+nested("[", "*x", "]", MaxDepth/2)+"\n",
		strings.Replace(want, "line 1", "line 2", 1))
	checkError(t, nestedBlocks(MaxDepth+1), strings.Replace(want, "line 1", "line 1001", 1))
	checkError(t, nested("[", "", "]", 10_000), want)
	checkError(t, nested("- ", "a", "", 100_000), want)
	checkError(t, strings.Repeat("[", 100_000), want)
	checkError(t, strings.Repeat("{a: ", 100_000), want)
}

// bomb returns a map whose values, except the first, name the one before ten times each.
func bomb(first, open, end string, levels int) string {
	text := "a0: &a0 " + first + "\n"
	for i := range levels {
		aliases := strings.Repeat(fmt.Sprintf("*a%d, ", i), 9) + fmt.Sprintf("*a%d", i)
		text += fmt.Sprintf("a%d: &a%d %s%s%s\n", i+1, i+1, open, aliases, end)
	}
	return text
}

func TestAliasBomb(t *testing.T) {
	mustParse(t, bomb("[x]", "[", "]", 4))
	mustParse(t, bomb("{x: y}", "{<<: [", "]}", 4))
	const message = "line 6: aliases must not expand the document to more than 100000 nodes"
	checkError(t, bomb("[x]", "[", "]", 5), message)
	checkError(t, bomb("[x]", "[", "]", 100), message)
	checkError(t, bomb("{x: y}", "{<<: [", "]}", 100), message)
}

func TestManyAliases(t *testing.T) {
	n := mustParse(t, "- &a b\n"+strings.Repeat("- *a\n", 200_000))
	if got := len(Elements(n)); got != 200_001 {
		t.Errorf("a document may grow with its aliases, got %d elements", got)
	}
}

func TestManyKeys(t *testing.T) {
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&text, "k%d: v\n", i)
	}
	if got := len(mustParse(t, text.String()).Content); got != 200_000 {
		t.Errorf("a map may have 100,000 keys, got %d keys and values", got)
	}
	const message = `line 100001: a key must be unique in its map, found "k500", which is 99500 lines above already`
	checkError(t, text.String()+"k500: v\n", message)
}

func TestAliasesOfALongText(t *testing.T) {
	text := "a: &a " + strings.Repeat("a", 40_000) + "\nb: [" + strings.Repeat("*a, ", 200)
	checkError(t, text+"]\n", "line 2: aliases must not expand the document to more than 100000 nodes")
	root := mustParse(t, strings.Replace(text, strings.Repeat("*a, ", 195), "", 1)+"]\n")
	if got := Aliased(root); got != 5*1000 {
		t.Errorf("got %d nodes behind aliases, want 5000", got)
	}
}

func TestKeysJustBelowAndAboveTheTable(t *testing.T) {
	for keys := ManyKeys - 2; keys <= ManyKeys+2; keys++ {
		var text strings.Builder
		for i := range keys {
			fmt.Fprintf(&text, "k%d: v\n", i)
		}
		mustParse(t, text.String())
		for _, i := range []int{0, keys - 2} {
			const format = `line %d: a key must be unique in its map, found "k%d", which is %d lines above already`
			checkError(t, fmt.Sprintf("%sk%d: v\n", text.String(), i), fmt.Sprintf(format, keys+1, i, keys-i))
		}
	}
}

// TestManyNodes has documents of as many values as they may have, and of one more.
func TestManyNodes(t *testing.T) {
	lists := func(open, element, end string, count int) string { return open + strings.Repeat(element, count) + end }
	for name, test := range map[string]struct {
		open, element, end string
		most               int
	}{
		"block list":             {"", "- a\n", "", 440_000},
		"block list with anchor": {"- &a b\n", "- a\n", "", 440_000},
		"CRLF":                   {"", "- a\r\n", "", 440_000},
		"lists in lists":         {"- !<b> b\n", "- - - - a\n", "", 106_000},
		"flow list":              {"x: [a", ",a", "]\n", 420_000},
		"flow list, comma last":  {"[", "a,", "]\n", 420_000},
		"flow list of maps":      {"- [", "{},", "]\n", 430_000},
		"flow list with a tag":   {"- [!<a> a,", "{},", "]\n", 206_000},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse([]byte(lists(test.open, test.element, test.end, test.most))); err != nil {
				t.Errorf("%d elements: got the error %v, want none", test.most, err)
			}
			_, err := Parse([]byte(lists(test.open, test.element, test.end, test.most*11/10)))
			if err == nil || !strings.Contains(err.Error(), "keys, values, maps and lists") {
				t.Errorf("%d elements: got the error %v, want one that there are too many values", test.most*11/10, err)
			}
		})
	}
	commas := "text: !!str |-\r\n  " + strings.Repeat("a long line of prose, with commas: not many of them\r\n  ", 100_000) + "\r\n"
	if _, err := Parse([]byte(commas)); err != nil {
		t.Errorf("prose is no list of values, got the error %v", err)
	}
	const want = "line 1: a document of 1000003 bytes must have at most 425000 keys, values, maps and lists"
	if _, err := ParseJSON([]byte("[1" + strings.Repeat(",1", 500_000) + "]")); err == nil || err.Error() != want {
		t.Errorf("JSON: got the error %v, want %s", err, want)
	}
	const wantSimple = "line 449996: a document of 2000000 bytes must have at most 450000 keys, values, maps and lists"
	if _, err := Parse([]byte(strings.Repeat("- a\n", 500_000))); err == nil || err.Error() != wantSimple {
		t.Errorf("a block list: got the error %v, want %s", err, wantSimple)
	}
	const wantLine = "line 535002: a document of 5400000 bytes must have at most 535000 keys, values, maps and lists; where it has " +
		"rare notations, each line break and each of the characters , : [ { counts, also in text"
	if _, err := Parse([]byte(strings.Repeat("- !<a> b\n", 600_000))); err == nil || err.Error() != wantLine {
		t.Errorf("tags: got the error %v, want %s", err, wantLine)
	}
}

// TestManyTagDirectives has as many %TAG directives as a document may have, and one more.
func TestManyTagDirectives(t *testing.T) {
	directives := func(count int) string {
		var text strings.Builder
		for i := range count {
			fmt.Fprintf(&text, "%%TAG !t%d! tag:example.com,2000:\n", i)
		}
		return text.String()
	}
	mustParse(t, directives(1000)+"---\na: !t0!x b\n")
	checkError(t, directives(1001)+"---\na: b\n", "line 1001: a document must have at most 1000 %TAG directives")
	checkError(t, strings.ReplaceAll(directives(1001), "\n", "\r")+"---\na: b\n", "line 1: a document must have at most 1000 %TAG directives")
	mustParse(t, "a: &a |\n"+strings.Repeat("  %TAG in text\n", 2000))
}
