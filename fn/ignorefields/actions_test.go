package ignorefields_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/cli"
	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/configschema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const (
	marking = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata: {name: marks}
ignoreFields: [{jsonPointers: [/spec/replicas]}]
action: Mark
objectHash: {emit: false}
`
	web = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3 # by hand
`
	marked = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations:
    marked: "true"
spec:
  replicas: 3 # by hand
`
)

// run runs a functionConfig on one object. It returns its text and the messages.
func run(t *testing.T, functionConfig, text string) (string, []string) {
	t.Helper()
	config, err := tree.Parse([]byte(functionConfig))
	if err != nil {
		t.Fatal(err)
	}
	item, err := object.ParseDocument([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	_, results := ignorefields.Options{}.Run(config, []*object.Object{item}, nil)
	var messages []string
	for _, r := range results {
		messages = append(messages, r.Severity+": "+r.Message)
	}
	out, err := item.Text()
	if err != nil {
		t.Fatal(err)
	}
	return string(out), messages
}

// TestANewActionIsKnownEverywhere adds an action to the table alone.
func TestANewActionIsKnownEverywhere(t *testing.T) {
	out, messages := run(t, marking, web)
	want := []string{`error: action: must be Strip, Annotate or TakeLive, found "Mark"`}
	if diff := cmp.Diff(want, messages); diff != "" || out != web {
		t.Errorf("without the action (-want +got):\n%s\n%s", diff, out)
	}

	ignorefields.AddMark(t)
	out, messages = run(t, marking, web)
	want = []string{"info: 1 field marked: spec.replicas (ignoreFields[0].jsonPointers[0])"}
	if diff := cmp.Diff(want, messages); diff != "" {
		t.Errorf("with the action (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(marked, out); diff != "" {
		t.Errorf("an action that does not say so must not strip (-want +got):\n%s", diff)
	}
	_, messages = run(t, strings.Replace(marking, "action: Mark", "action: Marc", 1), web)
	want = []string{`error: action: must be Strip, Annotate, TakeLive or Mark, found "Marc"; did you mean "Mark"?`}
	if diff := cmp.Diff(want, messages); diff != "" {
		t.Errorf("a misspelt action (-want +got):\n%s", diff)
	}

	page, err := configschema.Of(ignorefields.Kind).Text()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "Mark marks the object.") {
		t.Errorf("the JSON Schema must say what the action does:\n%s", page)
	}
	config, err := tree.Parse([]byte(marking))
	if err != nil {
		t.Fatal(err)
	}
	if err := golden.Validate(t, configschema.Of(ignorefields.Kind), config); err != nil {
		t.Errorf("the JSON Schema must accept the action: %v", err)
	}

	dir := t.TempDir()
	for name, text := range map[string]string{"rules.yaml": marking, "web.yaml": web} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	explained := commandLine(t, "explain", "-c", filepath.Join(dir, "rules.yaml"), filepath.Join(dir, "web.yaml"))
	if !strings.Contains(explained, `+    marked: "true"`) || strings.Contains(explained, "-  replicas") {
		t.Errorf("explain must show what the action does, found:\n%s", explained)
	}
	ran := commandLine(t, "run", "--pointer", "/spec/replicas", "--action", "Mark", filepath.Join(dir, "web.yaml"))
	if !strings.Contains(ran, `marked: "true"`) {
		t.Errorf("--action must take the action, found:\n%s", ran)
	}
	if completed := commandLine(t, "__complete", "run", "--action", ""); !strings.Contains(completed, "Mark\n") {
		t.Errorf("the completion must offer the action, found:\n%s", completed)
	}
}

func commandLine(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if code := cli.Main(args, cli.Build{}, cli.Streams{In: os.Stdin, Out: &out, Err: &out}); code != 0 {
		t.Errorf("%q: exit code %d:\n%s", args, code, out.String())
	}
	return out.String()
}

// TestDefaultAction holds the defaults of both forms against the table.
func TestDefaultAction(t *testing.T) {
	if first := ignorefields.Strip.Enum()[0]; first != string(ignorefields.Strip) {
		t.Errorf("the first action is %s, want the default, %s", first, ignorefields.Strip)
	}
	for _, text := range []string{marking, "apiVersion: v1\nkind: ConfigMap\ndata: {jsonPointers: /spec/replicas}\n"} {
		config, err := tree.Parse([]byte(strings.Replace(text, "action: Mark\n", "", 1)))
		if err != nil {
			t.Fatal(err)
		}
		c, faults := ignorefields.Decode(config)
		if len(faults) > 0 || c.Action != ignorefields.Strip {
			t.Errorf("the action of\n%sis %q, want %q; faults %v", text, c.Action, ignorefields.Strip, faults)
		}
	}
	if action := ignorefields.ActionOf("Mark"); !reflect.ValueOf(action).IsZero() || action.Effect != ignorefields.Kept {
		t.Errorf("an action that is not in the table must keep the fields, found %v", action)
	}
}
