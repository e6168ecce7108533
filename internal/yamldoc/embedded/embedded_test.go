package embedded_test

import (
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// keys returns the location of words between slashes; a number is an index.
func keys(path string) location.Location {
	var l location.Location
	for _, word := range strings.Split(path, "/") {
		if len(word) == 1 && word[0] >= '0' && word[0] <= '9' {
			l = append(l, location.Index(int(word[0]-'0')))
			continue
		}
		l = append(l, location.Key(word))
	}
	return l
}

func parse(t testing.TB, text string) *object.Object {
	t.Helper()
	var o *object.Object
	var err error
	if strings.HasPrefix(text, "{\n") {
		o, err = object.ParseJSON([]byte(text))
	} else {
		o, err = object.ParseDocument([]byte(text))
	}
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return o
}

// edit opens the string at data.x, edits its documents and returns the file.
func edit(t testing.TB, file string, edit func(s *embedded.String)) string {
	t.Helper()
	o, at := parse(t, file), keys("data/x")
	s, err := embedded.Open(o, at, embedded.Auto)
	if err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	edit(s)
	if err := s.Write(at); err != nil {
		t.Fatal(err)
	}
	out, err := o.Text()
	if err != nil {
		t.Fatal(err)
	}
	if why := o.Reformatted(); why != nil {
		t.Errorf("the file was written anew: %+v\n%s", why, file)
	}
	return string(out)
}

func remove(t testing.TB, file string, document int, path string) string {
	return edit(t, file, func(s *embedded.String) {
		s.Documents[document].Remove([]location.Location{keys(path)})
	})
}

func TestRemove(t *testing.T) {
	for name, test := range map[string]struct{ file, path, want string }{
		"literal": {
			"# head\ndata:\n  x: |\n    # url of the database\n    a: 1 # one\n    b:\n      c: 0644\n      d: 2\n\n    e: 'x'\n  y: 1 # last\n",
			"b/c", "# head\ndata:\n  x: |\n    # url of the database\n    a: 1 # one\n    b:\n      d: 2\n\n    e: 'x'\n  y: 1 # last\n",
		},
		"comment above goes": {
			"data:\n  x: |\n    # of a\n    a: 1\n    b: 2\n", "a", "data:\n  x: |\n    b: 2\n",
		},
		"strip, last line": {"data:\n  x: |-\n    a: 1\n    b: 2\n  y: 1\n", "b", "data:\n  x: |-\n    a: 1\n  y: 1\n"},
		"keep":             {"data:\n  x: |+\n    a: 1\n    b: 2\n\n\n  y: 1\n", "a", "data:\n  x: |+\n    b: 2\n\n\n  y: 1\n"},
		"deep, in a list": {
			"data:\n    x: |\n          l:\n          - a: 1\n            b: 2\n          - c\n", "l/0/b",
			"data:\n    x: |\n          l:\n          - a: 1\n          - c\n",
		},
		"indicated":       {"data:\n  x: |2\n      a: 1\n      b: 2\n  y: 1\n", "a", "data:\n  x: |2\n      b: 2\n  y: 1\n"},
		"indicated, keep": {"data:\n  x: |3+\n      a: 1\n      b: 2\n\n  y: 1\n", "b", "data:\n  x: |3+\n      a: 1\n\n  y: 1\n"},
		"all of it":       {"data:\n  x: |\n    a: 1\n  y: 1\n", "a", "data:\n  x: |\n    {}\n  y: 1\n"},
		"CRLF": {
			"data:\r\n  x: |\r\n    a: 1\r\n    b: 2\r\n    c: 3\r\n  y: 1\r\n", "b",
			"data:\r\n  x: |\r\n    a: 1\r\n    c: 3\r\n  y: 1\r\n",
		},
		"byte order mark":       {"data:\n  x: \"\\uFEFFa: 1\\nb: 2\\n\"\n", "a", "data:\n  x: \"\\uFEFFb: 2\\n\"\n"},
		"byte order mark, JSON": {"data:\n  x: \"\\uFEFF{\\\"a\\\":1,\\\"b\\\":2}\"\n", "a", "data:\n  x: \"\\uFEFF{\\\"b\\\":2}\"\n"},
		"a blank line before the last": {
			"data:\n  x: |\n      a: 1\n\n      b: 2\n  y: 1\n", "b", "data:\n  x: |\n      a: 1\n\n  y: 1\n",
		},
		"a blank line before the last, strip": {
			"data:\n  x: |-\n    a: 1\n\n    b: 2\n  y: 1\n", "b", "data:\n  x: |-\n    a: 1\n\n  y: 1\n",
		},
		"a blank line before the last, quoted": {"data:\n  x: \"a: 1\\n\\nb: 2\"\n", "b", "data:\n  x: \"a: 1\"\n"},
		"a blank line that belongs to a text before the last": {
			"data:\n  x: |\n    a: |+\n      t\n\n    b: 2\n  y: 1\n", "b", "data:\n  x: |+\n    a: |+\n      t\n\n  y: 1\n",
		},
		"blanks at the end": {"data:\n  x: |\n    a: 1\n    b: 2\n     \n\n  y: 1\n", "a", "data:\n  x: |\n    b: 2\n     \n\n  y: 1\n"},
		"blanks at the end, CRLF": {
			"data:\r\n  x: |\r\n    a: 1\r\n    b: 2\r\n      \r\n  y: 1\r\n", "a",
			"data:\r\n  x: |\r\n    b: 2\r\n      \r\n  y: 1\r\n",
		},
		"pretty JSON": {
			"data:\n  x: |\n    {\n    \t\"a\": 1.50,\n    \t\"b\": 12345678901234567890123,\n    \t\"c\": \"\\u00e9\"\n    }\n  y: 1\n", "b",
			"data:\n  x: |\n    {\n    \t\"a\": 1.50,\n    \t\"c\": \"\\u00e9\"\n    }\n  y: 1\n",
		},
		"last of JSON": {
			"data:\n  x: |-\n    {\n      \"a\": 1,\n      \"b\": 2\n    }\n", "b", "data:\n  x: |-\n    {\n      \"a\": 1\n    }\n",
		},
		"compact JSON, literal": {"data:\n  x: |\n    {\"a\":1,\"b\":[1,2],\"c\":3}\n", "b/0", "data:\n  x: |\n    {\"a\":1,\"b\":[2],\"c\":3}\n"},
		"folded JSON": {
			"data:\n  x: >-\n    {\"a\": 1,\n    \"b\": 2,\n    \"c\": 3}\n  y: 1\n", "b", "data:\n  x: >-\n    {\"a\": 1,\n    \"c\": 3}\n  y: 1\n",
		},
		"folded JSON, indented": {
			"data:\n  x: >\n    {\n      \"a\": 1,\n      \"b\": 2\n    }\n  y: 1\n", "a", "data:\n  x: >\n    {\n      \"b\": 2\n    }\n  y: 1\n",
		},
		"folded YAML": {
			"data:\n  x: >\n    a: 1\n\n    b: 2\n\n    c: 3\n  y: 1\n", "b", "data:\n  x: >\n    a: 1\n\n    c: 3\n  y: 1\n",
		},
		"folded JSON, first of a line": {
			"data:\n  x: >-\n    {\"a\": 1,\n\n    \"b\": 2}\n", "a", "data:\n  x: >-\n    {\n\n    \"b\": 2}\n",
		},
		"double-quoted": {
			"data:\n  x: \"{\\\"a\\\":\\\"\\u00e9\\\",\\\"b\\\":2}\" # note\n", "b", "data:\n  x: \"{\\\"a\\\":\\\"\\u00e9\\\"}\" # note\n",
		},
		"double-quoted YAML": {"data:\n  x: \"a: 1\\nb: 2\\n\"\n", "a", "data:\n  x: \"b: 2\\n\"\n"},
		"CRLF inside":        {"data:\n  x: \"a: 1\\r\\nb: 2\\r\\nc: 3\\r\\n\"\n", "b", "data:\n  x: \"a: 1\\r\\nc: 3\\r\\n\"\n"},
		"double-quoted, folded": {
			"data:\n  x: \"{'a': 1,\n\n    'b': 2,\\\n    \\ 'c': 3}\"\n", "c", "data:\n  x: \"{'a': 1,\n\n    'b': 2}\"\n",
		},
		"single-quoted": {"data:\n  x: '{\"a\": \"it''s\", \"b\": 2}'\n", "b", "data:\n  x: '{\"a\": \"it''s\"}'\n"},
		"in flow":       {"{data: {x: '{\"a\":1,\"b\":2}', y: 1}}\n", "a", "{data: {x: '{\"b\":2}', y: 1}}\n"},
		"in JSON": {
			"{\n  \"data\": {\"x\": \"{\\n \\\"a\\\": \\\"\\ud83d\\ude00\\\\/\\\",\\n \\\"b\\\": 2\\n}\\n\", \"y\": 1}\n}\n", "b",
			"{\n  \"data\": {\"x\": \"{\\n \\\"a\\\": \\\"\\ud83d\\ude00\\\\/\\\"\\n}\\n\", \"y\": 1}\n}\n",
		},
		"anchors inside": {
			"data:\n  x: |\n    a: &a {b: 1}\n    c: *a\n    d: 2\n", "d", "data:\n  x: |\n    a: &a {b: 1}\n    c: *a\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, remove(t, test.file, 0, test.path)); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDocuments(t *testing.T) {
	const file = "data:\n  x: |\n    # first\n    ---\n    a: 1\n    b: 2\n    ...\n    # second\n    ---\n    # empty\n    --- # third\n    a: 3\n    b: 4\n    ---\n    - a: 5\n"
	for document, test := range map[int]struct{ path, without string }{
		0: {"b", "    b: 2\n"}, 1: {"a", "    a: 3\n"}, 2: {"0/a", "5"},
	} {
		want := strings.Replace(file, test.without, "", 1)
		if document == 2 {
			want = strings.Replace(file, "- a: 5", "- {}", 1)
		}
		if diff := cmp.Diff(want, remove(t, file, document, test.path)); diff != "" {
			t.Errorf("document %d: file (-want +got):\n%s", document, diff)
		}
	}
}

func TestBase64(t *testing.T) {
	text := "a: 1\nb: " + strings.Repeat("x", 100) + "\nc: 3\n"
	digits := base64.StdEncoding.EncodeToString([]byte(text))
	without := base64.StdEncoding.EncodeToString([]byte(strings.Replace(text, "a: 1\n", "", 1)))
	lines := func(digits, pad string) string {
		var b strings.Builder
		for chunk := range slices.Chunk([]byte(digits), 64) {
			b.WriteString(pad + string(chunk) + "\n")
		}
		return b.String()
	}
	const head = "apiVersion: v1\nkind: Secret\ndata:\n  x: "
	for name, pair := range map[string][2]string{
		"plain":   {head + digits + " # note\n", head + without + " # note\n"},
		"quoted":  {head + "'" + digits + "'\n", head + "'" + without + "'\n"},
		"literal": {head + "|\n" + lines(digits, "    ") + "  y: eA==\n", head + "|\n" + lines(without, "    ") + "  y: eA==\n"},
		"folded":  {head + ">-\n" + lines(digits, "    "), head + ">-\n" + lines(without, "    ")},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(pair[1], remove(t, pair[0], 0, "a")); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	bomb := "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
	for c := byte('b'); c < 'k'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 9) + "*" + string(c-1) + "]\n"
	}
	literal := func(text string) string {
		return "data:\n  x: |\n    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
	}
	const secret = "apiVersion: v1\nkind: Secret\ndata:\n  x: "
	for name, test := range map[string]struct{ file, want string }{
		"number":  {"data:\n  x: 1\n", "must be a string that holds a document, found a number"},
		"map":     {"data:\n  x: {}\n", "must be a string that holds a document, found a map"},
		"text":    {literal("# a\nhello\n"), "line 1 of the string: a document must be a map or a list, found a string; select only strings that hold documents"},
		"no YAML": {literal("a: 1\n---\nb: 2\nc: [\n"), "line 4 of the string: did not find expected node content; check the brackets"},
		"JSON with comments": {literal("{\n  \"a\": 1,\n  // b\n  \"c\": \"http://d\"\n}\n"),
			"line 4 of the string: did not find expected ',' or '}'; JSON has no comments such as // or /* */"},
		"aliases":        {literal(bomb), "line 5 of the string: aliases must not expand the document to more than 100000 nodes"},
		"deep":           {literal("a: " + strings.Repeat("[", 1001) + strings.Repeat("]", 1001)), "line 1 of the string: maps and lists must be nested at most 1000 levels deep"},
		"no base64":      {secret + "|\n    YWJj\n    YW!j\n", "line 2 of the string: it must be base64, found an invalid character or end"},
		"no UTF-8":       {secret + base64.StdEncoding.EncodeToString([]byte("a: 1\nb: \xff\n")) + "\n", "line 2 of the string: the text in the base64 must be UTF-8"},
		"key twice":      {literal("{\"a\": 1,\n\"a\": 2}\n"), `line 2 of the string: a key must be unique in its map, found "a", which is 1 line above already`},
		"control in it":  {"data:\n  x: \"a: 1\\nb: \\0\"\n", `line 2 of the string: the text must not have the character U+0000; write it as "\u0000", in double quotes`},
		"second unended": {literal("---\na: 1\n---\n\"b\n"), "line 4 of the string: found unexpected end of stream; close the quotes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := embedded.Open(parse(t, test.file), keys("data/x"), embedded.Auto)
			if err == nil || err.Error() != test.want {
				t.Errorf("got the error %v, want %s", err, test.want)
			}
		})
	}
}

// TestWithoutQuotes keeps the syntax that a reason expects, and hides what it has found.
func TestWithoutQuotes(t *testing.T) {
	for text, want := range map[string]string{
		`a: ["hunter2"`:          "line 1 of the string: did not find expected ',' or ']'",
		"- a\nb: hunter2":        "line 2 of the string: did not find expected '-' indicator; check the indentation",
		"hunter2: 1\nhunter2: 2": "line 2 of the string: a key must be unique in its map, found ***, which is 1 line above already",
		"a: *":                   `line 1 of the string: a value that begins with * or & must be in quotes, such as "*"`,
	} {
		_, err := embedded.Open(parse(t, "data:\n  x: "+strconv.Quote(text)+"\n"), keys("data/x"), embedded.YAML)
		fault, ok := errors.AsType[*embedded.Error](err)
		if !ok || fault.WithoutQuotes().Error() != want {
			t.Errorf("%q: got %v without its quotes, want %s", text, err, want)
		}
	}
}

func TestNothingInIt(t *testing.T) {
	for _, file := range []string{"data:\n  x: ''\n", "data:\n  x: |\n    # only a comment\n", "data:\n  x: |\n    ---\n    ...\n"} {
		s, err := embedded.Open(parse(t, file), keys("data/x"), embedded.Auto)
		if err != nil || len(s.Documents) != 0 {
			t.Errorf("%q has %d documents and the error %v, want none", file, len(s.Documents), err)
		}
	}
}

// TestNested edits a document in 200 documents in one another.
func TestNested(t *testing.T) {
	text := "k: 1\nl: 2\n"
	for range 200 {
		text = "s: |\n  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\nt: 1 # end\n"
	}
	o := parse(t, text)
	outer, at := o, keys("s")
	var opened []*embedded.String
	for range 200 {
		s, err := embedded.Open(outer, at, embedded.Auto)
		if err != nil {
			t.Fatal(err)
		}
		opened = append(opened, s)
		outer = s.Documents[0].Object
	}
	outer.Remove([]location.Location{keys("k")})
	for _, s := range slices.Backward(opened) {
		if err := s.Write(at); err != nil {
			t.Fatal(err)
		}
	}
	out, err := o.Text()
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(text, strings.Repeat(" ", 400)+"k: 1\n", "", 1); string(out) != want {
		t.Errorf("one line must go")
	}
}
