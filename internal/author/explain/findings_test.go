package explain

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

const two = `apiVersion: v1
kind: ConfigMap
metadata: {name: first}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: web
`

var web = report.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}

func objectsOf(t *testing.T, name, text string) (objects []*object.Object, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := manifests.Read([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return manifests.Objects(files), path
}

func TestLine(t *testing.T) {
	objects, path := objectsOf(t, "two.yaml", two)
	remove := func() { objects[1].Remove([]location.Location{{location.Key("spec"), location.Key("replicas")}}) }
	if err := objects[1].Use(remove); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]int{
		"spec.replicas":                         10,
		"spec.template.spec.containers[0].name": 14,
		"spec.template.spec.containers[7].name": 13, // what was there above it
		"":                                      5,
		`data["a.yaml"]: b`:                     5,
	} {
		result := report.Result{Ref: web, File: report.File{Path: path, Index: 1, HasIndex: true}, Field: report.Field{Path: field}}
		if got := (Results{All: []report.Result{result}, About: objects}).Findings()[0].Line; got != want {
			t.Errorf("line of %q: got %d, want %d", field, got, want)
		}
	}
	elsewhere := report.Result{Ref: report.Ref{Kind: "Service", Name: "web"}, File: report.File{Path: path}}
	if got := (Results{All: []report.Result{elsewhere}, About: objects}).Findings()[0].Line; got != 0 {
		t.Errorf("line of an object that is not there: got %d, want 0", got)
	}
}

func TestFilesAreNamedFromTheRoot(t *testing.T) {
	_, path := objectsOf(t, "two.yaml", two)
	_, dotted := objectsOf(t, "..two.yaml", two)
	folder := filepath.Dir(path)
	for name, test := range map[string]struct{ root, path, want string }{
		"no root":           {"", path, filepath.ToSlash(path)},
		"below it":          {filepath.Dir(folder), path, filepath.Base(folder) + "/two.yaml"},
		"dots in its name":  {filepath.Dir(dotted), dotted, "..two.yaml"},
		"not below it":      {filepath.Join(folder, "other"), path, filepath.ToSlash(path)},
		"no file":           {folder, "", ""},
		"stdin is no file":  {folder, "stdin", "stdin"},
		"a file that is no": {folder, "gone.yaml", "gone.yaml"},
	} {
		if got := fromRoot(test.root, test.path); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestWriteGitHub(t *testing.T) {
	findings := []Finding{
		{Result: report.Result{Severity: report.SeverityError, Message: "failed"}},
		{Result: report.Result{Severity: report.SeverityWarning, Message: "odd: 100%, or not", Ref: web, Detail: "a\n ^\n",
			Tags: map[string]string{"reason": report.ReasonNoMatch}}, File: "a,b:c%.yaml", Line: 7},
		{Result: report.Result{Severity: report.SeverityInfo, Message: "x\n::error::forged\r\x1b[1m"}, File: "a\n::error::b.yaml"},
	}
	var out bytes.Buffer
	if err := writeGitHub(&out, findings); err != nil {
		t.Fatal(err)
	}
	want := "::error::failed\n" +
		"::warning file=a%2Cb%3Ac%25.yaml,line=7,title=NoMatch::odd: 100%25, or not (Deployment web)%0Aa%0A ^\n" +
		"::notice file=a %3A%3Aerror%3A%3Ab.yaml::x ::error::forged  [1m\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestWriteSARIF(t *testing.T) {
	findings := []Finding{
		{Result: report.Result{Severity: report.SeverityWarning, Message: "odd", Ref: web,
			Tags: map[string]string{"reason": report.ReasonNoMatch}}, File: "two words.yaml", Line: 7},
		{Result: report.Result{Severity: report.SeverityInfo, Message: "fine"}, File: "b.yaml"},
		{Result: report.Result{Severity: report.SeverityError, Message: "failed", Tags: map[string]string{"reason": report.ReasonNoMatch}}},
	}
	var out bytes.Buffer
	if err := writeSARIF(&out, findings); err != nil {
		t.Fatal(err)
	}
	golden.ExpectFile(t, filepath.Join("testdata", "findings.sarif"), out.String())
}

func TestWriteJUnit(t *testing.T) {
	findings := []Finding{
		{Result: report.Result{Severity: report.SeverityError, Message: "a < b\x1b & \"c\"", Ref: web,
			Tags: map[string]string{"reason": report.ReasonNoMatch}}, File: "a.yaml", Line: 7},
		{Result: report.Result{Severity: report.SeverityInfo, Message: "fine"}},
	}
	var out bytes.Buffer
	if err := writeJUnit(&out, findings); err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="krm-fields" tests="2" failures="1">
  <testcase classname="NoMatch" name="Deployment web" file="a.yaml" line="7">
    <failure message="a &lt; b  &amp; &#34;c&#34; (Deployment web)"/>
  </testcase>
  <testcase classname="" name="" file="" line="0">
    <system-out>info: fine</system-out>
  </testcase>
</testsuite>
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("JUnit (-want +got):\n%s", diff)
	}
}

// TestManyResults writes more than a document may have nodes.
func TestManyResults(t *testing.T) {
	all := make([]report.Result, 50_000)
	for i := range all {
		all[i] = report.Result{
			Severity: report.SeverityInfo, Message: "1 field removed", Ref: web, Tags: map[string]string{"reason": report.ReasonFieldsIgnored},
		}
	}
	for _, w := range Writers {
		var out bytes.Buffer
		if err := w.Write(&out, Results{All: all}); err != nil {
			t.Errorf("%s: %v", w.Name, err)
		}
		if got := bytes.Count(out.Bytes(), []byte("1 field removed")); got != len(all) {
			t.Errorf("%s: %d of %d results", w.Name, got, len(all))
		}
	}
}
