package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/krm-fields/krm-fields/cli"
)

// marked are the values of the Secrets. No four characters of them, nor of their base64, stand
// anywhere else.
var marked = map[string]string{
	"password": "Qz7xVkWp3JhYt9Gd",
	"dsn":      "jdbx://wqxz:vkQ8@zzqj/pwvx?kkzq=9",
	"pin":      "83917264",
	"pem":      "-----XJQK ZVWQ-----\nMIIQxzJ8kWvPq\nqZvk77Qx==\n",
	"json":     `{"auxq":{"kzvw":"vJq9XzKw"}}`,
}

// leaksOf returns the four characters of the values, or of their base64 or upper case, that are in
// a text.
func leaksOf(t *testing.T, text string, all ...map[string]string) []string {
	t.Helper()
	const length = 4
	name, _, _ := strings.Cut(t.Name(), "/")
	text = regexp.MustCompile(name+`[^/\s]*`).ReplaceAllString(text, "") // names of folders end with random digits
	found := map[string]bool{}
	var values []string
	for _, some := range all {
		values = slices.AppendSeq(values, maps.Values(some))
	}
	for _, value := range values {
		for _, form := range []string{value, strings.ToUpper(value), base64.StdEncoding.EncodeToString([]byte(value))} {
			for i := 0; i+length <= len(form); i++ {
				if part := form[i : i+length]; isTelling(part) && strings.Contains(text, part) {
					found[part] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// isTelling tells whether a part has two letters or digits: `":{"` says nothing of a value.
func isTelling(part string) bool {
	count := 0
	for _, r := range part {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			count++
		}
	}
	return count > 1
}

// secretFields are the data of the Secrets, indented.
func secretFields(indent string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, indent+format+"\n", args...) }
	line("metadata:")
	line("  name: db")
	line("  namespace: shop")
	line("  labels: {app: web}")
	line("  annotations:")
	line("    kubectl.kubernetes.io/last-applied-configuration: |")
	line("      {\"kind\":\"Secret\",\"data\":{\"password\":%q}}", base64.StdEncoding.EncodeToString([]byte(marked["password"])))
	line("data:")
	for _, key := range slices.Sorted(maps.Keys(marked)) {
		line("  %s: %s", key, base64.StdEncoding.EncodeToString([]byte(marked[key])))
	}
	line("stringData:")
	for _, key := range slices.Sorted(maps.Keys(marked)) {
		line("  %s: %q", key, marked[key])
	}
	line("  list: [{name: %q, value: a}, {name: b, value: %q}, %q]", marked["password"], marked["dsn"], marked["password"])
	line("  names: [{name: %q, value: a}, {name: b, value: %q}]", marked["password"], marked["dsn"])
	return b.String()
}

// secrets are manifests that hold the Secret in one way each, with where it is in them.
func secrets() map[string]string {
	inList := strings.Replace(secretFields("  "), "  metadata:", "- metadata:", 1)
	return map[string]string{
		"v1":         "apiVersion: v1\nkind: Secret\n" + secretFields(""),
		"core/v1":    "apiVersion: core/v1\nkind: Secret\n" + secretFields(""),
		"v1/":        "apiVersion: v1/\nkind: Secret\n" + secretFields(""),
		"SecretList": "apiVersion: v1\nkind: SecretList\nmetadata: {name: all}\nitems:\n" + inList,
		"List": "apiVersion: v1\nkind: List\nitems:\n" +
			strings.Replace(inList, "- metadata:", "- apiVersion: v1\n  kind: Secret\n  metadata:", 1),
	}
}

// jqErrors are jq expressions that say something of a Secret where they fail; $S is the Secret.
var jqErrors = []string{
	`$S.stringData.password[0:7] | error`, `$S.stringData.password | error`, `$S.stringData.dsn[3:] | error`,
	`$S.data.password | @base64d | error`, `$S.data.password | @base64d | .[2:9] | error`, `$S.stringData | error`,
	`$S.stringData.password | ascii_upcase | error`, `$S.stringData.password | explode | error`, `error($S.data)`,
	`error("no " + $S.stringData.password)`, `error("no " + $S.stringData.password[1:6])`, `$S.stringData.pin | tonumber | error`,
	`error({a: $S.stringData.dsn[0:12]})`, `$S.stringData.dsn | split("/") | error`, `$S.stringData.password.x`,
	`$S.stringData.password | tonumber`, `$S.stringData.json | fromjson | .[] | .[] | error`, `$S.stringData.json | fromjson`,
	`$S[$S.stringData.password[0:5]].x`, `$S[$S.stringData.password[0:5]] = 1`, `$S.stringData.password | test("(")`,
	`$S.stringData.password + 1`, `$S.stringData[$S.stringData.dsn] | error`, `$S.stringData.password | .[0:4] as $x | $S | .[$x]`,
	`$S.stringData.list[] | select(.name == 1) | error`, `$S.stringData | keys | error`, `$S | tostring | error`,
	`$S.stringData.dsn | ltrimstr("j")`, `$S.stringData.password | strptime("%Y")`, `$S.stringData.password | @json | error`,
	`try ($S.stringData.password[0:9] | error) catch error("caught " + .)`, `$S.stringData.password | ltrimstr("Qz7") | error`,
}

// jsonPaths find nothing in a Secret, or something, or fail.
var jsonPaths = []string{
	`$S.stringData.password`, `$S.stringData.passwort`, `$S.stringData.password.x`, `$S.stringData.list[0].name`,
	`$S.stringData.list[?(@.name=="none")].value`, `$S.stringData.list[?(@.name>1)].value`, `$S.stringData.list[7]`,
	`$S.data.pem`, `$S.stringData.pin[0]`, `$S.stringData.*`, `$S..name`, `$S.stringData.list[?(@.value.x=="b")]`,
	`$S.metadata.annotations.kubectl\.kubernetes\.io/last-applied-configuration`,
}

// jsonPointers likewise.
var jsonPointers = []string{
	"$P/stringData/password", "$P/stringData/password/x", "$P/stringData/list/9", "$P/stringData/list/x", "$P/data/*",
	"$P/stringData/list/0/name/x", "$P/data/passwd", "$P/stringData/list/2/name",
}

// celErrors are CEL expressions of ApplyPatches that fail on a Secret.
var celErrors = []string{
	`resource.data[resource.stringData.password]`, `resource.data[resource.stringData.password.substring(0, 5)]`,
	`int(resource.stringData.password)`, `int(resource.stringData.password.substring(0, 6))`, `double(resource.stringData.dsn)`,
	`timestamp(resource.stringData.password)`, `duration(resource.stringData.password.substring(2))`,
	`{"a": 1}[resource.stringData.password.substring(3, 9)]`, `resource.stringData.list[int(resource.stringData.pin)]`,
	`"a".matches(resource.stringData.dsn + "(")`, `bool(resource.stringData.password)`, `uint(resource.stringData.pin + "x")`,
	`"a".substring(int(resource.stringData.pin))`, `base64.decode(resource.stringData.dsn)`, `resource.stringData.password.x`,
	`{resource.stringData.password.substring(0, 8): 1}.b`, `[1, 2][int(resource.stringData.pin.substring(0, 5))]`,
	`dyn(resource.stringData.password) + 1`, `resource.stringData.password.charAt(int(resource.stringData.pin))`,
	`int(resource.stringData.pin) / 0`, `int(resource.stringData.pin + "0000000000000")`,
	`"%d".format([resource.stringData.password])`, `quantity(resource.stringData.password.substring(1))`,
}

// paths are templated paths of ApplyPatches that a Secret's values go into.
var paths = []string{
	`/metadata/annotations/${resource.stringData.password}`, `/metadata/annotations/${resource.stringData.password.substring(0, 6)}`,
	`/stringData/password/${resource.stringData.dsn.substring(2, 8)}`, `/stringData/list/${resource.stringData.password.substring(1, 7)}`,
	`/stringData/list/${resource.stringData.pin}`, `/${resource.stringData.password.substring(4)}/a/b`,
	`/stringData/list[?(@.name=="${resource.stringData.dsn.substring(0, 9)}")]/value`,
	`/metadata/labels/x-${resource.stringData.pin.substring(0, 5)}-y`, `/metadata/name/${base64.decode(resource.data.password)}`,
}

// filters are JQPatches of a Secret.
var filters = []string{
	`.kind = .stringData.password`, `.kind = .stringData.password[0:6]`, `.metadata.name = .stringData.dsn[0:9]`,
	`.apiVersion = .stringData.dsn`, `.metadata.namespace = .stringData.pin[0:5]`, `.stringData.password`, `.stringData.password[0:4] | error`,
	`.stringData[]`, `.[.stringData.password[0:6]].x.y`, `.stringData.list | .x`, `.metadata.annotations[.stringData.dsn[0:8]] = "x"`,
	`.kind = {(.stringData.password[0:6]): 1}`, `error("no " + (.data.dsn | @base64d))`,
}

// functionConfigs are those that are run on a manifest, by name.
func functionConfigs(shape string) map[string]string {
	configs := map[string]string{}
	at, pointer := "", ""
	if strings.HasSuffix(shape, "List") {
		at, pointer = ".items[0]", "/items/0"
	}
	ignore := func(kind, list string, expressions []string) {
		for i, e := range expressions {
			e = strings.ReplaceAll(strings.ReplaceAll(e, "$S", at), "$P", pointer)
			if strings.HasPrefix(e, " ") || e[0] == '[' {
				e = "." + e
			}
			for _, policy := range []string{"Ignore", "Error"} {
				configs[fmt.Sprintf("%s %d %s", kind, i, policy)] = fmt.Sprintf("apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\n"+
					"metadata: {name: rules}\nonMissing: %s\nignoreFields:\n- condition: OnSpokePresent\n  %s:\n  - %q\n", policy, list, e)
			}
		}
	}
	ignore("jq", "jqPathExpressions", jqErrors)
	ignore("JSONPath", "jsonPaths", jsonPaths)
	ignore("JSON Pointer", "jsonPointers", jsonPointers)
	if at != "" {
		return configs
	}
	patches := func(kind string, i int, path, value, where string) {
		configs[fmt.Sprintf("%s %d", kind, i)] = fmt.Sprintf("apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyPatches\nmetadata: {name: rules}\n"+
			"patches:\n- target: {kind: Secret%s}\n  operations:\n  - {op: add, path: %q, value: %q}\n", where, path, value)
	}
	for i, e := range celErrors {
		patches("CEL value", i, "/metadata/annotations/a", "${"+e+"}", "")
		patches("CEL text", i, "/metadata/annotations/a", "x ${"+e+"} y", "")
		patches("CEL where", i, "/metadata/annotations/a", "x", fmt.Sprintf(", where: %q", e+" == 1"))
		patches("CEL path", i, "/metadata/annotations/${"+e+"}", "x", "")
	}
	for i, path := range paths {
		patches("path", i, path, "x", "")
	}
	patches("copied value", 0, "/metadata/annotations/a", "${resource.stringData.password.substring(0, 6)}", "")
	patches("copied value", 1, "/metadata/annotations/a", "cut ${resource.stringData.dsn.substring(5)}", "")
	patches("copied value", 2, "/stringData/password", "${resource.stringData.password.substring(5)}", "")
	patches("copied value", 3, "/kind", "${resource.stringData.password.substring(5)}", "")
	patches("copied value", 4, "/metadata/name", "${resource.stringData.password.substring(5)}", "")
	operation := func(kind string, i int, text string) {
		configs[fmt.Sprintf("%s %d", kind, i)] = "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyOperations\nmetadata: {name: rules}\n" +
			"operations:\n- {kind: Secret, name: db, namespace: shop, " + text + "}\n"
	}
	for i, filter := range filters {
		operation("JQPatch", i, fmt.Sprintf("operation: JQPatch, jqFilter: %q", filter))
	}
	for i, patch := range []string{
		`[{op: test, path: /stringData/password, value: x}]`, `[{op: add, path: /stringData/password/x, value: x}]`,
		`[{op: add, path: /stringData/list/x, value: x}]`, `[{op: replace, path: /kind, value: x}]`,
		`[{op: copy, from: /stringData/password, path: /kind}]`, `[{op: move, from: /stringData/dsn, path: /metadata/name}]`,
		`[{op: copy, from: /stringData/dsn, path: /metadata/annotations/a}]`,
	} {
		operation("JSONPatch", i, "operation: JSONPatch, jsonPatch: "+patch)
	}
	operation("key of a value", 0, `operation: JQPatch, jqFilter: '.metadata.annotations[.stringData.password] = "x"'}`+
		"\n- {kind: Secret, name: db, namespace: shop, operation: JSONPatch, jsonPatch: [{op: add, path: /metadata/annotations/"+
		marked["password"]+"/x, value: x}]")
	return configs
}

// folders are the temporary ones, whose names have random digits.
var folders = regexp.MustCompile(regexp.QuoteMeta(os.TempDir()) + `/[^/ ]+/\d+/`)

// run runs the command line and returns what it prints to stdout and stderr.
func run(t *testing.T, stdin string, args ...string) (stdout, stderr string) {
	t.Helper()
	in, err := os.Open(os.DevNull)
	if stdin != "" {
		in, err = os.Open(stdin)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var out, errOut bytes.Buffer
	cli.Main(args, cli.Build{Version: "v0.0.0-test"}, cli.Streams{In: in, Out: &out, Err: &errOut})
	return folders.ReplaceAllString(out.String(), "folder/"), folders.ReplaceAllString(errOut.String(), "folder/")
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func checkRedacted(t *testing.T, what, text string) {
	t.Helper()
	if found := leaksOf(t, text, marked); len(found) > 0 {
		t.Errorf("%s: no four characters of a value must be shown, found %q in\n%s", what, found, text)
	}
}

// TestNoOutputShowsSecrets looks for any four characters of the values of Secrets in all that the
// commands print about them. Manifests that a command prints as such are left out.
func TestNoOutputShowsSecrets(t *testing.T) {
	for shape, manifest := range secrets() {
		path := write(t, "secret.yaml", manifest)
		for name, config := range functionConfigs(shape) {
			if isNearMiss := strings.Contains(shape, "/"); isNearMiss && !strings.HasPrefix(name, "copied value") {
				continue
			}
			t.Run(shape+"/"+name, func(t *testing.T) {
				t.Parallel()
				checkFunction(t, path, manifest, config)
			})
		}
	}
}

func checkFunction(t *testing.T, path, manifest, config string) {
	configPath := write(t, "rules.yaml", config)
	_, errOut := run(t, "", "run", "-c", configPath, path)
	checkRedacted(t, "run, stderr", errOut)
	resultsPath := filepath.Join(t.TempDir(), "results.yaml")
	diff, errOut := run(t, "", "run", "-c", configPath, "--diff", "-o", "json", "--results", resultsPath, path)
	checkRedacted(t, "run --diff -o json", diff+errOut)
	if text, err := os.ReadFile(resultsPath); err == nil {
		checkRedacted(t, "run --results", folders.ReplaceAllString(string(text), ""))
	}
	for _, format := range cli.ExplanationFormats {
		out, errOut := run(t, "", "explain", "-o", format, "-c", configPath, path)
		checkRedacted(t, "explain -o "+format, folders.ReplaceAllString(out+errOut, ""))
	}
	list := write(t, "list.yaml", "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"+
		element(manifest)+"functionConfig:\n"+indented("  ", config))
	out, errOut := run(t, list)
	checkRedacted(t, "function, stderr", errOut)
	_, results, _ := strings.Cut(out, "\nresults:\n")
	checkRedacted(t, "function, results", results)
}

func element(text string) string { return "- " + strings.TrimPrefix(indented("  ", text), "  ") }

func indented(indent, text string) string {
	return indent + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+indent) + "\n"
}

// TestLocateShowsNoSecrets asks for every line and every field.
func TestLocateShowsNoSecrets(t *testing.T) {
	for shape, manifest := range secrets() {
		path := write(t, "secret.yaml", manifest)
		for line := range strings.Count(manifest, "\n") {
			for _, format := range []string{"text", "json", "yaml"} {
				out, errOut := run(t, "", "locate", path, "--line", fmt.Sprint(line+1), "-o", format)
				checkRedacted(t, fmt.Sprintf("%s: locate --line %d", shape, line+1), out+errOut)
			}
		}
		for _, field := range []string{
			"stringData.list[0].name", "stringData.list[0].value", "stringData.list[2]", "/stringData/list/1/value", "stringData.passwort",
			"stringData.list[9]", "/stringData/password/x", "stringData.names[0].name", "stringData.names[0].value", "stringData.names[1].value",
		} {
			out, errOut := run(t, "", "locate", path, "--field", field)
			checkRedacted(t, shape+": locate --field "+field, out+errOut)
		}
	}
}

// TestSuggestShowsNoSecrets compares Secrets that differ.
func TestSuggestShowsNoSecrets(t *testing.T) {
	for shape, manifest := range secrets() {
		path := write(t, "secret.yaml", manifest)
		for name, live := range map[string]string{
			"values":   strings.ReplaceAll(manifest, "value: a", "value: c"),
			"names":    strings.ReplaceAll(manifest, "{name: b", "{name: c"),
			"less":     strings.ReplaceAll(manifest, "{name: b, ", "{"),
			"injected": strings.ReplaceAll(manifest, "names: [", "names: [{name: zz}, "),
			"other":    strings.ReplaceAll(manifest, "  list: ", "  other: "),
			"decoded":  strings.ReplaceAll(manifest, "stringData:", "other:"),
		} {
			out, errOut := run(t, "", "suggest", path, write(t, "live.yaml", live))
			checkRedacted(t, shape+"/"+name+": suggest", out+errOut)
		}
	}
}

// randomValues returns values of a Secret, of letters that no message has in a row.
func randomValues(random *rand.Rand) map[string]string {
	text := func() string {
		letters := make([]byte, 8+random.IntN(8))
		for i := range letters {
			letters[i] = "qzxvkjwQZXVKJW0123456789"[random.IntN(24)]
		}
		return string(letters)
	}
	return map[string]string{
		"plain": text(), "number": fmt.Sprint(random.Int64()), "quoted": text() + `"'\\` + text(), "lines": text() + "\n" + text(),
		"json": `{"q":["` + text() + `"]}`, "url": "qzjk://" + text() + ":" + text() + "@" + text() + "/?a=" + text(), "more": "é\u2028" + text(),
	}
}

// secretForms are manifests that hold a Secret with values in one way each.
var secretForms = map[string]func(values map[string]string) string{
	"block": func(v map[string]string) string {
		return inConfigMap("m.yaml: |\n" + indented("    ", secretOf(v, "stringData", "Secret")))
	},
	"data": func(v map[string]string) string {
		return inConfigMap("m.yaml: |\n" + indented("    ", secretOf(v, "data", "Secret")))
	},
	"flow": func(v map[string]string) string {
		return inConfigMap(fmt.Sprintf("m.yaml: %q\n", secretOf(v, "stringData", "Secret")))
	},
	"JSON": func(v map[string]string) string { return inConfigMap(fmt.Sprintf("m.json: %q\n", secretAsJSON(v))) },
	"BOM": func(v map[string]string) string {
		return inConfigMap(fmt.Sprintf("m.json: %q\n", "\ufeff"+secretAsJSON(v)))
	},
	"end": func(v map[string]string) string {
		return inConfigMap("m.yaml: |\n    a: b\n    ...\n    ---\n" + indented("    ", secretOf(v, "data", "Secret")))
	},
	"escaped": func(v map[string]string) string {
		return inConfigMap("m.yaml: |\n" + indented("    ", secretOf(v, "data", `"Se\x63ret"`)))
	},
	"broken": func(v map[string]string) string {
		return inConfigMap("m.yaml: |\n" + indented("    ", secretOf(v, "data", "Secret")+"}"))
	},
	"nested": func(v map[string]string) string {
		return inConfigMap("m.yaml: |\n" + indented("    ", inConfigMap("m.yaml: |\n"+indented("    ", secretOf(v, "data", "Secret")))))
	},
	"base64": func(v map[string]string) string {
		text := base64.StdEncoding.EncodeToString([]byte(secretOf(v, "data", "Secret")))
		return strings.Replace(inConfigMap("m: "+text+"\n"), "\ndata:", "\nbinaryData:", 1)
	},
	"work": func(v map[string]string) string {
		return "apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nmetadata: {name: in, namespace: shop}\nspec:\n  workload:\n    manifests:\n" +
			indented("    ", element(secretOf(v, "stringData", "Secret")))
	},
	"List": func(v map[string]string) string {
		return "apiVersion: v1\nkind: List\nitems:\n" + element(secretOf(v, "stringData", "Secret"))
	},
	"Secret":     func(v map[string]string) string { return secretOf(v, "data", "Secret") },
	"stringData": func(v map[string]string) string { return secretOf(v, "stringData", "Secret") },
}

func inConfigMap(data string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: in, namespace: shop}\ndata:\n  " + data
}

func secretOf(values map[string]string, field, kind string) string {
	text := fmt.Sprintf("apiVersion: v1\nkind: %s\nmetadata: {name: in, namespace: shop}\n%s:\n", kind, field)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		value := values[key]
		if field == "data" {
			value = base64.StdEncoding.EncodeToString([]byte(value))
		}
		text += fmt.Sprintf("  %s: %q\n", key, value)
	}
	return text
}

func secretAsJSON(values map[string]string) string {
	text, _ := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": values})
	return string(text)
}

// rulesFor are functionConfigs that take, find, miss or change something in any of the forms.
var rulesFor = map[string]string{
	"take": "kind: IgnoreFields\nmetadata: {name: r}\naction: TakeLive\nignoreFields:\n- jsonPointers: [/data, /stringData, /binaryData, /spec]\n",
	"strip": "kind: IgnoreFields\nmetadata: {name: r}\nignoreFields:\n- jsonPointers: [/data/plain, /data/m.yaml, /spec/workload, /a]\n" +
		"  jqPathExpressions: ['.stringData[]?', '.items[]?.stringData?.url']\n",
	"annotate": "kind: IgnoreFields\nmetadata: {name: r}\naction: Annotate\nignoreFields:\n- jsonPaths: [.stringData.url, .data.url, '..plain']\n",
	"fail":     "kind: IgnoreFields\nmetadata: {name: r}\nignoreFields:\n- jqPathExpressions: ['[..|strings]|join(\"\")|error', '..|strings|tonumber']\n",
	"within": "kind: IgnoreFields\nmetadata: {name: r}\nignoreFields:\n- within: {jqPathExpressions: ['(.data, .stringData, .binaryData)[]?']}\n" +
		"  jqPathExpressions: ['..|strings|error', '.stringData.url?', '.[]?']\n",
	"patch": "kind: ApplyPatches\nmetadata: {name: r}\npatches:\n- target: {name: in}\n  operations:\n" +
		"  - {op: add, path: /metadata/annotations/a, value: \"${string(resource.?data.orValue(resource.?stringData.orValue({})))}\"}\n",
}

// TestRandomSecretsAreNotShown has Secrets with random values in all forms, which differ from those
// on the cluster: all commands show that, the keys, and no value.
func TestRandomSecretsAreNotShown(t *testing.T) {
	configs := map[string]string{}
	for name, text := range rulesFor {
		configs[name] = write(t, "rules.yaml", "apiVersion: fn.kpt.dev/v1alpha1\n"+text)
	}
	for name, form := range secretForms {
		for seed := range uint64(2) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(seed, 0))
				values, live := randomValues(random), randomValues(random)
				here, there := write(t, "here.yaml", form(values)), write(t, "there.yaml", form(live))
				check := func(args ...string) string {
					out, errOut := run(t, "", args...)
					if args[0] == "run" && !slices.Contains(args, "--diff") {
						out = "" // the manifests
					}
					if found := leaksOf(t, out+errOut, values, live); len(found) > 0 {
						t.Errorf("%q: no four characters of a value must be shown, found %q in\n%s%s", args, found, out, errOut)
					}
					return out
				}
				diff := check("diff", "--live", there, here)
				for key := range values {
					if name != "base64" && name != "broken" && !strings.Contains(diff, key) || !strings.Contains(diff, "*** (after)") {
						t.Errorf("the diff must show that the value of %s differs, found\n%s", key, diff)
					}
				}
				for _, format := range []string{"text", "json", "markdown"} {
					check("plan", "-o", format, "--live", there, here)
				}
				check("diff", "-o", "json", "--live", there, here)
				check("suggest", here, there)
				check("suggest", "-o", "json", here, there)
				check("locate", "--live", there, here)
				for line := range strings.Count(form(values), "\n") {
					check("locate", "--line", fmt.Sprint(line+1), here)
				}
				for _, config := range configs {
					check("run", "-c", config, "--live", there, here)
					check("run", "-c", config, "--live", there, "-o", "json", here)
					check("run", "--diff", "-c", config, "--live", there, here)
					check("run", "--diff", "-c", config, here)
					check("plan", "-c", config, "--live", there, here)
					for _, format := range cli.ExplanationFormats {
						check("explain", "-o", format, "-c", config, "--live", there, here)
					}
				}
			})
		}
	}
}

