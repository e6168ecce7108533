// Package e2e has the tests that use krm-fields from outside: under its hosts (in the folders), and
// as an entry of the functions catalog (here).
package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestMetadata checks metadata.yaml against the rules of the kpt functions catalog: which fields
// are required, and that every example is listed.
func TestMetadata(t *testing.T) {
	file, err := os.Open("../metadata.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var metadata struct {
		Image              string
		Description        string
		Tags               []string
		SourceURL          string   `yaml:"sourceURL"`
		ExamplePackageURLs []string `yaml:"examplePackageURLs"`
		Emails             []string
		License            string
	}
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	if err := decoder.Decode(&metadata); err != nil {
		t.Fatal(err)
	}
	for field, value := range map[string]string{
		"image": metadata.Image, "description": metadata.Description, "sourceURL": metadata.SourceURL,
		"license": metadata.License,
	} {
		if value == "" {
			t.Errorf("metadata.yaml must have %s", field)
		}
	}
	if len(metadata.Emails) == 0 {
		t.Error("metadata.yaml must have emails")
	}
	if diff := cmp.Diff([]string{"mutator"}, metadata.Tags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	folders, err := filepath.Glob("../examples/*/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, readme := range folders {
		want = append(want, metadata.SourceURL+"/tree/main/examples/"+filepath.Base(filepath.Dir(readme)))
	}
	if diff := cmp.Diff(want, metadata.ExamplePackageURLs); diff != "" {
		t.Errorf("examplePackageURLs (-want +got):\n%s", diff)
	}
}

// TestSchemaStore checks that the entry for the JSON Schema Store names the schema by its own $id,
// and the file in which diff looks for rules.
func TestSchemaStore(t *testing.T) {
	var entry struct {
		Name, Description, URL string
		FileMatch              []string
	}
	var schema struct {
		ID string `json:"$id"`
	}
	for file, into := range map[string]any{"../schema/schemastore.json": &entry, "../schema/ignorefields.json": &schema} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	if entry.URL != schema.ID || entry.Name == "" || entry.Description == "" || !slices.Contains(entry.FileMatch, ".krm-fields.yaml") {
		t.Errorf("the entry must name the schema %s and the file .krm-fields.yaml, is %+v", schema.ID, entry)
	}
}
