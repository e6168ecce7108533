package applyoperations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
)

// Operations that remove the ConfigMaps a, b and c.
const (
	jsonA = `{"operation": "Delete", "kind": "ConfigMap", "name": "a"}`
	jsonB = `{"operation": "Delete", "kind": "ConfigMap", "name": "b"}`
	jsonC = "{\n\"operation\": \"Delete\",\n\n\"kind\": \"ConfigMap\", \"name\": \"c\"\n}"
	yamlA = "operation: Delete\nkind: ConfigMap\nname: a\n"
	yamlB = "operation: Delete\nkind: ConfigMap\nname: b\n"
	flowC = "{operation: Delete, kind: ConfigMap, name: c}"
)

func TestStream(t *testing.T) {
	const a, b, c = "info: operationsJSON[0]: deleted\n", "info: operationsJSON[1]: deleted\n", "info: operationsJSON[2]: deleted\n"
	const fault = ": must be an operation in JSON or YAML: "
	tests := []struct {
		name, stream, want string
	}{
		{name: "nothing", stream: "", want: ""},
		{name: "nothing but comments and markers", stream: "# x\n---\n\n---\n...\n", want: ""},
		{name: "one JSON value", stream: jsonA, want: a},
		{name: "JSON values", stream: jsonA + jsonB + " " + jsonC, want: a + b + c},
		{name: "JSON values on lines", stream: jsonA + "\n" + jsonB + "\n\n" + jsonC + "\n", want: a + b + c},
		{name: "YAML documents", stream: "---\n" + yamlA + "--- # two\n" + yamlB + "...\n---\n" + flowC, want: a + b + c},
		{name: "a directive", stream: "%YAML 1.2\n---\n" + yamlA, want: a},
		{name: "a document on the line of its marker", stream: "--- " + jsonA + "\n---\t" + jsonB + "\n", want: a + b},
		{
			name: "Windows line breaks", stream: "---\r\noperation: Delete\r\nkind: ConfigMap\r\nname: a\r\n---\r\n" + jsonB + "\r\n",
			want: a + b,
		},
		{name: "both", stream: jsonA + "\n---\n" + yamlB + "---\n" + jsonC + "\n", want: a + b + c},
		{name: "a byte order mark", stream: "\uFEFF" + jsonA + "\n" + jsonB, want: a + b},
		{name: "flow YAML that is no JSON", stream: "{operation: Delete, # x\nkind: ConfigMap, name: a}\n", want: a},
		{name: "lists", stream: "[" + jsonA + "]\n[]\n---\n- " + jsonB + "\n- " + flowC + "\n", want: a + b + c},
		{name: "null", stream: "null\n---\n" + yamlA + "---\n~\n", want: a},
		{
			name: "a marker within a text", stream: yamlA + "jqFilter: |\n  ---\n  x\n---\n" + yamlB,
			want: "error: operationsJSON[0].jqFilter: must not be set for Delete\n",
		},
		{
			name: "what is no map", stream: "text\n---\n[1, [2]]\n",
			want: "error: operationsJSON[0]: must be an operation (a map), found a string\n" +
				"error: operationsJSON[1]: must be an operation (a map), found a number\n" +
				"error: operationsJSON[2]: must be an operation (a map), found a list\n",
		},
		{
			name: "a fault in a JSON value", stream: jsonA + "\n{\"operation\": \"Delete\",\n}\n---\n" + yamlB,
			want: "error: operationsJSON[1]" + fault + "line 3: invalid character '}' looking for beginning of object key string\n",
		},
		{
			name: "a key twice", stream: jsonA + "\n\n{\"name\": \"b\",\n\"name\": \"c\"}\n",
			want: "error: operationsJSON[1]" + fault + "line 4: the key \"name\" is twice in one object\n",
		},
		{
			name: "a JSON value that ends early", stream: jsonA + "\n{\"name\": \"b\"\n",
			want: "error: operationsJSON[1]" + fault + "line 2: unexpected end of the JSON text\n",
		},
		{
			name: "faults in YAML documents", stream: yamlA + "---\nname: [\n---\nname: \"\n",
			want: "error: operationsJSON[1]" + fault + "line 5: did not find expected node content; check the brackets\n" +
				"error: operationsJSON[2]" + fault + "line 7: found unexpected end of stream; close the quotes\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list := items(t, configMap("a")+"---\n"+configMap("b")+"---\n"+configMap("c"))
			_, results := applyoperations.Run(applyoperations.FromHook([]byte(test.stream)), list, nil)
			if diff := cmp.Diff(test.want, messages(results)); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}

func configMap(name string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n"
}