// TestCarriedValuesAreNotShown copies a value of a Secret into another object.
func TestCarriedValuesAreNotShown(t *testing.T) {
	path := write(t, "two.yaml", secrets()["v1"]+"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n")
	config := write(t, "rules.yaml", "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyPatches\nmetadata: {name: r}\npatches:\n- target: {kind: ConfigMap}\n"+
		"  operations:\n  - {op: add, path: /data/copied, value: \"${object('v1', 'Secret', 'db', 'shop').value().stringData.password}\"}\n")
	for _, args := range [][]string{{"run", "--diff"}, {"explain"}, {"explain", "-o", "json"}, {"explain", "-o", "markdown"}} {
		out, errOut := run(t, "", append(args, "-c", config, path)...)
		checkRedacted(t, strings.Join(args, " "), out+errOut)
		if !strings.Contains(out, "a: b") {
			t.Errorf("%q must show the rest, found\n%s", args, out)
		}
	}
}

// TestErrorsOfReadingShowNoSecrets reads Secrets that are no YAML, or no Kubernetes object.
func TestErrorsOfReadingShowNoSecrets(t *testing.T) {
	value := marked["password"]
	for name, line := range map[string]string{
		"alias": "*" + value, "tag": "!" + value + " a", "int tag": "!!int " + value, "quotes": `"` + value, "escape": `"` + value + `\q"`,
		"flow": "{" + value, "colon": value + ": " + value + ": x", "at": "@" + value, "anchor": "&" + value + " *" + value,
		"binary": "!!binary " + value + "?", "timestamp": "!!timestamp " + value, "merge": "{<<: " + value + "}",
	} {
		manifest := "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  password: " + line + "\n"
		path := write(t, "secret.yaml", manifest)
		config := write(t, "rules.yaml", functionConfigs("v1")["JSON Pointer 0 Error"])
		for _, args := range [][]string{
			{"run", "-c", config, path}, {"explain", "-c", config, path}, {"locate", path, "--field", "stringData.password"},
			{"suggest", path, path}, {"convert", "--from", "argocd", "--to", "ignorefields", path}, {"run", "-c", path, path},
			{"run", "--operations", path, path},
		} {
			_, errOut := run(t, "", args...)
			checkRedacted(t, name+": "+args[0], errOut)
		}
		list := write(t, "list.yaml", "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"+element(manifest))
		out, errOut := run(t, list)
		_, results, _ := strings.Cut(out, "\nresults:\n")
		checkRedacted(t, name+": function", results+errOut)
	}
}

