//go:build !nopatches

package suggest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const several = `Apply failed with 3 conflicts: conflicts with "hpa" with subresource "scale" using apps/v1 at 2026-01-02T03:04:05Z:
- .spec.replicas
conflicts with "x y":
- .metadata.annotations.a.b/c
- .spec.template.spec.containers[name="app"].ports[containerPort=80,protocol="TCP"].hostPort`

func show(r Report) string {
	var b strings.Builder
	for _, f := range slices.Concat(r.Messages...) {
		fmt.Fprintf(&b, "%s %s %q %s %s|", f.Problem, f.Path, f.Manager, f.Subresource, f.APIVersion)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	const want = `Conflict .spec.replicas "hpa" scale apps/v1|Conflict .metadata.annotations.a.b/c "x y"  |` +
		`Conflict .spec.template.spec.containers[name="app"].ports[containerPort=80,protocol="TCP"].hostPort "x y"  |`
	twice, err := json.Marshal(strconv.Quote(several))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"plain": several, "quoted": strconv.Quote(several), "twice": string(twice), "one line": strings.ReplaceAll(several, "\n", " "),
		"boxed": "│ Error: " + strings.ReplaceAll(strings.ReplaceAll(several, "using ", "using\n"), "\n", "\n│ "),
		"CRLF":  strings.ReplaceAll(several, "\n", "\r\n"), "a sentence": several + ". Retrying attempt #2 at 5:30PM.",
	} {
		r, err := Read(text)
		if got := show(r); err != nil || got != want {
			t.Errorf("%s:\n got %s, %v\nwant %s", name, got, err, want)
		}
	}
}

// TestReadMargin holds that what quoting and logs put in front of each line does not matter.
func TestReadMargin(t *testing.T) {
	plain, err := Read(several)
	if err != nil {
		t.Fatal(err)
	}
	for _, margin := range []string{
		"> ", ">> ", "> > ", "| ", "  ", "\t", "# ", "\x1b[31m", "\x1b[36mdeploy-1  |\x1b[0m ", "deploy  | ", "web_1 | 2026-11-29T10:00:00.123Z ",
		"2026-11-29T10:00:00.123Z ", "2026-11-29T10:00:00.123+01:00 ", "2026-11-29 10:00:00,123 ", "[2026-11-29T10:00:00.123Z] ", "[10:00:00] ", "10:00:00.5 ",
		"> 2026-11-29T10:00:00Z | ", "##[error]", "2026-11-29T10:00:00.1234567Z ##[error]", "::error::", "::error file=a.yaml,line=1::",
		"deploy\tApply it\t2026-11-29T10:00:00.1234567Z ", "deploy\tApply it\t\ufeff2026-11-29T10:00:00.1234567Z ", "#12 0.345 ", "[INFO] ", "[pod/flux-1/manager] ",
		"Nov 29 10:00:00 node-1 flux[12]: ", "Nov  9 10:00:00 node-1 flux: ",
	} {
		text := margin + strings.ReplaceAll(strings.ReplaceAll(several, "using ", "using\n"), "\n", "\n"+margin)
		if r, err := Read(text); err != nil || show(r) != show(plain) {
			t.Errorf("%q:\n got %s, %v\nwant %s", margin, show(r), err, show(plain))
		}
	}
}

// TestReadFaults holds what other messages of the API server say, in the words of each tool.
func TestReadFaults(t *testing.T) {
	for text, want := range map[string]string{
		`conflict with "x" using v1: .data..dockerconfigjson`:                                                                                               `Conflict .data..dockerconfigjson "x"  v1|`,
		`conflict with "x" using v1: .data.[x`:                                                                                                              `Unread .data "x"  v1|`,
		`s/ConfigMap/a: conflict with "hpa" using v1. Not updating field '.data.a.b' as we lost field ownership`:                                            `Conflict .data.a.b "hpa"  v1|`,
		`.spec.ports: element 1: associative list with keys has an element that omits key field "protocol" (and doesn't have default value)`:                `KeyMissing .spec.ports[1] ""  |`,
		`.l: element 0: associative list with keys has an element that omits all key fields ["a" "b"] (and doesn't have default values for any key fields)`: `KeyMissing .l[0] ""  |`,
		`The Pod "x" is invalid: spec.containers[1].env[0].name: Duplicate value: "A"`:                                                                      `Equal spec.containers[1].env[0].name ""  |`,
		`Error from server (BadRequest): metadata.managedFields must be nil`:                                                                                `ManagedFields metadata.managedFields ""  |`,
		`Pod/s/x dry-run failed (Forbidden): pods "x" is forbidden: exceeded quota: q`:                                                                      `Forbidden  ""  |`,
	} {
		r, err := Read(text)
		if got := show(r); err != nil || got != want {
			t.Errorf("%s:\n got %s, %v\nwant %s", text, got, err, want)
		}
	}
}

