package jsonpath

import (
	"strings"
	"testing"
)

func TestJSONPathSyntax(t *testing.T) {
	for _, test := range []struct{ expression, want string }{
		{``, `: must name a field, as in .spec.replicas, found nothing`},
		{" \n", `: must name a field, as in .spec.replicas, found nothing`},

		{`spec.paused`, ` (line 1, column 1): must start with ".", found "spec"; write .spec.paused`},
		{`some text`, ` (line 1, column 1): must start with ".", found "some"; write a path such as .spec.replicas`},
		{`{spec.replicas}`, ` (line 1, column 2): must start with ".", found "spec"; write .spec.replicas`},
		{`/spec/replicas`, ` (line 1, column 1): must start with ".", found "/"`},

		{`{range .items[*]}{.name}{end}`,
			` (line 1, column 2): "range" repeats text and selects no field; write [*] for each element of a list`},
		{`{end}`, ` (line 1, column 2): "end" repeats text and selects no field; write [*] for each element of a list`},
		{`length(.items)`,
			` (line 1, column 1): "length(.items)" selects no field; only jq has pipes and functions`},
		{`.items.length()`, ` (line 1, column 7): functions select no field, found "length()"`},
		{`.(.items)`, ` (line 1, column 1): functions select no field, found "("`},
		{`..length()`, ` (line 1, column 1): functions select no field, found "length()"`},
		{`.spec | .replicas`,
			` (line 1, column 7): "| .replicas" selects no field; only jq has pipes and functions`},
		{`.spec.containers[].image`, ` (line 1, column 17): [] must name an element; write [*] for each element`},
		{`.a['b',]`, ` (line 1, column 3): ['b',] must name an element; write [*] for each element`},
		{`name: {.metadata.name}`,
			` (line 1, column 1): must be one path, found text or a second block at "name: {.metadata.name}"`},
		{`.a{.b}`, ` (line 1, column 3): must be one path, found text or a second block at "{.b}"`},
		{`.a}`, ` (line 1, column 3): must be one path, found text or a second block at "}"`},
		{`{"text"}`, ` (line 1, column 2): must be one path, found text or a second block at "\"text\"}"`},
		{`{.a}{.b}`,
			` (line 1, column 5): must be one path, found "{.b}" after it; write each path as an expression of its own`},
		{`{.a} text`,
			` (line 1, column 5): must be one path, found "text" after it; write each path as an expression of its own`},
		{`.a.b 5`, ` (line 1, column 6): must be a path, found "5"`},
		{`.a true`, ` (line 1, column 4): must be a path, found "true"`},

		{`{.a`, ` (line 1, column 4): { must be closed by }`},
		{`.a[0`, ` (line 1, column 3): [ must be closed by ]`},
		{".a['b\n']", ` (line 1, column 3): [ must be closed by ]`},
		{`.a[?(@.b`, ` (line 1, column 3): [?( must be closed by )]`},
		{`.a[?(@.b=="c)]`, ` (line 1, column 3): [?( must be closed by )]`},
		{`.a[?(@.b)`, ` (line 1, column 3): [?( must be closed by )]`},
		{".a[?(@.b==\n1)]", ` (line 1, column 3): [?( must be closed by )]`},
		{`.a\`, ` (line 1, column 1): a backslash must be followed by the character that it escapes`},

		{`.a.`, ` (line 1, column 3): "." must be followed by a name; leave the dot out`},
		{`.a.['b']`, ` (line 1, column 3): "." must be followed by a name; leave the dot out`},
		{`.$ref`, ` (line 1, column 1): "." must be followed by a name; write .\$ref`},
		{`....`, ` (line 1, column 3): ".." must be followed by a name, an index or a filter, found ".."`},
		{`..*`, ` (line 1, column 3): "*" must follow its own dot or be in brackets; ` +
			`write .* or [*], and ...* at any depth`},
		{`."a.b"`, ` (line 1, column 1): a name after a dot must not be in quotes, found "a; ` +
			`escape its dots instead, as in .prometheus\.io/port`},
		{".a\n  .b", ` (line 1, column 3): must be a path, found "\n  .b"`},

		{`.a["b"]`, ` (line 1, column 3): invalid array index "b"; ` + bracketFix},
		{`.a[b]`, ` (line 1, column 3): invalid array index b; ` + bracketFix},
		{`.a[0:2:0]`, ` (line 1, column 3): the step of the slice [0:2:0] must be at least 1, found 0`},
		{`.a[0, 0:2:-1]`, ` (line 1, column 3): the step of the slice [0, 0:2:-1] must be at least 1, found -1`},
		{`['a b']`, ` (line 1, column 1): ['a b'] must be a name in single quotes, an index or a slice; ` + bracketFix},
		{`['a}b']`, ` (line 1, column 1): "}" in a name must be escaped with a backslash`},
		{`.l[0, ?(@.a)]`,
			` (line 1, column 3): [0, ?(@.a)] must be a name in single quotes, an index or a slice; ` + bracketFix},

		{`.l[?@.a=="b"]`, ` (line 1, column 3): invalid array index ?@.a=="b"; ` + bracketFix},
		{`.l[?()]`, ` (line 1, column 3): a filter must have a condition, as in [?(@.name=="web")]`},
		{`.l[?(@.a="b")]`,
			` (line 1, column 3): a filter must compare with ==, !=, <, <=, > or >=, found "="`},
		{`.l[?(@.a<>1)]`,
			` (line 1, column 3): a filter must compare with ==, !=, <, <=, > or >=, found "<>"`},
		{`.l[?(@.a==)]`, ` (line 1, column 3): a comparison must have something on both sides, found @.a==`},
		{`.l[?(=="b")]`, ` (line 1, column 3): a comparison must have something on both sides, found =="b"`},
		{`.l[?(@.a==b)]`, ` (line 1, column 3): "b" in a filter must be a path from @, a string in quotes, ` +
			`a number, true or false; write "b" or @.b`},
		{`.l[?(@.a=="b" && @.c=="d")]`, ` (line 1, column 3): unrecognized character in action: U+0026 '&'; ` +
			`Kubernetes JSONPath has no && and ||; write a jq expression under jqPathExpressions`},
		{`.l[?(@.a==@.b==@.c)]`, ` (line 1, column 3): a filter must have one comparison, ` +
			`found a second at ==@.c; ` +
			`Kubernetes JSONPath has no && and ||; write a jq expression under jqPathExpressions`},
		{`.l[?(@.a=="b"}c")]`, ` (line 1, column 3): a filter must compare with one value, found "b"}c"; ` +
			`Kubernetes JSONPath has no && and ||; write a jq expression under jqPathExpressions`},
		{`.l[?(@.a}b=="c")]`, ` (line 1, column 3): "}" in a name must be escaped with a backslash`},
		{`.l[?(@.a=="b"@.c)]`, ` (line 1, column 3): a filter must compare with one value, found "b"@.c; ` +
			`Kubernetes JSONPath has no && and ||; write a jq expression under jqPathExpressions`},
		{`.l[?(@.a==1@.c)]`, ` (line 1, column 3): "1@.c" in a filter must be one path or one value`},
		{`.l[?(@.a==1.2.3)]`, ` (line 1, column 3): cannot parse number 1.2.3`},
		{`.l[?(@.=="b")]`, ` (line 1, column 3): "." must be followed by a name`},
		{`.l[?(@.a[]=="b")]`, ` (line 1, column 3): [] must name an element; write [0] for the first`},
		{`.l[?(@.m[?(@.a==1)])]`,
			` (line 1, column 3): a filter must not hold a filter; write a jq expression under jqPathExpressions`},
		{`.l[?(@.a=='\.')]`, ` (line 1, column 3): unquote string '\.' error invalid syntax`},

		{strings.Repeat(".a", 201), ` (line 1, column 401): must be at most 200 levels deep`},
		{"['" + strings.Repeat(".a", 201)[1:] + "']", ` (line 1, column 1): must be at most 200 levels deep`},
	} {
		_, err := Parse(test.expression)
		want := "invalid JSONPath '" + test.expression + "'" + test.want
		if err == nil || err.Error() != want {
			t.Errorf("%.60q: got error\n%v\nwant\n%s", test.expression, err, want)
		}
	}
}

func TestJSONPathLength(t *testing.T) {
	longest := "." + strings.Repeat("a", 64<<10-1)
	if _, err := Parse(longest); err != nil {
		t.Errorf("%d bytes: %v", len(longest), err)
	}
	_, err := Parse(longest + "a")
	want := `invalid JSONPath '.` + strings.Repeat("a", 59) + `…': must be at most 65536 bytes long, found 65537`
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
	if _, err := Parse(strings.Repeat(".a", 200)); err != nil {
		t.Errorf("200 levels: %v", err)
	}
}
