package tree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// manifests returns the texts of testdata/manifests, by file name.
func manifests(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/manifests/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata/manifests must have files: %v", err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(text)
	}
	return texts
}

func TestReadManifests(t *testing.T) {
	for name, text := range manifests(t) {
		t.Run(name, func(t *testing.T) {
			if checkBlock(t, text) {
				return
			}
			_, line := read(text, &slab{}, maxNodes(len(text)))
			t.Fatalf("read must take a manifest as tools write it, gave up at line %d", line)
		})
	}
}

// blockTexts are what read takes.
var blockTexts = []string{
	// maps and lists
	"a: b\n", "a: b", "a:\n  b: c\n  d: e\nf: g\n", "a:\n     b: c\n", "  a: b\n  c: d\n",
	"- a\n- b\n", "  - a\n  - b\n", "-\n- a\n", "- a: b\n  c: d\n", "-   a: b\n    c: d\n", "-\n  a: b\n",
	"- - a\n  - b\n- - - c\n", "-   - a\n    - b\n", "-\n  - a\n",
	"a:\n- b\n- c\nd: e\n", "a:\n  - b\n  - c\nd: e\n", "- a:\n  - b\n  c:\n    - d\n", "- a:\n- b\n",
	"a:\n- b:\n  - c:\n    - d\n", "a:\n-\n- b\nc:\n-\n",
	"a: b\n\n\nc: d\n   \ne: f\n   ",
	// values that are left out
	"a:\n", "a:", "a:\nb: c\n", "- a:\n  b:\n- c:\n", "-\n-\n", "-",
	// comments
	"# a\na: b # c\n# d\nc: # e\n  d: f\n", "- # a\n  b: c\n", "- a # b\n  # c\n- d\n", "a:\n# b\n  - c\n# d",
	"a: b#c\n", "a: b\n      # deep\nc: d\n", "a: #\n", "\n\n# a\n\n# b\n\na: b\n", "a: \"b\" # c\nd: 'e' # f\n",
	"a: [b] # c\n",
	// plain scalars
	"a: b c  d\n", "a: b:c\n", "a: -b\n", "a: --b=c\n", "a: b-\n", "a: http://b:80/?c=d&e#f\n", "a: ~\n",
	"a b: c\n", "a-b: c\n",
	"a: b   \n", "a: b]\n", "a: b, c}\n", "a: b?\n", "a: $b\n", "a: (b)\n", "a: =\n", "a: b\"c\"\n",
	"- -1\n- --a\n- -a b\n",
	"a: ...\n", "- ---\n", "a#b: c\n", "<: b\n", "a: b<<\n",
	// types
	"- 1\n- 0\n- 01\n- 08\n- -1\n- +1\n- 1_000\n- 0x1F\n- 0o17\n- 0b11\n- -0b11\n- 0b2\n- 0xg\n",
	"- 123456789012345678\n- 1234567890123456789\n- 9223372036854775808\n- 18446744073709551616\n- 00\n",
	"- 1.5\n- .5\n- 5.\n- 1e3\n- 1e+3\n- -1.5E-3\n- 1e400\n- .e5\n- 1.2.3\n- 1_0.5\n- ._5\n- .5_0\n- +.5\n- -.5\n",
	"- .inf\n- -.INF\n- +.Inf\n- .nan\n- .NaN\n- .Nan\n- inf\n- nan\n- .\n- ..\n- +\n- .a\n- -.b\n",
	"- true\n- True\n- TRUE\n- tRUE\n- false\n- False\n- yes\n- no\n- on\n- off\n- y\n- n\n",
	"- null\n- Null\n- NULL\n- nULL\n- ~\n- ~a\n",
	"- 2024-01-02\n- 2024-1-2\n- 2024-01-02T03:04:05Z\n- 2024-01-02 03:04:05\n",
	"- 2024-13-02\n- 2024-01-02t03:04:05.5+01:00\n- 2024-01-02 03:04:05,5\n- 12:30\n",
	"1: a\ntrue: b\n~: c\n1.5: d\n",
	"- 10.0.0.1\n- 1Gi\n- 500m\n- 1.27-alpine\n- 0.27\n- 1d\n- 1f\n- 0x\n- 1e\n- 1__2\n- 1_\n",
	// quoted scalars
	`a: ""`, `a: ''`, `a: "b c"`, `a: 'b c'`, `"a": b`, `'a': b`, `"a b:": "c: d # e"`, `a: 'b''c'`, `a: ''''`,
	`a: "'"`, `a: '"'`,
	`a: "\0\a\b\t\n\v\f\r\e\ \"\\\N\_\L\P\'\x41\u00e9\U0001F600"`, "a: \"\\\t\"", "a: \" b \"", "a: ' b '",
	"a: \"b\tc\"",
	`a: "\x00\xff"`, `- "a": b`, `- 'a': 'b'`, `a: "é\u00e9é"`, `a: "5"`, `a: 'null'`, `"": ""`,
	// block scalars
	"a: |\n  b\n  c\n", "a: |\n\n\n  b\n\n  c\n\n\nd: e\n", "a: |-\n  b\n\n", "a: |+\n  b\n\n\nc: d\n",
	"a: |+\n\n\n", "a: |\n\n", "a: |\n",
	"a: |\nb: c\n", "a: |2\n    b\n   c\n", "a: |1-\n  b\n", "a: |-1\n  b\n", "a: |+9\n           b\n",
	"a: | # c\n  b\n", "- |\n b\n- c\n",
	"- a: |\n    b\n  c: d\n", "a:\n- |\n  b\n- c\n", "a: |\n  # b\n # c\nd: e\n", "a: |\n  b\n    c\n   \n  d\n",
	"a: |\n  b\n  \tc\n   \t\n",
	"a: |\n  b   \n  c\t\n", "a: |\n      \nb: c\n", "a: |\n  b\n  ", "a: |\n  é\nb: c\n", "a: |\n  - b\n  c: d\n",
	"a: |\n  b\n\n# c\n\nd: e\n",
	"a: >\n  b\n  c\n", "a: >\n  b\n\n  c\n\n\n  d\n", "a: >\n  b\n    c\n  d\n", "a: >\n  b\n\n    c\n\n  d\n",
	"a: >-\n\n  b\n  c\n\n",
	"a: >+\n  b\n\n", "a: >\n    b\n\n\n      c\n     d\n    e\n", "a: >\n  b\n  \tc\n  d\n",
	"a: >2-\n    b\n   c\n  d\n", "a: >\n  b \n  c\n",
	// flow collections
	"a: {}", "a: []", "a: { }", "a: [ ]", "a: {b: c}", "a: { b: c , d: e }", "a: [b, c]", "a: [ b , c ]",
	"a: [[], {}, [[b]]]",
	`a: {"b":"c", 'd': 'e', "f":1,"g":[true,null]}`, "a: [b:c, -1, -d]", "a: [b c, d  e ]", "a: [http://b:80/c]",
	"- {a: b}", "- [a]",
	"a: {b: {c: [d, {e: f}]}}", "a: [a#b]", "a: ['b', \"c\"]", "a: [1, 1.5, true, ~, 2024-01-02]", "é: {è: [à, ù]}",
	"a: {b c: d}",
	"a: [b,\n  c]\n", "a: [\n  b\n]\nc: d\n", "a: {b: c,\n  d: e}\n", "a: {\n  \"b\": 1,\n  \"c\": [\n    d\n\n  ],\n}\n",
	"- {\n    \"a\":\n      \"b\"\n  }\n- [\n  ]\n- {\n}\n", "a: [b, ]\n", "a: [b,\n]\n", "a: {b: c,}\n", "a: [\nb\n]\n", "a:\n  [b,\n   c]\nd: e\n",
	"a: [\n  'b\n   c'\n]\n", "a:\n  {b: c}\n",
	// anchors, aliases, merge keys
	"a: &b c\n", "a: &b c\nd: *b\n", "a: &b\n  c: d\ne: *b\nf: *b # g\n", "a: &b\n- c\nd: *b\n", "a: &b # c\n  - d\ne: [*b, *b]\n",
	"- &a b\n- *a\n- &a c\n- *a\n", "- &a\n  b: c\n- &d\n  - e\n- [*a,*d ]\n", "a: &b [c, &d {e: f}]\ng: *d\nh: {i: *b}\n",
	"a: &b |\n  c\nd: *b\n", "a: &b 'c'\nd: &e \"f\"\n", "a: &b c\n  d\ne:\n  *b\n", "a: &b\n  c\n", "a:\n  &b c\n",
	"a: &b {c: d}\ne:\n  <<: *b\n  f: g\n", "a: &b {c: d}\ne: {<<: *b, f: g}\n", "<<: {a: b}\n", "<<: [{a: b}, {c: d}]\n",
	"a: &b-_1 c\nd: &0 e\nf: [*b-_1, *0]\n", "a: <<\n", "a: [<<]\n", "- <<\n", "\"<<\": a\n", "é: &a b\nü: *a\n", "a: &b 1\nc: &d ~\n",
	"a:\n  &b\n  c: d\ne: *b\n", "a: [&b c]\n",
	"a: &b c\n*b : d\n",
	// several lines
	"a: b\n  c\n", "a:\n  b\n", "- a\n  b\n", "-\n  a\n", "a: b\n\n\n  c\n   d\n  # e\nf: g\n", "a: b\n  - c\n  ? d\n  [e\n  &f *g\n",
	"a:\n    b\n  c\nd: e\n", "- b\n\n  c # d\n", "a: 1\n  2\n", "a: 2024-01-02\n  03:04:05\n", "a: <<\n  b\n",
	"a: b   \n   \n  c   \n", "é: ü\n  ä\n", "a:\n- b\n  c\n- d\n", "a:\n- b\n c\n",
	"a: \"b\n  c\"\n", "a: 'b\n  c'\n", "a: \"b\\\n  c\"\n", "a: \"b \\\n  \\ c\"\n", "a: \"b\n\n\n  c\"\nd: e\n",
	"a: \"b  \n  \\tc\\\\\n \"\n", "a: \"b\\\n\n  c\\\n\n\n  d\"\ne: f\n", "a: 'b''\n  ''c\n\n  d'\ne: f\n", "- 'a\n  # b\n  c'\n- d\n",
	"a: '\n  b\n  '\n", "a: \"\n\n  \"\n", "a: 'b\t\n  c'\n", "a: \"b\\n\n  c\"\n", "a:\n  'b\n  c'\n", "é: 'ü\n  ä' # b\n",
	"a:\n  |\n  b\n", "a:\n  >\n   b\nc: d\n",
	// characters beyond ASCII
	"é: à\n", "- é: à\n  ü: [ö, {ä: ß}]\n",
	"a: 日本語 # 語\n", "a: \u00a0b\n", "a: \ufffd\n", "a: \U0001F600 b\n",
	// blanks, tabs, and scalars that begin with an indicator
	"a : b\n", "\"a\" : b\n'c'  : d\n", "a\t: b\n", "a:\tb\n", "a: b\t\n", "a:\t\n  b: c\t\n", "a: b\t# c\n", "a: b\tc\n", "a: \t# b\n", "a: b \t # c\nd: |\t# e\n  f\n",
	"a: b\n  c\td\n", "a: b\t\n  c\t\n  d\n", "a: 'b\n\t  c'\n", "a: 'b\n\t\n  c'\n", "a: [b,\n\tc]\n", "a: [b\tc]\n", "a: {b : c}\n", "a: {\"b\" : c}\n", "a: &b\tc\n", "---\t# a\nb: c\n",
	"?a: b\n", ":a: b\n", "a: ?b\n", "a: :b\n", "a: :5000\n", "- ::1\n- ?*\n- -c\n", "a: [-]\n", "a: [b:]\n", "a: [b:,c]\n", "a: [b, c::]\n",
	// question marks
	"? a\n: b\n", "? a\n:\n  b: c\nd: e\n", "? a # b: c\n: - d\n  - e\n? f\n: g: h\n  i: j\n", "- ? 'a'\n  : b\n", "a: &b c\n? *b\n: d\n", "a:\n  ? b\n  : c\n  d: e\n",
	// flow collections: pairs, keys alone, scalars on several lines
	"a: [b: c]\n", "a: [b: c, e:\n  f, \"g\":h, i: [j: k]]\n", "a: [\"b\": c]\n", "a: {b}\n", "a: {b: }\n", "a: {b:c}\n", "a: {b, c: , d\n}\n", "a: {b: # c\n  }\n",
	"a: [b\n  c]\n", "a: [b\n\n  c  \n  d , e\n  # f\n]\n", "a: {b: c\n  d, e: 1\n 2}\n", "a: [b: c\n d]\n", "[a\nb]\n",
	// markers, roots, tags, comments in flow collections, text at the left margin
	"a\n", "\"a\"\n", "[a]\n", "{a: b}\n", "|\n  a\n", "---\na: b\n", "a: b\n...\n", "a: !!str b\n", "a: !b c\n", "a: &b !!str c\n",
	"a: !!str &b c\n", "&a\nb: c\n", "a: \"b\nc\"\n", "a: 'b\nc'\n", "- a: 'b\n  c'\n", "a: [b, # c\n  d]\n", "a: [ # b\n  c]\n",
	"a: [\n'b\nc']\n", "a\n- b\n", "a: |\n  b\n   ", "a:b\n", "a: \"b\\n\n\"\n", "a: |\n  b\n---\n", "a: |\n  b\n...\n", "a: |\n  b",
	"---a: b\n", "...: a\n", "\ufeffa: b\n",
}

