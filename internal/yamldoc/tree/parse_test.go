package tree

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name string
		text string
		want any
	}{
		{"map", "a: b\n", map[string]any{"a": "b"}},
		{"list item", "- a: b\n  c: 1\n", []any{map[string]any{"a": "b", "c": 1}}},
		{"indented list item", "  # x\n  - a: b\n    c: 1\n", []any{map[string]any{"a": "b", "c": 1}}},
		{"scalar", "a\n", "a"},
		{"nothing", "", nil},
		{"comment alone", "# a\n", nil},
		{"empty document", "---\n", nil},
		{"document markers", "---\na: b\n...\n", map[string]any{"a": "b"}},
		{"empty documents around", "---\n# x\n---\na: b\n---\n", map[string]any{"a": "b"}},
		{"version 1.1", "%YAML 1.1\n---\na: b\n", map[string]any{"a": "b"}},
		{"version 1.2", "# x\n%YAML 1.2 # y\n---\na: b\n", map[string]any{"a": "b"}},
		{"version in the text", "a: b\nc: |\n  %YAML 1.2\n", map[string]any{"a": "b", "c": "%YAML 1.2\n"}},
		{"tag directive", "%TAG !t! tag:yaml.org,2002:\n---\na: !t!str 1\n", map[string]any{"a": "1"}},
		{"byte order mark", "\ufeffa: b\n", map[string]any{"a": "b"}},
		{"byte order mark and version", "\ufeff%YAML 1.2\n---\na: b\n", map[string]any{"a": "b"}},
		{"escaped byte order mark", `a: "\uFEFF"`, map[string]any{"a": "\ufeff"}},
		{"CRLF", "a: b\r\nc: |\r\n  d\r\n  e\r\n", map[string]any{"a": "b", "c": "d\ne\n"}},
		{"CR", "a: b\rc: d\r", map[string]any{"a": "b", "c": "d"}},
		{"several lines", "a: b\n  c\nd: 'e\n  f'\ng: [h,\n  i]\n",
			map[string]any{"a": "b c", "d": "e f", "g": []any{"h", "i"}}},
		{"complex key syntax", "? a\n: b\n", map[string]any{"a": "b"}},
		{"tags", "a: !!str 1\nb: !!int \"1\"\nc: !!float 1\nd: !x 1\n",
			map[string]any{"a": "1", "b": 1, "c": 1.0, "d": "1"}},
		{"binary", "a: !!binary |\n  aGk=\nb: !!binary \"&\"\n", map[string]any{"a": "aGk=\n", "b": "&"}},
		{"alias", "a: &x [b]\nc: *x\n", map[string]any{"a": []any{"b"}, "c": []any{"b"}}},
		{"anchor named twice", "a: &x 1\nb: *x\nc: &x 2\nd: *x\n", map[string]any{"a": 1, "b": 1, "c": 2, "d": 2}},
		{"alias as key", "a: &x b\n*x : c\n", map[string]any{"a": "b", "b": "c"}},
		{"keys that are no strings", "1: a\ntrue: b\n~: c\n", map[string]any{"1": "a", "true": "b", "~": "c"}},
		{"merge key", "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n",
			map[string]any{"a": map[string]any{"b": 1, "c": 2}, "d": map[string]any{"b": 1, "c": 3}}},
		{"merge key with a list", "<<: [{a: 1}, {a: 2, b: 3}]\n", map[string]any{"a": 1, "b": 3}},
		{"merge key in quotes", "\"<<\": 1\n", map[string]any{"<<": 1}},
		{"tab in a value", "a: b\tc\n", map[string]any{"a": "b\tc"}},
		{"characters that YAML 1.1 breaks lines at", "a: \"b\u2028c\"\n", map[string]any{"a": "b\u2028c"}},
		{"surrogates of the last plane", "a: \U0010ffff\n", map[string]any{"a": "\U0010ffff"}},
		{"replacement character", "a: \ufffd\t\n", map[string]any{"a": "\ufffd"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n, err := Parse([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, Value(n)); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		text string
		want string
	}{
		// syntax
		{"a: b\nc\n", "line 2: could not find expected ':'; a line of a map must be `key: value`"},
		{"a: 1\nb:\n   c: 1\n  d: 2\n", "line 4: did not find expected key; check the indentation"},
		{"a:\n  - b\n - c\n", "line 3: did not find expected key; check the indentation"},
		{"a:\n- b\n- '.c[] | select(.d == 'e')'\n", "line 3: did not find expected key; a ' inside '…' ends the string, write \" or '' there"},
		{"a:\n- b\n- '.c[] | select(.d == ''e'')'\n 'x': 1\n", "line 4: did not find expected key; check the indentation"},
		{"a: ['.c[?(@.d=='e')].f']\n", "line 1: did not find expected ',' or ']'; a ' inside '…' ends the string, write \" or '' there"},
		{"a: ['b', {c: '.c[?(@.d=='e')].f'}]\n", "line 1: did not find expected ',' or '}'; a ' inside '…' ends the string, write \" or '' there"},
		{"a: [\".c[?(@.d==\"e\")].f\"]\n", "line 1: did not find expected ',' or ']'; a \" inside \"…\" ends the string, write ' or \\\" there"},
		{"a:\n- \".c[?(@.d==\"e\")].f\"\n", "line 2: did not find expected key; a \" inside \"…\" ends the string, write ' or \\\" there"},
		{"a: [.b[] | select(.c == \"d\")]\n", "line 1: found character that cannot start any token; put an expression inside [ ] or { } in quotes: ['.a[\"b\"]']"},
		{"a: [.b[\"c\"]]\n", "line 1: did not find expected ',' or ']'; put an expression inside [ ] or { } in quotes: ['.a[\"b\"]']"},
		{"a: [.b, .c[*].d]\n", "line 1: put an expression inside [ ] or { } in quotes: ['.a[\"b\"]']"},
		{"a: [b[*].c]\n", "line 1: put an expression inside [ ] or { } in quotes: ['.a[\"b\"]']"},
		{"a: [x, b.[c=d].e]\n", "line 1: did not find expected ',' or ']'; put an expression inside [ ] or { } in quotes: ['.a[\"b\"]']"},
		{"- a\n- b\nc: d\n", "line 3: did not find expected '-' indicator; check the indentation"},
		{"a: b\nc: d: e\n", "line 2: mapping values are not allowed in this context; " +
			"check the indentation, and quote a value that has `: ` in it"},
		{"a: b\nc:\n\td: e\n", "line 3: found character that cannot start any token; " +
			"indent with spaces only, and quote a value that begins with @, % or `"},
		{"a: [b\n", "line 1: did not find expected ',' or ']'"},
		{"a: b\nc: ]\n", "line 2: did not find expected node content; check the brackets"},
		{"a: 1\nb: \"c\nd: e\n", "line 2: found unexpected end of stream; close the quotes"},
		{`a: "\/"`, "line 1: found unknown escape character; write the backslash twice, or use single quotes"},
		{`a: "\ud800"`, "line 1: found invalid Unicode character escape code"},
		{"a: |0\n  b\n", "line 1: found an indentation indicator equal to 0"},
		{"a: 1\nb: !x!y c\n", "line 2: found undefined tag handle"},
		{"%YAML 1.3\n---\na: b\n", "line 1: the directive %YAML must name version 1.1 or 1.2"},
		{"%FOO\n---\na: b\n", "line 1: found unknown directive name"},
		// several documents
		{"a: b\n---\nc: d\n", "line 3: the text must be one YAML document, found a second one"},
		{"a: b\n...\nc: d\n", "line 3: the text must be one YAML document, found more text after it"},
		{"a: b\n---\nc: [\n", "line 3: did not find expected node content; check the brackets"},
		// characters
		{"a: b\nc: \x00\n",
			`line 2: the text must not have the character U+0000; write it as "\u0000", in double quotes`},
		{"a: \x1b[0m\n", `line 1: the text must not have the character U+001B; write it as "\u001B", in double quotes`},
		{"a: \x7f\n", `line 1: the text must not have the character U+007F; write it as "\u007F", in double quotes`},
		{"a: b\n\xe9: c\n", "line 2: the text must be UTF-8, found the byte 0xe9"},
		{"\xff\xfea\x00", "line 1: the text must be UTF-8, found the byte 0xff"},
		{"a: \"\ufeff\"\n",
			`line 1: a byte order mark must be at the start only; write it as "\uFEFF", in double quotes`},
		// keys
		{"a: 1\nb: 2\na: 3\n", `line 3: a key must be unique in its map, found "a", which is 2 lines above already`},
		{"a: {b: 1, \"b\": 2}\n", `line 1: a key must be unique in its map, found "b", which is on the same line already`},
		{"a: &x b\n*x : 1\nb: 2\n", `line 3: a key must be unique in its map, found "b", which is 1 line above already`},
		{"<<: {a: 1}\n<<: {b: 1}\n",
			`line 2: a key must be unique in its map, found "<<", which is 1 line above already`},
		{"a: 1\n? [b]\n: c\n", "line 2: a key must be a scalar, found a list"},
		{"?\n: b\n", `line 1: a key must be a string, found nothing; write "" for the empty one`},
		{"a: {{b: c}: d}\n", "line 1: a key must be a scalar, found a map"},
		{"a: {{ .Values.b }}\n", "line 1: a key must be a scalar, found a map; a template {{ … }} must be in quotes"},
		{"a: &x [b]\n*x : c\n", "line 2: a key must be a scalar, found a list"},
		{"a: b\n<<: c\n", "line 2: the merge key << must have a map or a list of maps, found a string"},
		{"<<:\n- {a: b}\n- [c]\n", "line 3: the merge key << must have a map or a list of maps, found a list"},
		{"a: &x 1\n<<: *x\n", "line 2: the merge key << must have a map or a list of maps, found a number"},
		// tags
		{"a: 1\nb: !!int c\n", `line 2: a scalar must match its tag, found text that is not a valid !!int`},
		{"a: !!bool yes\n", `line 1: a scalar must match its tag, found text that is not a valid !!bool`},
		// aliases
		{"a: b\nc: *d\n", "line 2: an alias must refer to an anchor before it; quote a value that begins with *"},
		{"a: &x 1\nb: *y\nc: &y 2\n", "line 2: an alias must refer to an anchor before it; quote a value that begins with *"},
		{"a: 1\nb: &x [*x]\n", "line 2: the alias *x must not be inside the node that it refers to"},
		{"a: &x\n  b:\n    c: *x\n", "line 3: the alias *x must not be inside the node that it refers to"},
		{"a: &x\n  <<: *x\n", "line 2: the alias *x must not be inside the node that it refers to"},
	}
	for _, test := range tests {
		checkError(t, test.text, test.want)
	}
}

// parseByLibrary is Parse by yaml.v3.
func parseByLibrary(text string) (*Node, error) {
	if err := checkCharacters(text); err != nil {
		return nil, err
	}
	return parseAny(text, 1)
}

// checkError fails the test unless Parse and yaml.v3 refuse text with a *SyntaxError; Parse's
// message must be want.
func checkError(t *testing.T, text, want string) {
	t.Helper()
	_, err := Parse([]byte(text))
	syntax, ok := errors.AsType[*SyntaxError](err)
	if !ok {
		t.Errorf("Parse(%.60q) = %v, want a *SyntaxError", text, err)
		return
	}
	if diff := cmp.Diff(want, syntax.Error()); diff != "" {
		t.Errorf("Parse(%.60q) (-want +got):\n%s", text, diff)
	}
	if _, err := parseByLibrary(text); !errors.As(err, &syntax) {
		t.Errorf("parseByLibrary(%.60q) = %v, want a *SyntaxError", text, err)
	}
}

func TestParsePositions(t *testing.T) {
	const text = "# x\n  - größe: a\n    b: [c, {é: d}]\n"
	n := mustParse(t, text)
	var got []string
	for _, node := range append(Elements(n.Content[0].Content[3]), n, n.Content[0], n.Content[0].Content[1]) {
		got = append(got, fmt.Sprintf("%d:%d", node.Line(), Column([]byte(text), node)))
	}
	if diff := cmp.Diff([]string{"3:9", "3:12", "2:3", "2:5", "2:12"}, got); diff != "" {
		t.Errorf("lines and columns (-want +got):\n%s", diff)
	}
}

func TestParseFromSeveralGoroutines(t *testing.T) {
	texts := manifests(t)
	var group sync.WaitGroup
	for name, text := range texts {
		want := mustParse(t, text)
		for range 4 {
			group.Go(func() {
				n, err := Parse([]byte(text))
				if err != nil || !Same(n, want) {
					t.Errorf("%s: Parse must give the same nodes on every goroutine, got %v", name, err)
				}
			})
		}
	}
	group.Wait()
}

// An edit of one node must not reach its neighbours, which share their memory.
func TestParseNodesGrowAlone(t *testing.T) {
	n := mustParse(t, "a: [b]\nc: [d]\n")
	first, second := Lookup(n, "a"), Lookup(n, "c")
	first.Content = append(first.Content, NewString("x"))
	if got := second.Content[0].Text(); got != "d" {
		t.Errorf("an append to one list must leave the next one, got %q", got)
	}
}

func TestSyntaxErrorWithoutLine(t *testing.T) {
	err := &SyntaxError{Reason: "a reason"}
	if got := err.Error(); got != "a reason" {
		t.Errorf("Error() = %q", got)
	}
}

func TestParseLongScalars(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	formats := []string{"a: %s", "a: %s\n", `a: "%s"`, "a: '%s'", "a: |-\n  %s\n", "a: >-\n  %s\n", "a: &x %s"}
	for _, format := range formats {
		text := fmt.Sprintf(format, long)
		if got := GetString(mustParse(t, text), "a"); got != long {
			t.Errorf("Parse(%.10q…) must keep all of a long scalar, got %d bytes", text, len(got))
		}
	}
}
