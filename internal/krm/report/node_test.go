package report

import (
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/kptdev/krm-functions-sdk/go/fn"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func encode(t testing.TB, r Result) string {
	t.Helper()
	text, err := yaml.Marshal(tree.ToLibrary(r.Node()))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var full = Result{
	Message: "ignoreFields[0].jsonPointers[1]: two fields", Severity: SeverityInfo,
	Ref:   Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "web"},
	File:  File{Path: "web.yaml", Index: 2, HasIndex: true},
	Field: Field{Path: "spec.replicas", Current: 3, HasCurrent: true},
	Tags:  map[string]string{"rule": "0", "reason": ReasonFieldsIgnored, "expression": "/spec/replicas"},
}

func TestNode(t *testing.T) {
	value, _ := new(big.Int).SetString("18446744073709551616", 10)
	tests := map[string]struct {
		result Result
		want   string
	}{
		"all parts": {full, `message: 'ignoreFields[0].jsonPointers[1]: two fields'
severity: info
resourceRef:
    apiVersion: apps/v1
    kind: Deployment
    namespace: default
    name: web
file:
    path: web.yaml
    index: 2
field:
    path: spec.replicas
    currentValue: 3
tags:
    expression: /spec/replicas
    reason: FieldsIgnored
    rule: "0"
`},
		"message and severity": {Result{Message: "failed", Severity: SeverityError}, "message: failed\nseverity: error\n"},
		"first in its file": {Result{Message: "m", Severity: SeverityInfo, File: File{Path: "a.yaml", HasIndex: true}},
			"message: m\nseverity: info\nfile:\n    path: a.yaml\n    index: 0\n"},
		"file without an index": {Result{Message: "m", Severity: SeverityInfo, File: File{Path: "a.yaml"}},
			"message: m\nseverity: info\nfile:\n    path: a.yaml\n"},
		"index without a file": {Result{Message: "m", Severity: SeverityInfo, File: File{Index: 1, HasIndex: true}},
			"message: m\nseverity: info\n"},
		"null value": {Result{Message: "m", Severity: SeverityInfo, Field: Field{Path: "a", HasCurrent: true}},
			"message: m\nseverity: info\nfield:\n    path: a\n    currentValue: null\n"},
		"large value": {Result{Message: "m", Severity: SeverityInfo, Field: Field{
			Path: "a", Current: map[string]any{"b": []any{value, "1", true}}, HasCurrent: true}},
			"message: m\nseverity: info\nfield:\n    path: a\n    currentValue:\n        b:\n" +
				"            - 18446744073709551616\n            - \"1\"\n            - true\n"},
		"invalid UTF-8": {Result{Message: "a\xffb", Severity: SeverityInfo}, "message: a\uFFFDb\nseverity: info\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, encode(t, test.result)); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOfficialSDKReadsNode(t *testing.T) {
	var got fn.Result
	if err := yaml.Unmarshal([]byte(encode(t, full)), &got); err != nil {
		t.Fatal(err)
	}
	want := fn.Result{
		Message: full.Message, Severity: fn.Info,
		ResourceRef: &fn.ResourceRef{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "web"},
		File:        &fn.File{Path: "web.yaml", Index: 2},
		Field:       &fn.Field{Path: "spec.replicas", CurrentValue: 3},
		Tags:        full.Tags,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

// FuzzNode checks that any text comes through YAML unchanged.
func FuzzNode(f *testing.F) {
	f.Add("failed", "apps/v1", "a: b")
	f.Add(" two\nlines\n\n", "\ttab", "1")
	f.Add("0", "0", "\n0")
	f.Add("# no comment", "~", "\u2028\ufeff\x00")
	f.Fuzz(func(t *testing.T, message, name, value string) {
		if !utf8.ValidString(message) || !utf8.ValidString(name) || !utf8.ValidString(value) {
			return
		}
		r := Result{
			Message: message, Severity: SeverityWarning, Ref: Ref{APIVersion: "v1", Kind: "Pod", Name: name},
			Field: Field{Path: name, Current: []any{value}, HasCurrent: true}, Tags: map[string]string{name: value},
		}
		n, err := tree.Parse([]byte(encode(t, r)))
		if err != nil {
			t.Fatal(err)
		}
		for want, got := range map[string]*tree.Node{
			printable.Text(message): tree.Get(n, "message"), name: tree.Get(n, "resourceRef", "name"), value: tree.Get(n, "tags", name),
		} {
			if want != "" && (got == nil || tree.Scalar(got) != want) {
				t.Errorf("%q comes out as %v", want, tree.Value(n))
			}
		}
		if line := r.Line(); strings.ContainsAny(line, "\n\r\u2028\u2029\x1b") {
			t.Errorf("the line %q is not one line of text", line)
		}
	})
}