// TestNothingDropped holds that each conflict of a text is in a rule or reported, whatever else the
// text has.
func TestNothingDropped(t *testing.T) {
	const begin = "Apply failed with 2 conflicts: conflicts with \"x\" using apps/v1:\n- .spec.replicas\n- "
	for text, want := range map[string]string{
		begin + ".spec.paused":           "/spec/replicas /spec/paused",
		begin + ".spec.a..b":             "/spec/replicas /spec/a/.b",
		begin + ".spec.a. Please review": "/spec/replicas /spec/a",
		begin + `.spec.a["b:c"]`:         "/spec/replicas /spec/a/b:c",
		begin + ".spec.a:b":              "/spec/replicas error",
		begin + ".spec.a,b":              "/spec/replicas error",
		begin + `.spec.a"b`:              "/spec/replicas error",
		begin + ".spec.a[":               "/spec/replicas error",
		begin + ".spec.a(b)":             "/spec/replicas error",
		begin + ".spec.ab…":              "/spec/replicas error",
		begin + "[0]":                    "error /spec/replicas",
		begin:                            "error /spec/replicas",
		begin + ".spec.paused\n\n" + begin + ".spec.a": "/spec/replicas /spec/paused /spec/replicas /spec/a",
	} {
		out, err := FromError(text, nil, Options{Name: "x"})
		var got []string
		for _, r := range out.Results {
			switch r.Severity {
			case "error":
				got = append(got, "error")
			case "info":
				got = append(got, "/"+strings.NewReplacer("..", "/.", ".", "/", `["b:c"]`, "/b:c").Replace(r.Field.Path))
			}
		}
		if found := strings.Join(slices.Compact(got), " "); err != nil || found != want {
			t.Errorf("%q:\n got %s, %v\nwant %s", text, found, err, want)
		}
	}
}

func TestReadNothing(t *testing.T) {
	for _, text := range []string{"", "error: no such host", `conflict with "x": nothing`, "Apply failed with 1 conflict"} {
		if _, err := Read(text); err == nil {
			t.Errorf("%q: want an error", text)
		} else if _, ok := errors.AsType[*FormatError](err); !ok {
			t.Errorf("%q: %T, want a *FormatError", text, err)
		}
	}
}

// TestPaths holds that a path as the API server writes it finds exactly the element that it is of.
func TestPaths(t *testing.T) {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	root, err := tree.Parse([]byte(`
metadata: {annotations: {a: x, a.b: x, a.b/c: x, a.b.c/d: x, .a: x, a..b: x, a.: x}, finalizers: [f/a, f/b]}
spec:
  list:
  - {name: a, ports: [{port: 1, v: x}, {port: 1, protocol: UDP, v: x}, {port: 2, protocol: TCP, v: x}]}
  - {name: a.b, ports: [{port: 1, protocol: TCP, v: x}, {port: 2, v: x}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	pick := func(all ...string) string { return all[random.IntN(len(all))] }
	for range 500 {
		var path fieldpath.Path
		var want string
		if random.IntN(2) == 0 {
			key := pick("a", "a.b", "a.b/c", "a.b.c/d", ".a", "a..b", "a.")
			path, want = fieldpath.MakePathOrDie("metadata", "annotations", key), "/metadata/annotations/"+strings.ReplaceAll(key, "/", "~1")
		} else {
			name, port := random.IntN(2), 1+random.IntN(2)
			names := []string{"a", "a.b"}
			element := fieldpath.KeyByFields("port", port, "protocol", "TCP")
			path = fieldpath.MakePathOrDie("spec", "list", fieldpath.KeyByFields("name", names[name]), "ports", element, "v")
			want = fmt.Sprintf("/spec/list/%d/ports/%d/v", name, (port-1)*(2-name))
		}
		p, ok := parsePath(path.String())
		if places, _ := newFinder().find(p, root, 0, nil, nil); !ok || len(places) != 1 || places[0].Pointer() != want {
			t.Errorf("%s: found %v, want %s", path, places, want)
		}
	}
	set := fieldpath.MakePathOrDie("metadata", "finalizers", value.NewValueInterface("f/b"))
	p, _ := parsePath(set.String())
	if places, _ := newFinder().find(p, root, 0, nil, nil); len(places) != 1 || places[0].Pointer() != "/metadata/finalizers/1" {
		t.Errorf("%s: found %v", set, places)
	}
}

// FuzzRead holds that a conflict comes back from any text that quotes it, and that no text panics.
func FuzzRead(f *testing.F) {
	f.Add(several, "hpa", "app")
	f.Add(`conflict with "x": .a..b[x pods "x" is forbidden: no. .a: element 1: associative list with keys has an element that omits key field "b"`, "", "")
	f.Add(`.a: duplicate entries for key [x=1] (a/b; v1, Kind=C): .x[: field not declared in schema`, "", "=")
	f.Fuzz(func(t *testing.T, text, manager, name string) {
		if r, err := Read(text); err == nil {
			for _, found := range slices.Concat(r.Messages...) {
				if len(found.Path.outline()) == 0 && found.Problem != Unread && found.Problem != Forbidden {
					t.Errorf("%q: a finding without a path", text)
				}
			}
		}
		if strings.ContainsAny(manager+name, "\\\"\x1b│╷╵|\r\n") || strconv.Quote(manager+name) != `"`+manager+name+`"` {
			return
		}
		message := fmt.Sprintf("Apply failed with 1 conflict: conflict with %q using apps/v1: .spec.list[name=%q].v", manager, name)
		for _, text := range []string{message, strconv.Quote(message)} {
			r, err := Read(text)
			if err != nil || len(r.Messages) != 1 || r.Messages[0][0].Manager != manager || r.Messages[0][0].Path.steps[2].Conditions[0].Value != name {
				t.Errorf("%s: got %s, %v", text, show(r), err)
			}
		}
	})
}
