package cluster

import (
	"slices"
	"testing"
)

const sample = "# Title\n\n```sh\n$ not run\n```\n\n```console\n$ echo one\none\n$ true\n$ echo two \\\n    three\nat 12:… of\nthe day\n```\nText.\n"

func TestStepsOfPage(t *testing.T) {
	p := parsePage(sample)
	var commands, outputs []string
	for _, s := range p.steps {
		commands, outputs = append(commands, s.command), append(outputs, p.want(s))
	}
	if want := []string{"echo one", "true", "echo two \\\n    three"}; !slices.Equal(commands, want) {
		t.Errorf("commands: got %q, want %q", commands, want)
	}
	if want := []string{"one", "", "at 12:… of\nthe day"}; !slices.Equal(outputs, want) {
		t.Errorf("outputs: got %q, want %q", outputs, want)
	}
}

func TestPagePrints(t *testing.T) {
	p := parsePage(sample)
	for _, test := range []struct {
		step   int
		output string
		want   bool
	}{
		{0, "one", true}, {0, "one\ntwo", false}, {0, "", false}, {1, "", true}, {1, "error", false},
		{2, "at 12:34 of\nthe day", true}, {2, "at 12: of\nthe day", true}, {2, "at 12:34\n of\nthe day", false},
		{2, "at 13:00 of\nthe day", false},
	} {
		if got := p.prints(p.steps[test.step], test.output); got != test.want {
			t.Errorf("step %d, output %q: got %v, want %v", test.step, test.output, got, test.want)
		}
	}
}

func TestPageWithOutputs(t *testing.T) {
	got := parsePage(sample).with([]string{"other", "a\nb", "at 12:34 of\nthe day"})
	want := "# Title\n\n```sh\n$ not run\n```\n\n```console\n$ echo one\nother\n$ true\na\nb\n$ echo two \\\n    three\n" +
		"at 12:… of\nthe day\n```\nText.\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestPaths(t *testing.T) {
	var o object
	decode(t, `{"spec": {"replicas": 1, "containers": [{"name": "main", "ports": [{"containerPort": 80}], "env": [{"name": "A", "value": "1"}]}],
		"tolerations": [{"key": "a"}]}}`, &o)
	for named, want := range map[string]struct {
		path, expression string
		isField          bool
	}{
		"spec.replicas":                       {"spec.replicas", ".spec.replicas", true},
		"spec.containers[0].env[0].value":     {`spec.containers[name="main"].env[name="A"].value`, `.spec.containers[?(@.name=="main")].env[?(@.name=="A")].value`, true},
		"spec.containers[0].env[0].name":      {`spec.containers[name="main"].env[name="A"].name`, `.spec.containers[?(@.name=="main")].env[?(@.name=="A")].name`, false},
		`.spec.containers[name="main"].env`:   {`spec.containers[name="main"].env`, `.spec.containers[?(@.name=="main")].env`, true},
		"spec.containers[0]":                  {`spec.containers[name="main"]`, `.spec.containers[?(@.name=="main")]`, false},
		"spec.tolerations[0].key":             {"spec.tolerations[0].key", "", true},
		"spec.containers[0].ports[0].another": {`spec.containers[name="main"].ports[containerPort=80,protocol="TCP"].another`, "", true},
	} {
		path := pathIn(o, named)
		if path != want.path || isField(path) != want.isField || want.expression != "" && expressionFor(path) != want.expression {
			t.Errorf("%s: must be %v, found %s, %s, %t", named, want, path, expressionFor(path), isField(path))
		}
	}
}

func TestEntries(t *testing.T) {
	var o object
	decode(t, `{"metadata": {"managedFields": [{"manager": "a", "operation": "Apply", "fieldsV1": {"f:spec": {"f:replicas": {}, "f:tolerations": {},
		"f:containers": {"k:{\"name\":\"main\"}": {".": {}, "f:name": {}, "f:image": {}}}}}}]}}`, &o)
	e := entriesOf(o)[0]
	for path, want := range map[string]bool{
		"spec": false, "spec.replicas": true, "spec.tolerations[0].key": true, `spec.containers[name="main"]`: true,
		`spec.containers[name="main"].image`: true, `spec.containers[name="main"].env`: false, `spec.containers[name="other"].image`: false,
	} {
		if len(ownersOf([]entry{e}, path)) > 0 != want {
			t.Errorf("%s: must be owned: %t", path, want)
		}
	}
}
