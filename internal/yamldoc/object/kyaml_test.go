package object_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml/kyaml"
)

const kyamlObject = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web, "on": "1"}}
spec:
  replicas: 3
  empty: {}
  args: [a, b]
  containers:
  - {name: app, image: nginx}
  - name: proxy
    env: [{name: A, value: "1"}]
`

// TestKYAML holds edited objects to the text of Kubernetes' own encoder for the same data.
func TestKYAML(t *testing.T) {
	text := encodeKYAML(t, kyamlObject)
	for _, test := range []struct {
		name  string
		edits []edit
	}{
		{"a hash where there are no annotations", []edit{{at: at("metadata", "annotations"), value: "open-cluster-management.io/object-hash: 2c26"}}},
		{"a field goes", []edit{{at: at("spec", "replicas")}}},
		{"the last field goes, and one comes", []edit{{at: at("spec", "containers")}, {at: at("spec", "paused"), value: "true"}}},
		{"an element goes", []edit{{at: at("spec", "containers", 0)}}},
		{"an element comes", []edit{{at: at("spec", "containers", 2), value: "{name: z, ports: [80, 443]}"}}},
		{"a scalar comes before the first", []edit{{at: at("spec", "args", 0), value: "0x10", insert: true}}},
		{"an empty map gets a member", []edit{{at: at("spec", "empty"), value: "a: {b: [], c: null}"}}},
		{"a string becomes a list of lists", []edit{{at: at("spec", "replicas"), value: "[[a], [1.5, ~]]"}}},
		{"keys that need quotes", []edit{{at: at("spec", "keys"), value: `{a.b/c-d: 1, "y": 2, "1": 3, "a b": 4, "2001-12-14": 5, -x: 6, x-: 7, é: 8, "1:30": 9}`}}},
		{"lines", []edit{{at: at("spec", "text"), value: `"one\n  two \"\\\n\n\ttab\nend"`}}},
		{"lines with an end", []edit{{at: at("spec", "text"), value: `"Gr\u00fc\u00dfe\n\n"`}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := applied(t, kyamlObject, test.edits)
			root, err := want.Text()
			if err != nil {
				t.Fatal(err)
			}
			got, err := applied(t, text, test.edits).Text()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(encodeKYAML(t, string(root)), string(got)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

func encodeKYAML(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := new(kyaml.Encoder).FromYAML(strings.NewReader(text), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