// TestOperationsWithSecretsShowNone has Secrets in the functionConfig itself.
func TestOperationsWithSecretsShowNone(t *testing.T) {
	object := indented("    ", secrets()["v1"])
	text := secrets()["v1"]
	for name, operation := range map[string]string{
		"unknown field":    "- operation: Create\n  objekt:\n" + object,
		"no name":          "- operation: Create\n  object:\n" + strings.Replace(object, "name: db", "nam: db", 1),
		"there already":    "- operation: Create\n  object:\n" + object,
		"as text":          fmt.Sprintf("- operation: Create\n  object: %q\n", text),
		"as broken text":   fmt.Sprintf("- operation: Create\n  object: %q\n", text+"a: *"+marked["password"]+"\n"),
		"wrong type":       "- operation: Delete\n  kind:\n" + object,
		"unknown op":       "- operation: Creat\n  object:\n" + object,
		"merge":            "- operation: MergePatch\n  kind: Secret\n  name: db\n  namespace: shop\n  mergePatch:\n" + strings.Replace(object, "Secret", marked["password"], 1),
		"name of a Secret": "- operation: Create\n  object:\n" + strings.Replace(object, "name: db", "name: 5", 1),
	} {
		config := write(t, "rules.yaml", "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyOperations\nmetadata: {name: rules}\noperations:\n"+operation)
		path := write(t, "secret.yaml", text)
		_, errOut := run(t, "", "run", "-c", config, path)
		checkRedacted(t, name+": run", errOut)
		for _, format := range []string{"text", "json", "yaml", "markdown"} {
			out, errOut := run(t, "", "explain", "-o", format, "-c", config, path)
			checkRedacted(t, name+": explain -o "+format, out+errOut)
		}
	}
}
