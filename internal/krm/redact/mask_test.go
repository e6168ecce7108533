package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// seeing returns the mask of a run that has seen objects.
func seeing(roots ...*tree.Node) *Mask {
	var mask Mask
	mask.Add(roots...)
	return &mask
}

func parse(t testing.TB, text string) *tree.Node {
	t.Helper()
	n, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// secret has the values hunter2, 7 and a line break, s3cr3t "quoted" text, a, 80 and a text of two
// lines; and JSON.
const secret = `
apiVersion: v1
kind: Secret
metadata: {name: db, namespace: prod}
data:
  password: aHVudGVyMg==
  pin: Nwo=
  config: eyJhdXRoIjogImRYTmxjZz09In0=
stringData:
  token: s3cr3t "quoted" text
  short: a
  port: "80"
  number: 1e3
  pem: |
    -----BEGIN KEY-----
    MIIEvQIBADANBg
`

func TestMaskText(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"value":            {"cannot parse s3cr3t \"quoted\" text here", "cannot parse *** here"},
		"value in quotes":  {`cannot parse "s3cr3t \"quoted\" text"`, `cannot parse "***"`},
		"twice quoted":     {`"{\"token\":\"s3cr3t \\\"quoted\\\" text\"}"`, `"{\"token\":\"***\"}"`},
		"encoded value":    {"got aHVudGVyMg==", "got ***"},
		"without padding":  {"got aHVudGVyMg", "got ***"},
		"decoded value":    {"hunter2 in [hunter2]", "*** in [***]"},
		"value in a word":  {"xhunter2x", "x***x"},
		"neighbours":       {"hunter2hunter2", "***"},
		"cut off by jq":    {`expected an object but got: string ("s3cr3t \"quo ...")`, `expected an object but got: string ("*** ...")`},
		"cut off by us":    {`found "s3cr…"`, `found "***…"`},
		"cut after one":    {`found "h…", which…`, `found "h…", which…`},
		"no value cut off": {`found "nothing…" and so on...`, `found "nothing…" and so on...`},
		"line":             {"bad line -----BEGIN KEY-----!", "bad line ***!"},
		"both lines":       {`"-----BEGIN KEY-----\nMIIEvQIBADANBg\n"`, `"***"`},
		"string in JSON":   {"auth dXNlcg== is wrong", "auth *** is wrong"},
		"number":           {"number (1000), as 1e3", "number (***), as ***"},
		"short value":      {`"a" and a: (80) a`, `"***" and ***: (***) ***`},
		"short line":       {`pin "7" and 7`, `pin "***" and ***`},
		"short in words":   {"a80 /a/b 180 ignoreFields[80]: data.a", "a80 /a/b 180 ignoreFields[80]: data.a"},
		"short in a list":  {"list (80,80)", "list (***,***)"},
		"overlapping":      {"xhunter2s3cr3t \"quoted\" textx", "x***x"},
		"nothing to hide":  {"JSON Pointer error in '/data/password': path not found", "JSON Pointer error in '/data/password': path not found"},
		"quoted four times": {
			strconv.Quote(strconv.Quote(strconv.Quote(strconv.Quote(`s3cr3t "quoted" text`)))),
			strconv.Quote(strconv.Quote(strconv.Quote(strconv.Quote(`***`)))),
		},
		"stray backslashes": {`\ \x \u12 \ud800 hunter2 \`, `\ \x \u12 \ud800 *** \`},
	}
	mask := seeing(parse(t, secret))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := mask.Text(test.text); got != test.want {
				t.Errorf("masked %s, want %s", got, test.want)
			}
			if test.want != test.text && !seeing(parse(t, secret)).MayChange("a text", test.text) {
				t.Error("MayChange must be true for a text with a value")
			}
		})
	}
}

// TestMaskKeepsKeys has values that are in the keys of the object, which stay where paths and lines
// have them.
func TestMaskKeepsKeys(t *testing.T) {
	before := parse(t, "{kind: Secret, metadata: {annotations: {example.com/crt-x: a}}, stringData: {tls.crt: tls, crt: crt-x, password: word}}")
	after := parse(t, "{kind: Secret, stringData: {my-tls-key: a}}")
	for text, want := range map[string]string{
		`removed: stringData["tls.crt"], stringData.password`:    `removed: stringData["tls.crt"], stringData.password`,
		`/stringData/tls.crt is "tls", no tls.crt or "password"`: `/stringData/tls.crt is "***", no ***.crt or "pass***"`,
		`/metadata/annotations/example.com~1crt-x`:               `/metadata/annotations/example.com~1crt-x`,
		`metadata.annotations["example.com/crt-x"]: crt-x`:       `metadata.annotations["example.com/crt-x"]: ***`,
		"  tls.crt: tls\n  \"password\": word":                   "  tls.crt: ***\n  \"password\": ***",
		`stringData.my-tls-key`:                                  `stringData.my-***-key`,
		`{"path": "data[\"tls.crt\"]"}`:                          `{"path": "data[\"tls.crt\"]"}`,
		`found ["tls.crt"]`:                                      `found ["***.crt"]`,
		`stringData.xtls.crt /tls`:                               `stringData.x***.crt /***`,
	} {
		if got := seeing(before).With(after).Text(text); got != want {
			t.Errorf("masked %s, want %s", got, want)
		}
	}
}

func TestMaskOfExpression(t *testing.T) {
	root := parse(t, `{kind: Secret, stringData: {pin: "8391", word: rot, long: hunter2, one: a, field: replicas, longer: correct.horse-battery}}`)
	mask := seeing(root)
	for text, want := range map[string]string{
		`.data.url == "pg://8391@db"`:              `.data.url == "***"`,
		`.data.url == 'x8391', .data.rotation`:     `.data.url == '***', .data.rotation`,
		`.metadata.labels["rotation.example.com"]`: `.metadata.labels["rotation.example.com"]`,
		`."rotation" | test("\"rot\"ation")`:       `."rotation" | test("***")`,
		`.data["a-hunter2"] // "an a"`:             `.data["a-***"] // "***"`,
		`.spec.rot, .spec.rotation`:                `.spec.rot, .spec.rotation`,
		`startswith("other") and . == "`:           `startswith("other") and . == "`,
		`/spec/replicas`:                           `/spec/replicas`,
		`/data/correct.horse-battery/x`:            `/data/***/x`,
		`.spec.replicas == "replicas"`:             `.spec.replicas == "***"`,
		`/spec/ports/[name=replicas]`:              `/spec/ports/[name=***]`,
		`.spec | has(replicas)`:                    `.spec | has(***)`,
	} {
		if got := mask.Expression(text); got != want {
			t.Errorf("masked %s, want %s", got, want)
		}
		if want != text && !seeing(root).MayChange(text) {
			t.Errorf("MayChange must be true for %s", text)
		}
	}
}

func TestMaskIsForSecretsOnly(t *testing.T) {
	for _, text := range []string{
		"{apiVersion: v1, kind: ConfigMap, data: {a: hunter2}}",
		"{apiVersion: example.com/v1, kind: Secret, data: {a: hunter2}}",
		"{apiVersion: v1, kind: Secret, metadata: {name: hunter2}}",
		"{apiVersion: v1, kind: Secret, data: ~, stringData: {a: ~, b: '  '}}",
		"~", "[hunter2]", "hunter2",
	} {
		root := parse(t, text)
		if got := seeing(root).Text("hunter2, null and  "); got != "hunter2, null and  " {
			t.Errorf("%s: masked %s", text, got)
		}
	}
	if got := seeing(nil).Text("hunter2"); got != "hunter2" {
		t.Errorf("no object: masked %s", got)
	}
}

// TestReferenceIsNoSecret has a Gateway, whose certificate names a Secret and has none of it.
func TestReferenceIsNoSecret(t *testing.T) {
	root := parse(t, `{kind: Gateway, spec: {listeners: [{tls: {certificateRefs: [{group: "", kind: Secret, name: web}]}}]}}`)
	if Of(root).HasSecret() {
		t.Error("a reference must not count as a Secret")
	}
}

func TestMaskFindsSecrets(t *testing.T) {
	tests := map[string]string{
		"List":          "{apiVersion: v1, kind: List, items: [{kind: Pod}, {apiVersion: v1, kind: Secret, stringData: {a: hunter2}}]}",
		"ManifestWork":  "spec: {workload: {manifests: [{apiVersion: v1, kind: Secret, stringData: {a: hunter2}}]}}",
		"SecretList":    "{apiVersion: v1, kind: SecretList, items: [{stringData: {a: hunter2}}]}",
		"group core":    "{apiVersion: core/v1, kind: Secret, stringData: {a: hunter2}}",
		"no version":    "{apiVersion: v1/, kind: Secret, stringData: {a: hunter2}}",
		"no group":      "{apiVersion: /v1, kind: Secret, stringData: {a: hunter2}}",
		"no apiVersion": "{kind: Secret, stringData: {a: hunter2}}",
		"nested value":  "{apiVersion: v1, kind: Secret, stringData: {a: [{b: hunter2}]}}",
		"merge key":     "{base: &base {apiVersion: v1, kind: Secret}, object: {<<: *base, stringData: {a: hunter2}}}",
		"alias":         "{apiVersion: v1, kind: Secret, metadata: {name: &a hunter2}, stringData: {a: *a}}",
		"base64 lines":  "apiVersion: v1\nkind: Secret\ndata:\n  a: |\n    aHVu\n    dGVyMg==\n",
		"last applied": `{apiVersion: v1, kind: Secret, metadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: ` +
			`'{"apiVersion":"v1","kind":"Secret","data":{"password":"aHVudGVyMg=="}}'}}}`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			if got := seeing(parse(t, text)).Text("xhunter2x"); got != "x***x" {
				t.Errorf("masked %s", got)
			}
		})
	}
}

// TestMaskOfLastApplied has a state as kubectl keeps it, which names the object, too.
func TestMaskOfLastApplied(t *testing.T) {
	mask := seeing(parse(t, `{apiVersion: v1, kind: Secret, metadata: {name: db, annotations: {kubectl.kubernetes.io/last-applied-configuration: `+
		`'{"apiVersion":"v1","kind":"Secret","metadata":{"name":"db"},"stringData":{"password":"hunter2"}}'}}}`))
	if got := mask.Text("Secret db has hunter2"); got != "Secret db has ***" {
		t.Errorf("masked %q", got)
	}
}

func TestMaskOfSeveralObjects(t *testing.T) {
	before := parse(t, "{apiVersion: v1, kind: Secret, stringData: {a: hunter2}}")
	after := parse(t, "{apiVersion: v1, kind: Secret, stringData: {a: hunter3}}")
	if got := seeing(before, after).Text("hunter2 is not hunter3"); got != "*** is not ***" {
		t.Errorf("masked %s", got)
	}
}

func TestZeroMaskHidesNothing(t *testing.T) {
	var mask *Mask
	value := map[string]any{"a": "b"}
	if diff := cmp.Diff(value, (Object{}).Value(location.Location{location.Key("data")}, value)); diff != "" {
		t.Errorf("value (-want +got):\n%s", diff)
	}
	if got := mask.Text("a"); got != "a" {
		t.Errorf("masked %s", got)
	}
}

func TestMaskValue(t *testing.T) {
	data, token := location.Key("data"), location.Key("token")
	lastApplied := location.Location{
		location.Key("metadata"), location.Key("annotations"), location.Key("kubectl.kubernetes.io/last-applied-configuration"),
	}
	tests := map[string]struct {
		at          location.Location
		value, want any
	}{
		"data":            {location.Location{data}, map[string]any{"x": "new", "y": 1}, map[string]any{"x": "***", "y": "***"}},
		"member of data":  {location.Location{data, token}, "new", "***"},
		"null":            {location.Location{data, token}, nil, nil},
		"list in data":    {location.Location{data, token}, []any{true, "x"}, []any{"***", "***"}},
		"last applied":    {lastApplied, `{"a": 1}`, "***"},
		"elsewhere":       {location.Location{location.Key("type")}, "Opaque", "Opaque"},
		"value elsewhere": {location.Location{location.Key("type")}, "is hunter2", "***"},
		"short value":     {location.Location{location.Key("type")}, "a", "***"},
		"number":          {location.Location{location.Key("x")}, []any{80, 81, 1000.0}, []any{"***", 81, "***"}},
		"whole object": {nil, map[string]any{"kind": "Secret", "data": map[string]any{"password": "x"}},
			map[string]any{"kind": "Secret", "data": map[string]any{"password": "***"}}},
	}
	mask := Of(parse(t, secret))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, mask.Value(test.at, test.value)); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMaskValueInList(t *testing.T) {
	list := parse(t, "{kind: List, items: [{kind: Pod}, {apiVersion: v1, kind: Secret, stringData: {a: x}}]}")
	at := location.Location{location.Key("items"), location.Index(1), location.Key("data")}
	if got := Of(list).Value(at, "new"); got != "***" {
		t.Errorf("masked %v", got)
	}
	at[1] = location.Index(0)
	if got := Of(list).Value(at, "new"); got != "new" {
		t.Errorf("masked %v where there is no Secret", got)
	}
}

// FuzzMask checks that no value of three or more characters survives in any of the forms in which
// messages show values.
func FuzzMask(f *testing.F) {
	f.Add("hunter2", "password", "cannot parse ", "!")
	f.Add("a\"b\\c\nd", "x\ty", `\`, `\`)
	f.Add("ääö\u2028\x7f<&>", "\xff\xfe\xfd", "ä", "ä")
	f.Add("aaa", "aaaa", "a", "aa")
	f.Add("                        \x10", "0", "0", "0")
	f.Fuzz(func(t *testing.T, value, encoded, before, after string) {
		if strings.Contains(value+encoded, "*") {
			return // *** itself would be found
		}
		if !utf8.ValidString(value) {
			return // YAML can't hold it
		}
		root := tree.FromValue(map[string]any{
			"apiVersion": "v1", "kind": "Secret", "stringData": map[string]any{"a": value},
			"data": map[string]any{"b": base64.StdEncoding.EncodeToString([]byte(encoded))},
		})
		mask := seeing(root)
		for _, v := range []string{value, encoded} {
			if utf8.RuneCountInString(v) < 3 || strings.TrimSpace(v) == "" {
				continue
			}
			for name, form := range forms(t, v) {
				shown := unquoted(name, form)
				if strings.Trim(shown, " .") == "" {
					continue // a preview that has nothing but the blanks that the value begins with
				}
				text := before + form + after
				got := mask.Text(text)
				if strings.Contains(got, shown) {
					t.Errorf("%s of %q survives in %q", name, v, got)
				}
				if got != text && !seeing(root).MayChange(text) {
					t.Errorf("MayChange must be true for %q, which has %q", text, v)
				}
			}
		}
	})
}

func unquoted(name, form string) string {
	if name == "plain" {
		return form
	}
	return form[1 : len(form)-1]
}

// forms returns v as messages show it.
func forms(t *testing.T, v string) map[string]string {
	t.Helper()
	asJSON, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"plain": v, "%q": fmt.Sprintf("%q", v), "%+q": fmt.Sprintf("%+q", v), "JSON": string(asJSON),
	}
}