// otherTexts are what read leaves to yaml.v3.
var otherTexts = []string{
	"", "\n", "# a\n",
	"a: b\n---\nc: d\n", "%YAML 1.1\n---\na: b\n",
	// complex keys
	"? a\n", "a:\n  ? ", "? a\n? b\n: c\n", "? a\n: b\nc\n", "? |\n  a\n: b\n", "a: ? b\n  : c\n", "?  a\n: b\n", "?\ta\n: b\n", "? a: b\n: c\n", "? a\n:\n- b\n",
	"- \ta\n", "a: [b: ]\n", "a: [b:\n, c]\n", "a: [? b : c]\n", "a: [::1]\n", "a: [&b c: d]\n", "a: [b\n: c]\n", "a: [*b : c]\n", "? a\n: b: c: d\n",
	"[a]: b\n", "{a: b}: c\n", "- [a]: b\n",
	": a\n", "- : a\n",
	// anchors, aliases, merge keys
	"a: *b\n", "a: [*b]\n", "a: {<<: b}\n", "<<: b\n", "<<: [{a: b}, c]\n", "<<: {a: b}\n<<: {c: d}\n", "<<: {a: b}\n\"<<\": {c: d}\n",
	"&a b: c\n", "- &a b: c\n", "- &a - b\n", "a: [&b c: d]\n", "a: {&b c: d}\n", "a: &b c\nd: {*b : e}\n",
	"a: &b\n", "a: &b\nc: d\n", "- &a\n- b\n", "a: &b &c d\n", "a: &b c\nd: &e *b\n",
	"a: &b [*b]\n", "a: &b\n  c: *b\n", "a: &b c\nd: &b [*b]\n", "a: &b: c\n", "a: &b.c d\n", "a: &é b\n", "a: & b\n", "a: * b\n", "a: &b c\nd: *b: e\n",
	"a: &b c\nd: *b\n  e\n", "a: &b c\nd: *b e\n", "a: [&b ]\n", "a: [&b\n c]\n", "a:\n  &b\n- c\n",
	"a: &b c\nd: *b,\n", "a: &b,c d\n",
	bomb("[x]", "[", "]", 5),
	// several lines
	"a: b\n  # c\n  d\n", "a: b # c\n  d\n", "a: b\n  c: d\n", "a:\n  b\n  c: d\n", "a\n  b: c\n", "\"a\n  b\": c\n", "a: b\n  c :d\n  : e\n",
	"a: \"b\n  c\" d\n", "a: \"b\n  c\": d\n",
	"a: {b\n  : c}\n", "a: {\"b\n  c\": d}\n", "a: [\n---\n]\n", "a: [\n--- b\n]\n",
	"a: [b\n", "a: {b: c\n", "a: 'b\n  c\n", "a: \"b\n  c\\q\"\n", "a: [b,\n\n", "a: \"b\\\n", "a: [\n  b,,\n]\n",
	// errors
	"a: b: c\n", "a: - b\n", "a: b\n- c\n", "- a\nb: c\n", "a:\n    b: c\n  d: e\n", "a: b\n c: d\n", "a: 'b\n",
	"a: \"b\n", "a: [b\n", "a: {b\n", "a: [b}\n",
	"a: {b: c]\n", "a: \"b\" c\n", "a: [b] c\n", "a: \"\\q\"\n", "a: \"\\/\"\n", "a: \"\\x4\"\n",
	"a: \"\\ud800\"\n", "a: \"\\U00110000\"\n", "a: @b\n", "a: `b\n", "a: %b\n",
	"a: ,\n", "a: ]\n", "a: }\n", "a: |0\n  b\n", "a: |12\n  b\n", "a: |a\n  b\n", "a: |#b\n  c\n",
	"a: |\n    b\n  c\n", "a: |\n     \n  b\n", "a: b\n\tc: d\n",
	"a: |\n  \tb\n", "a: |\n \tb\n", "a: |\n\tb\n", "a: |2\n \tb\n", "a: \"b\"c\n",
	"a: 'b'c\n", "- a: b\n - c\n", "  a: b\nc: d\n", "a: |--\n  b\n", "a: |1+1\n  b\n", "a: \"b\":c\n",
	"a: 'b", "a: \"b", "a: \"b\\", "a: \"\\n", "a: \"\\x4", "a: \"\\u", "a: [", "a: [b", "a: [b,", "a: {", "a: {b",
	"a: {b:", "a: {b: ",
	"a: {\"b\":", "- \t\n", "a: # b\n\tc\n", "- # a\n\tb\n",
	"- a\n--- b\n",
	// the same key twice
	"a: b\na: c\n", "a: {b: c, b: d}\n", "\"a\": b\na: c\n", "- a: b\n  c: d\n  a: e\n",
	// doubtful things
	"-\ta\n", "- \ta\n", "\ta: b\n",
	"a: b\n\t\nc: d\n", "a: \"b\"# c\n", "a: [b]# c\n",
	"a: [,]\n", "a: [b,,c]\n", "a: [b?c]\n",
	"a: [- b]\n",
	"a: [b #c]\n", "a: {[b]: c}\n",
	"a: |", "a: >", "a: [b[c]]\n", "a: {b: c: d}\n",
	"--- a: b\n", "- ? a\n", "a: b\r\nc: d\r\n", "a: b\rc: d\r",
	"a: \ufeff\n", "a: \x00\n", "a: \x01\n", "a: \x7f\n", "a: \u0080\n",
	"a: \u0085\n", "a: \u2028b\n", "a: \u2029b\n", "a: \ufffe\n", "a: \uffff\n", "a: \xff\n", "a: \xed\xa0\x80\n",
	"a: \xc0\x80\n", "a: é\xe9\n",
	strings.Repeat("a", maxKeyLength+1) + ": b\n",
	"a: {" + strings.Repeat("a", maxKeyLength+1) + ": b}\n",
	"a: " + strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth) + "\n",
	strings.Repeat("- ", MaxDepth+1) + "a\n",
}

func TestReadTakes(t *testing.T) {
	for _, text := range blockTexts {
		if !checkBlock(t, text) {
			t.Errorf("read must take %q", text)
		}
	}
}

func TestReadLeaves(t *testing.T) {
	for _, text := range otherTexts {
		if checkBlock(t, text) {
			t.Errorf("read must leave %q to yaml.v3", text)
		}
	}
}
