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

// FuzzText holds the fast writer against the YAML library.
func FuzzText(f *testing.F) {
	f.Add("1 field removed: spec.replicas (ignoreFields[0].jsonPointers[0])", "apps/v1", "web", 3, 0)
	f.Add("it's: \"so\"", "v1", "2001-01-01", -1, 2)
	f.Add("yes", "0644", "a-b-c", 0, 4)
	f.Add("two\nlines", "- x", "~", 7, 1)
	f.Add("a long key", "v1", strings.Repeat("6", 128)+"'", 50, 2)
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
		checkText(t, r, depth)
	})
}

// fuzzValue returns a value of a shape that the number chooses.
func fuzzValue(key, text string, number int) any {
	switch number % 4 {
	case 1:
		return number
	case 2:
		return map[string]any{key: []any{text, number, map[string]any{"a": true, key: text}}, "z": map[string]any{"b": number}}
	case 3:
		return []any{[]any{text, []any{number}}, map[string]any{key: []any{map[string]any{"c": text}}}}
	}
	return text
}

// textOf writes the result alone, and then once more behind itself, which must give the same.
func textOf(r Result, depth int) ([]byte, bool) {
	w := NewTextWriter(depth, 0)
	if !w.Write(r) {
		return w.Text(), false
	}
	once := bytes.Clone(w.Text())
	if !w.Write(r) || !bytes.Equal(w.Text(), append(bytes.Clone(once), once...)) {
		return w.Text(), true
	}
	return once, true
}

func checkText(t *testing.T, r Result, depth int) {
	t.Helper()
	text, ok := textOf(r, depth)
	if !ok {
		return
	}
	var want bytes.Buffer
	encoder := yaml.NewEncoder(&want)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode([]*tree.Node{r.Node()}); err != nil {
		t.Fatal(err)
	}
	pad := strings.Repeat(" ", depth)
	indented := pad + strings.ReplaceAll(strings.TrimSuffix(want.String(), "\n"), "\n", "\n"+pad) + "\n"
	if diff := cmp.Diff(indented, string(text)); diff != "" {
		t.Errorf("the library (-) and the fast writer (+) differ:\n%s", diff)
	}
}

func TestTextOfSimpleResults(t *testing.T) {
	for name, r := range map[string]Result{
		"message": {Message: "a: b", Severity: SeverityError},
		"all": {
			Message: "1 field removed", Severity: SeverityInfo, Ref: Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
			File:  File{Path: "a.yaml", HasIndex: true},
			Field: Field{Path: `metadata.annotations["prometheus.io/port"]`, HasCurrent: true, Current: []any{map[string]any{"name": "x", "on": "yes"}}},
			Tags:  map[string]string{"reason": ReasonFieldsIgnored, "rule": "0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if _, ok := textOf(r, 2); !ok {
				t.Error("the result must be simple")
			}
			checkText(t, r, 0)
			checkText(t, r, 2)
		})
	}
}

func TestTextOfOtherResults(t *testing.T) {
	for name, r := range map[string]Result{
		"two lines":    {Message: "a\nb", Severity: SeverityInfo},
		"beyond ASCII": {Message: "é", Severity: SeverityInfo},
		"a float":      {Message: "a", Severity: SeverityInfo, Field: Field{HasCurrent: true, Current: 1.5}},
		"an empty map": {Message: "a", Severity: SeverityInfo, Field: Field{HasCurrent: true, Current: map[string]any{}}},
		"null":         {Message: "a", Severity: SeverityInfo, Field: Field{HasCurrent: true}},
	} {
		if text, ok := textOf(r, 0); ok {
			t.Errorf("%s: must be left to the library, is\n%s", name, text)
		}
	}
}
