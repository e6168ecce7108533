package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FuzzAppendItem checks that an item parses to the result.
func FuzzAppendItem(f *testing.F) {
	f.Add("1 field removed: spec.replicas (ignoreFields[0].jsonPointers[0])", "apps/v1", "web", 3, 0)
	f.Add("it's: \"so\"", "v1", "2001-01-01", -1, 2)
	f.Add("yes", "0644", "a-b-c", 0, 4)
	f.Add("two\nlines", "- x", "~", 7, 1)
	f.Add("a long key", "v1", strings.Repeat("6", 1200)+"'\n", 50, 2)
	f.Add("é → \u2028\U0001f600\x7f\u0085", "\ufeff", "\u00a0", 2, 1)
	f.Fuzz(func(t *testing.T, message, version, name string, number, depth int) {
		if depth < 0 || depth > 8 || !utf8.ValidString(message) || !utf8.ValidString(version) || !utf8.ValidString(name) {
			return
		}
		r := Result{
			Message: message, Severity: SeverityInfo,
			Ref:   Ref{APIVersion: version, Kind: "Deployment", Name: name},
			File:  File{Path: name, Index: number, HasIndex: number > 0},
			Field: Field{Path: version, HasCurrent: number != 0, Current: fuzzValue(name, version, number)},
			Tags:  map[string]string{"reason": message, name: version, "rule": "0"},
		}
		text := AppendItem(AppendItem(nil, r, depth), r, depth)
		root, err := tree.Parse(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		for _, element := range tree.Elements(root) {
			if !tree.Equal(element, r.Node()) {
				t.Errorf("comes out as\n%s", text)
			}
		}
	})
}

// fuzzValue returns a value of a shape that the number chooses.
func fuzzValue(key, text string, number int) any {
	switch number % 4 {
	case 1:
		return number
	case 2:
		return map[string]any{key: []any{text, number, map[string]any{"a": true, key: text}}, "z": map[string]any{"b": []any{}}}
	case 3:
		return []any{[]any{text, []any{nil}}, map[string]any{key: []any{map[string]any{"c": map[string]any{}}}}}
	}
	return text
}

// TestAppendItem holds usual results against the YAML library.
func TestAppendItem(t *testing.T) {
	for name, r := range map[string]Result{
		"message":        {Message: "a: b", Severity: SeverityError},
		"beyond ASCII":   {Message: "é → 3", Severity: SeverityInfo},
		"a long message": {Message: strings.Repeat("long ", 500), Severity: SeverityInfo},
		"a float":        {Message: "a", Severity: SeverityInfo, Field: Field{HasCurrent: true, Current: 1.5}},
		"an empty map":   {Message: "a", Severity: SeverityInfo, Field: Field{HasCurrent: true, Current: map[string]any{}}},
		"null":           {Message: "a", Severity: SeverityInfo, Field: Field{HasCurrent: true}},
		"all": {
			Message: "1 field removed", Severity: SeverityInfo, Ref: Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
			File:  File{Path: "a.yaml", HasIndex: true},
			Field: Field{Path: `metadata.annotations["prometheus.io/port"]`, HasCurrent: true, Current: []any{map[string]any{"name": "x", "on": "yes"}, []any{1, []any{}}}},
			Tags:  map[string]string{"reason": ReasonFieldsIgnored, "rule": "0", strings.Repeat("k", 200): ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var want bytes.Buffer
			encoder := yaml.NewEncoder(&want)
			encoder.SetIndent(2)
			encoder.CompactSeqIndent()
			if err := encoder.Encode([]*yaml.Node{tree.ToLibrary(r.Node())}); err != nil {
				t.Fatal(err)
			}
			for _, depth := range []int{0, 2} {
				pad := strings.Repeat(" ", depth)
				indented := pad + strings.ReplaceAll(strings.TrimSuffix(want.String(), "\n"), "\n", "\n"+pad) + "\n"
				if diff := cmp.Diff(indented, string(AppendItem(nil, r, depth))); diff != "" {
					t.Errorf("the library (-) and AppendItem (+) differ:\n%s", diff)
				}
			}
		})
	}
}
