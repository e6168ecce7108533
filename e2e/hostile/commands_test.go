//go:build unix

package hostile

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// A commandRow is what a command reads, and how it must end.
type commandRow struct {
	// name is the command and its arguments, of which a and b are the files with the texts, and
	// what the texts are.
	args, name string
	a, b       string
	code       int
	says       string
	times      int64
}

// loops takes a second on an object with spec.slow, and a tenth or so on each document in a string.
const loops = "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata: {name: loops}\nonNoMatch: Ignore\nignoreFields:\n" +
	"- jqPathExpressions: ['.spec | if .slow then (last(range(1e12)) | empty) else empty end']\n" +
	"- {within: {jsonPointers: [/data/x]}, jqPathExpressions: ['last(range(300000)) as $x | .a']}\n"

const within = "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata: {name: within}\nignoreFields:\n" +
	"- {within: {jsonPointers: [/data/x]}, jsonPointers: [/a/b]}\n"

// TestCommands runs the commands on manifests and clusters that nobody has.
func TestCommands(t *testing.T) {
	shared := func(fieldsV1, spec string) string {
		return fmt.Sprintf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "managedFields": [`+
			`{"manager": "helm", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": %s}, {"manager": "kubectl", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": %[1]s}]}, "spec": %[2]s}`,
			fieldsV1, spec)
	}
	pod := func(managed, value string) string {
		return fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "managedFields": [%s]}, `+
			`"spec": {"containers": [{"name": "c", "env": [%s]}]}}`, managed, numbered(8000, `{"name": "%d", "value": "`+value+`"}`, ", "))
	}
	env := `{"manager": "other", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:containers": {"k:{\"name\":\"c\"}": ` +
		`{"f:env": {` + numbered(8000, `"k:{\"name\":\"%d\"}": {"f:name": {}, "f:value": {}}`, ", ") + `}}}}}}`
	secret := func(data string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nspec: {replicas: 1}\n" + data
	}
	large := "stringData:\n  a: |\n" + strings.Repeat("    "+strings.Repeat("x", 94)+"\n", 80_000)
	many := "stringData:\n" + numbered(100_000, `  k%d: "some\n%[1]d \"value\" of a Secret\xff that is long"`, "\n")
	binary := "data:\n  a: " + base64.StdEncoding.EncodeToString(randomBytes(6_000_000)) + "\n"
	expanding := func(value string) string {
		const name = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a%d}\ndata: {k: " // 40 of 10,000 nodes
		return numbered(40, name+value+", x: &x ["+numbered(20, "a%d", ", ")+"], y: &y ["+strings.Repeat("*x, ", 20)+"], z: ["+strings.Repeat("*y, ", 20)+"]}", "\n")
	}
	foos := func(slow string) string {
		return numbered(20, "---\napiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a%d}\nspec: {slow: "+slow+"}\n", "")
	}
	const tooManyAliased = "aliases must not stand for more than 300000 keys, values, maps and lists in all"
	for _, r := range []commandRow{
		{"audit --live a", "100,000 fields that two appliers own", shared(`{"f:data": {`+numbered(100_000, `"f:k%d": {}`, ", ")+`}}`, "{}"), "",
			0, "100000 findings", 100},
		{"audit --live a", "20,000 elements that two appliers own", shared(`{"f:spec": {`+numbered(20_000, `"k:{\"name\":\"%d\"}": {"f:v": {}}`, ", ")+`}}`,
			`[`+numbered(20_000, `{"name": "%d", "v": [1]}`, ", ")+`]`), "", 0, "20000 findings", 100},
		{"audit --live a", "fieldsV1 of 990 levels", shared(strings.Repeat(`{"f:a": `, 990)+"{}"+strings.Repeat("}", 990), "{}"), "", 0, "1 finding", growth},
		{"audit --live a", "fieldsV1 of 2,000 levels", shared(strings.Repeat(`{"f:a": `, 2000)+"{}"+strings.Repeat("}", 2000), "{}"), "",
			1, "at most 1000 levels deep", growth},
		{"audit --live a", "fieldsV1 that no API server writes", shared(`{"f:": {}, "k:{": {}, "i:x": {}, "": {}, "f:a": 1, "v:": {}}`, "{}"), "",
			0, "1 object, 0 findings", growth},
		{"audit --live a", "300,000 empty items", `{"items": [` + strings.Repeat("{},", 299_999) + `{}]}`, "", 1, "must hold a KRM object", growth},
		{"audit --live a", "20 MB of blanks in a list", `{"items": [` + strings.Repeat(" ", 20<<20), "", 1, "found an end within one", 1},
		{"audit --live a", "a list of lists", `{"items": [` + strings.Repeat("[", 1<<20), "", 1, "found an end within one", growth},
		{"audit --live a", "a list of lists with a kind", `{"kind": "List", "items": [` + strings.Repeat("[", 1<<20), "", 1, "must be maps", growth},
		{"audit --live a", "a line without an end", "items:\n- a: " + strings.Repeat("x", 20<<20), "", 1, "must hold a KRM object", growth},
		{"explain -c rules a", "a Secret of 8 MB", secret(large), "", 0, "", 50},
		{"explain -c rules a", "a Secret of 6 MB of random bytes", secret(binary), "", 0, "", 50},
		{"explain -c rules a", "a Secret of 100,000 values", secret(many), "", 0, "", 80},
		{"run -c rules --diff a", "a Secret of 6 MB of random bytes", secret(binary), "", 0, "1 field removed", 50},
		{"run -c rules --diff a", "a Secret of 100,000 values", secret(many), "", 0, "1 field removed", 80},
		{"explain -c rules a", "40,000 fields", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nmore: {" + numbered(40_000, "k%d: a", ", ") + "}\n", "", 0, "", 100},
		{"explain -c within a", "5,000 documents in a string", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: |\n" +
			strings.Repeat("    ---\n    a: {b: 1}\n", 5000), "", 0, "", 400},
		{"convert --to argocd a", "20,000 patches of Fleet", "defaultNamespace: x\ndiff:\n  comparePatches:\n" + numbered(20_000,
			"  - {apiVersion: apps/v1, kind: Deployment, name: w%d, namespace: x, operations: [{op: remove, path: /spec/replicas}]}\n", ""),
			"", 0, "warning: ", 250},
		{"plan --live b a", "8,000 conflicts in a list", pod("", "a"), pod(env, "b"), 1, "", 100},
		{"plan --live b a", "40 objects that aliases expand", expanding("a"), expanding("b"), 2, tooManyAliased, growth},
		{"diff --live b a", "40 objects that aliases expand", expanding("a"), expanding("b"), 2, tooManyAliased, growth},
		{"suggest --live b a", "150,000 keys", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {" + numbered(150_000, "k%d: a", ", ") + "}\n",
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {" + numbered(150_000, "k%d: a", ", ") + ", more: b}\n", 0, "", 100},
		{"suggest --live b a", "40 objects that aliases expand", expanding("a"), expanding("b"), 1, tooManyAliased, growth},
		{"plan -c loops --live b a", "20 live objects on which an expression takes a second", foos("false"), foos("true"), 2, "JQ expression timed out after 1s", growth},
		{"run -c loops a", "100 documents in a string on which an expression takes a tenth of a second",
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: |\n" + strings.Repeat("    ---\n    b: 1\n", 100), "",
			1, "JQ expression timed out after 1s", growth},
		{"run -c rules --diff a", "40 objects that aliases expand", expanding("a"), "", 0, "", growth},
		{"explain -c rules a", "400 objects with rules of their own that aliases expand", numbered(400, "---\napiVersion: v1\nkind: ConfigMap\n"+
			"metadata:\n  name: a%d\n  annotations: {fn.kpt.dev/ignore-fields: '[{jsonPointers: [&p /"+strings.Repeat("a", 4000)+
			strings.Repeat(", *p", 1000)+"]}]'}\n", ""), "", 1, "aliases must not", growth},
	} {
		t.Run(strings.Fields(r.args)[0]+" "+r.name, r.check)
	}
}

func randomBytes(count int) []byte {
	bytes := make([]byte, count)
	_, _ = rand.NewChaCha8([32]byte{}).Read(bytes) // never fails
	return bytes
}

func (r commandRow) check(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), r.a)
	write(t, filepath.Join(dir, "b"), r.b)
	write(t, filepath.Join(dir, "rules"), strings.Replace(rules, "[/spec/replicas]", "[/spec/replicas]\n  jsonPaths: ['.more.*']", 1))
	write(t, filepath.Join(dir, "loops"), loops)
	write(t, filepath.Join(dir, "within"), within)
	args := strings.Fields(r.args)
	for i, arg := range args {
		if arg == "a" || arg == "b" || arg == "rules" || arg == "loops" || arg == "within" {
			args[i] = filepath.Join(dir, arg)
		}
	}
	_, stderr, c := run(t, nil, args...)
	t.Logf("exit code %d, %v, %d MB for %d kB of input", c.Code, c.Wall, c.Peak>>20, len(r.a+r.b)>>10)
	if c.Code != r.code || !strings.Contains(string(stderr), r.says) || strings.Contains(string(stderr), "goroutine ") {
		t.Errorf("the run must end with exit code %d and say %q, found %d and\n%s", r.code, r.says, c.Code, shorten(string(stderr)))
	}
	limits := row{input: r.a + r.b, times: r.times, within: slow}
	if c.Wall > limits.timeLimit() || c.Peak > limits.memoryLimit() {
		t.Errorf("the run must take at most %v and %d MB, and took %v and %d MB", limits.timeLimit(), limits.memoryLimit()>>20, c.Wall, c.Peak>>20)
	}
}
