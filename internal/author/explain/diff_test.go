package explain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
)

func TestDiff(t *testing.T) {
	long := strings.Repeat("x\n", 20)
	tests := map[string]struct{ before, after, want string }{
		"nothing": {"a\nb\n", "a\nb\n", ""},
		"change":  {"a\nb\nc\n", "a\nB\nc\n", "@@ -10,3 +12,3 @@ Pod p\n a\n-b\n+B\n c\n"},
		"created": {"", "a\n", "@@ -9,0 +10,1 @@ Pod p\n+a\n"},
		"removed": {"a\n", "", "@@ -10,1 +11,0 @@ Pod p\n-a\n"},
		"two hunks": {"a\n" + long + "b\n", "A\n" + long + "B\n",
			"@@ -10,4 +12,4 @@ Pod p\n-a\n+A\n x\n x\n x\n@@ -28,4 +30,4 @@ Pod p\n x\n x\n x\n-b\n+B\n"},
		"line that is missing its break": {"a\nb", "a\nb\n",
			"@@ -10,2 +12,2 @@ Pod p\n a\n-b\n\\ No newline at end of file\n+b\n"},
		"same lines at both ends": {"a\na\na\n", "a\na\n", "@@ -10,3 +12,2 @@ Pod p\n-a\n a\n a\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text := compare([]byte(test.before), []byte(test.after), 10).text("f.yaml", "Pod p", 2)
			head := "--- f.yaml\n+++ f.yaml\n"
			if test.before == "" {
				head = "--- /dev/null\n+++ f.yaml\n"
			}
			if test.want != "" {
				test.want = head + test.want
			}
			if diff := cmp.Diff(test.want, text); diff != "" {
				t.Errorf("diff (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMasked masks each value of a Secret, however it is written.
func TestMasked(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"block": {"kind: Secret\ndata:\n  a: hunter2\n  b: |\n    hunter2\n\n    hunter3\n  # note\nmetadata: {name: x}\n",
			"kind: Secret\ndata:\n  a: ***\n  b: ***\nmetadata: {name: x}\n"},
		"folded and quoted": {"kind: Secret\nstringData:\n  a: 'hunter\n    two'\n  \"b\": hunter\n    three\n  c: >-\n    hunter\n    four\n",
			"kind: Secret\nstringData:\n  a: ***\n  \"b\": ***\n  c: ***\n"},
		"flow":              {"kind: Secret\ndata: {a: hunter2, b: {c: hunter3}}\n", "kind: Secret\ndata: {a: ***, b: {c: ***}}\n"},
		"one line":          {"{kind: Secret, data: {a: hunter2}}", "{kind: Secret, data: {a: ***}}\n"},
		"JSON":              {"{\n  \"kind\": \"Secret\",\n  \"data\": {\n    \"a\": \"hunter2\"\n  }\n}\n", "{\n  \"kind\": \"Secret\",\n  \"data\": {\n    \"a\": \"***\"\n  }\n}\n"},
		"list item":         {"- kind: Secret\n  data:\n    a: hunter2\n", "- kind: Secret\n  data:\n    a: ***\n"},
		"value elsewhere":   {"kind: Secret\nmetadata: {annotations: {x: hunter2}}\ndata:\n  a: hunter2\n", "kind: Secret\nmetadata: {annotations: {x: ***}}\ndata:\n  a: ***\n"},
		"anchor":            {"kind: Secret\nx: &a hunter2\ndata:\n  a: *a\n", "kind: Secret\nx: ***\ndata:\n  a: ***\n"},
		"merge key":         {"x: &a {data: {a: hunter2}}\nkind: Secret\n<<: *a\n", "x: {data: {a: ***}}\nkind: Secret\n<<: {data: {a: ***}}\n"},
		"escaped kind":      {"kind: \"S\\u0065cret\"\ndata:\n  a: hunter2\n", "kind: \"Secret\"\ndata:\n  a: ***\n"},
		"no Secret":         {"kind: SecretStore\ndata:\n  a: hunter2\n", "kind: SecretStore\ndata:\n  a: hunter2\n"},
		"another kind":      {"kind: Pod\nspec: {Secret: hunter2}\n", "kind: Pod\nspec: {Secret: hunter2}\n"},
		"last applied":      {"kind: Secret\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {\"data\":{\"a\":\"hunter2\"}}\n", "kind: Secret\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: ***\n"},
		"list of values":    {"kind: Secret\ndata:\n- hunter2\n- a: hunter3\n", "kind: Secret\ndata:\n- ***\n- a: ***\n"},
		"Secrets in a list": {"kind: SecretList\nitems:\n- data: {a: hunter2}\n", "kind: SecretList\nitems:\n- data: {a: ***}\n"},
		"document": {"kind: ConfigMap\ndata:\n  m: |\n    # hunter2\n    kind: Secret\n    data:\n      a: hunter2\n    ---\n    kind: Pod\n  n: hunter2\n",
			"kind: ConfigMap\ndata:\n  m: |\n    kind: Secret\n    data:\n      a: ***\n    ---\n    kind: Pod\n  n: ***\n"},
		"document in JSON":        {"kind: ConfigMap\ndata:\n  m: '{\"kind\":\"Secret\",\"data\":{\"a\":\"hunter2\"}}'\n", "kind: ConfigMap\ndata:\n  m: '{\"kind\":\"Secret\",\"data\":{\"a\":\"***\"}}'\n"},
		"document with an escape": {"kind: ConfigMap\ndata:\n  m: |\n    kind: \"Se\\x63ret\"\n    data: {a: hunter2}\n", "kind: ConfigMap\ndata:\n  m: |\n    kind: \"Secret\"\n    data: {a: ***}\n"},
		"document with a BOM":     {"kind: ConfigMap\ndata:\n  m: \"\\uFEFF{\\\"kind\\\":\\\"Secret\\\",\\\"data\\\":{\\\"a\\\":\\\"hunter2\\\"}}\"\n", "kind: ConfigMap\ndata:\n  m: '{\"kind\":\"Secret\",\"data\":{\"a\":\"***\"}}'\n"},
		"document in base64":      {"kind: ConfigMap\nbinaryData:\n  m: a2luZDogU2VjcmV0CmRhdGE6IHthOiBodW50ZXIyfQo=\n", "kind: ConfigMap\nbinaryData:\n  m: ***\n"},
		"no document":             {"kind: ConfigMap\ndata:\n  m: |\n    kind: Secret\n    data: {a: hunter2\n", "kind: ConfigMap\ndata:\n  m: ***\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, other, _ := shown([]byte(test.text), nil, nil, redact.Object{}, report.Ref{})
			if diff := cmp.Diff(test.want, string(got)); diff != "" || len(other) > 0 {
				t.Errorf("masked (-want +got):\n%s", diff)
			}
		})
	}
}
