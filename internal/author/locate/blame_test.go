package locate_test

import (
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/author/locate"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/world"
)

// TestBlameColours holds that each manager has a colour of its own, whatever its operation, and one
// that owns a field in two versions one line.
func TestBlameColours(t *testing.T) {
	files, err := manifests.Read([]string{manifests.Stdin}, strings.NewReader(`apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  managedFields:
  - {manager: one, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:a": {}}}}
  - {manager: two, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:b": {}}}}
  - {manager: one, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:c": {}}}}
  - {manager: two, operation: Update, apiVersion: v0, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:b": {}}}}
data:
  a: "1"
  b: "2"
  c: "3"
  d: "4"
`))
	if err != nil {
		t.Fatal(err)
	}
	objects := manifests.Objects(files)
	all, _, err := locate.NewBlame(&world.World{Objects: objects, Live: objects, HasLive: true}, files, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := locate.WriteBlame(&out, all, true); err != nil {
		t.Fatal(err)
	}
	want := "\x1b[31mone (Apply)   \x1b[0m  11    a: \"1\"\n" +
		"\x1b[32mtwo (Update)  \x1b[0m  12    b: \"2\"\n" +
		"\x1b[31mone (Update)  \x1b[0m  13    c: \"3\"\n" +
		"                14    d: \"4\"\n"
	if _, got, _ := strings.Cut(out.String(), "10  data:\n"); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// TestBlameOfEmptyMap holds that who owns something in a map does not own the map, as in the plan,
// also where the package has it empty, or null.
func TestBlameOfEmptyMap(t *testing.T) {
	read := func(text string) []*manifests.File {
		files, err := manifests.Read([]string{manifests.Stdin}, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	files := read("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {}\n  annotations: {}\ndata:\n")
	live := read(`apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  labels: {x: "1"}
  annotations: {x: "1"}
  managedFields:
  - {manager: one, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:metadata": {"f:labels": {"f:x": {}}}, "f:data": {"f:x": {}}}}
  - {manager: two, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:metadata": {"f:annotations": {".": {}, "f:x": {}}}}}
data: {x: "1"}
`)
	all, _, err := locate.NewBlame(&world.World{Objects: manifests.Objects(files), Live: manifests.Objects(live), HasLive: true}, files, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := locate.WriteBlame(&out, all, false); err != nil {
		t.Fatal(err)
	}
	want := "                5    labels: {}\ntwo (Update)    6    annotations: {}\n                7  data:\n"
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
