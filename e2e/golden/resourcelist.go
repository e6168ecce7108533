package golden

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ListInputs are the files of a case that make up its ResourceList.
var ListInputs = []string{"input.yaml", "input.json", "config.yaml", "items.yaml"}

// header are the first lines of a functionConfig that has none of its own. The folder of the case
// has the kind's name.
const header = "apiVersion: fn.kpt.dev/v1alpha1\nkind: %s\nmetadata:\n  name: test\n"

// kinds are those of the folders of testdata/golden.
var kinds = map[string]string{"ignorefields": "IgnoreFields", "applypatches": "ApplyPatches", "applyoperations": "ApplyOperations"}

// Lists returns the cases of testdata/golden, given the way to testdata; their names begin with the
// kind's folder.
func Lists(t testing.TB, testdata string) []*Case {
	t.Helper()
	all := filepath.Join(testdata, "golden", "*", "*")
	cases := Cases(t, all+".txtar")
	if files, _ := filepath.Glob(all); len(files) != len(cases)+len(objects(testdata)) {
		t.Fatalf("%s must have archives only, and objects in its folder objects", filepath.Join(testdata, "golden"))
	}
	for _, c := range cases {
		c.Name = filepath.Base(filepath.Dir(c.path)) + "/" + c.Name
	}
	return cases
}

// objects are the files of the objects that cases share.
func objects(testdata string) []string {
	files, _ := filepath.Glob(filepath.Join(testdata, "golden", "objects", "*.yaml"))
	return files
}

// List returns the ResourceList that is the input of the case: input.yaml or input.json as it
// stands, or a list of config.yaml and items.yaml in the order in which they stand.
func (c *Case) List(t testing.TB) []byte {
	t.Helper()
	for _, name := range []string{"input.yaml", "input.json"} {
		if text := c.File(name); text != nil {
			return text
		}
	}
	list := []byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n")
	for _, f := range c.archive.Files {
		switch f.Name {
		case "items.yaml":
			list = append(append(list, "items:\n"...), c.items(t, string(f.Data))...)
		case "config.yaml":
			list = append(append(list, "functionConfig:\n"...), c.config(t, f.Data)...)
		}
	}
	return list
}

// config returns a functionConfig as the member of a list. One without apiVersion gets the header.
func (c *Case) config(t testing.TB, text []byte) []byte {
	if !bytes.HasPrefix(text, []byte("apiVersion:")) {
		kind := kinds[filepath.Base(filepath.Dir(c.path))]
		if kind == "" {
			t.Fatalf("%s: a functionConfig without apiVersion must be in the folder of a kind", c.path)
		}
		text = append([]byte(strings.Replace(header, "%s", kind, 1)), text...)
	}
	return indent(text, "  ")
}

// items returns the elements of a list, with the shared object in place of each element that is the
// name of its file.
func (c *Case) items(t testing.TB, text string) []byte {
	var items []byte
	for line := range strings.Lines(text) {
		name, isName := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "- ")
		if !isName || filepath.Ext(name) != ".yaml" || strings.Contains(name, " ") {
			items = append(items, line...)
			continue
		}
		object, err := os.ReadFile(filepath.Join(filepath.Dir(c.path), "..", "objects", name))
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, "- "...)
		items = append(items, indent(object, "  ")[2:]...)
	}
	return items
}

// indent puts spaces in front of each line that is not empty.
func indent(text []byte, spaces string) []byte {
	var indented []byte
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) > 0 {
			indented = append(indented, spaces...)
		}
		indented = append(indented, line...)
	}
	return indented
}
