package cel

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func parseValue(t *testing.T, text string) *tree.Node {
	t.Helper()
	n, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func format(t *testing.T, n *tree.Node) string {
	t.Helper()
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(tree.ToLibrary(n)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestValueEval(t *testing.T) {
	e, variables := sample(t)
	for _, test := range []struct{ name, value, want string }{
		{"a scalar", `0x1F`, "0x1F\n"},
		{"a string", `"${port.number}"`, "8080\n"},
		{"a string that looks like a number", `"${string(port.number)}"`, "\"8080\"\n"},
		{"a literal", "a: 'yes' # why\nb: [0644, 1e3, ~]\n", "a: 'yes'\nb: [0644, 1e3, ~]\n"},
		{
			"types", `
name: ${port.name}
port: ${port.number} # the port
text: port ${port.number}
none: ${null}
"on": ${port.number > 80}
`, `name: http
port: 8080
text: port 8080
none: null
"on": true
`,
		},
		{
			"no comments, but the style", `
# head
- {name: "${port.name}", containerPort: "${port.number}"} # line
- 'kept'
# foot
`, `- {name: http, containerPort: 8080}
- 'kept'
`,
		},
		{
			"maps and lists", "labels: ${resource.metadata.labels}\nports: ${parameters.ports}\n",
			"labels:\n  a: \"2\"\n  m: \"3\"\n  z: \"1\"\nports:\n  - 80\n  - 443\n",
		},
		{
			"keys", "${port.name}: 1\n${port.name}-${port.number}: 2\n8080: kept\n$${a}: 3\n",
			"http: 1\nhttp-8080: 2\n8080: kept\n${a}: 3\n",
		},
		{"an escape", `["$${a}", '$${b} ${port.name}']`, "['${a}', '${b} http']\n"},
		{
			"aliases and merge keys", "a: &a {x: \"${port.number}\", k: &k 1}\nb: *a\nc: {<<: *a, z: *k}\n",
			"a: {x: 8080, k: 1}\nb: {x: 8080, k: 1}\nc: {z: 1, x: 8080, k: 1}\n",
		},
		{"a block scalar", "a: |\n  x ${port.name}\n  y\n", "a: |\n  x http\n  y\n"},
		{"empty", "a: {}\nb: []\nc: ''\nd:\n", "a: {}\nb: []\nc: ''\nd:\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			value, faults := e.CompileValue(parseValue(t, test.value), nil)
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			for range 2 {
				n, err := value.Eval(variables)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, format(t, n)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// TestValueEvalGivesItsOwnNodes shows that what one evaluation yields can be changed without harm
// to the next.
func TestValueEvalGivesItsOwnNodes(t *testing.T) {
	e, variables := sample(t)
	value, faults := e.CompileValue(parseValue(t, "a: [1]\nb: ${port.name}\n"), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	first, err := value.Eval(variables)
	if err != nil {
		t.Fatal(err)
	}
	first.Content[1].Content[0].SetText("2")
	first.Content[0].SetText("changed")
	second, err := value.Eval(variables)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("a: [1]\nb: http\n", format(t, second)); diff != "" {
		t.Error(diff)
	}
}

func TestCompileValueFaults(t *testing.T) {
	e, _ := sample(t)
	_, faults := e.CompileValue(parseValue(t, `
a: ["${", fine, "${nme}"]
b: {"${1}": "${port.}", "x${port": 1}
`), nil)
	var got [][2]string
	for _, f := range faults {
		got = append(got, [2]string{f.At.String(), f.Err.Error()})
	}
	want := [][2]string{
		{"a[0]", "invalid CEL expression '${' (line 1, column 1): ${ must be closed by }; write $${ " +
			"for a literal ${"},
		{"a[2]", "invalid CEL expression 'nme' (line 1, column 1): undeclared reference to 'nme'; " +
			"the variables here are: parameters, port, resource; write $${ for a literal ${"},
		{"b.${1}", "invalid CEL expression '1': a key must be a string, found an expression of the type int"},
		{"b.${1}", "invalid CEL expression 'port.' (line 1, column 6): Syntax error: no viable " +
			"alternative at input '.'"},
		{"b.x${port", "invalid CEL expression 'x${port' (line 1, column 2): ${ must be closed by }; " +
			"write $${ for a literal ${"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestValueEvalErrors(t *testing.T) {
	e, variables := sample(t)
	for text, want := range map[string]string{
		"a: [{b: '${port.missing}'}]": "CEL expression runtime error in 'port.missing': no such key: missing",
		"${port.missing}: 1":          "CEL expression runtime error in 'port.missing': no such key: missing",
		"${port.number}: 1": "CEL expression runtime error in '${port.number}': a key must be a string, " +
			"found a number",
		"http: 1\n${port.name}: 2": `CEL expression runtime error in '${port.name}': a map must have each key ` +
			`once, found "http" twice`,
		"${port.name}: 1\nhttp: 2": `CEL expression runtime error in 'http': a map must have each key once, ` +
			`found "http" twice`,
	} {
		value, faults := e.CompileValue(parseValue(t, text), nil)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		if _, err := value.Eval(variables); err == nil || err.Error() != want {
			t.Errorf("%s: got the error %v, want %s", text, err, want)
		}
	}
}
