package merge

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

var update = flag.Bool("update", false, "write what comes out into the files of testdata")

// TestPredict predicts the applies of testdata: an object on the cluster (live.yaml, if there is one), a package, the flags
// in the comment ("kubectl" or "kubectl --force"), perhaps a CustomResourceDefinition, and what comes out.
func TestPredict(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata must have files (%v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			schemas := &schema.Schemas{}
			for _, document := range read(t, archive, "crd.yaml") {
				if err := schemas.AddCRD(document); err != nil {
					t.Fatal(err)
				}
			}
			apply := Apply{Package: read(t, archive, "package.yaml")[0]}
			if live := read(t, archive, "live.yaml"); live != nil {
				apply.Live = live[0]
			}
			words := strings.Fields(string(archive.Comment))
			apply.Manager, apply.Force = words[0], slices.Contains(words, "--force")
			got := describe(schemas, apply)
			want := &archive.Files[len(archive.Files)-1]
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func read(t *testing.T, archive *txtar.Archive, name string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, file := range archive.Files {
		if file.Name != name {
			continue
		}
		var document map[string]any
		if err := yaml.Unmarshal(file.Data, &document); err != nil {
			t.Fatal(err)
		}
		all = append(all, document)
	}
	return all
}

// describe is what a prediction says, as text.
func describe(schemas *schema.Schemas, apply Apply) string {
	prediction, err := Predict(schemas, apply)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b bytes.Buffer
	switch {
	case prediction.Refused != nil:
		fmt.Fprintf(&b, "refused: %s\n", prediction.Refused)
		return b.String()
	case prediction.Conflicts != nil:
		for _, c := range prediction.Conflicts {
			fmt.Fprintf(&b, "conflict with %s %s %s: %s\n", c.Manager.Name, c.Manager.Operation, c.Manager.APIVersion, c.Field())
		}
		writeFields(&b, prediction)
		return b.String()
	}
	fmt.Fprintf(&b, "changed: %v\n", prediction.Changed)
	for _, m := range prediction.After {
		text, err := m.Fields.ToJSON()
		fmt.Fprintf(&b, "%s %s %s %s: %s %v\n", m.Name, m.Operation, m.APIVersion, m.Subresource, text, err)
	}
	writeFields(&b, prediction)
	object := prediction.Object
	if metadata, ok := object["metadata"].(map[string]any); ok {
		delete(metadata, "managedFields")
	}
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(object); err != nil {
		fmt.Fprintln(&b, err)
	}
	return strings.ReplaceAll(b.String(), " <nil>\n", "\n")
}

func writeFields(b *bytes.Buffer, prediction *Prediction) {
	fields, err := prediction.Fields()
	if err != nil {
		fmt.Fprintln(b, err)
	}
	for _, f := range fields {
		fmt.Fprintf(b, "%s %s: %v (%v) -> %v (%v), %v -> %v\n", f.Why, f.Location, f.Old, f.HasOld, f.New, f.HasNew, f.Before, f.After)
	}
}

func TestPredictOtherVersion(t *testing.T) {
	_, err := Predict(&schema.Schemas{}, Apply{
		Live:    map[string]any{"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler"},
		Package: map[string]any{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler"},
	})
	if err != ErrVersions {
		t.Errorf("got %v, want %v", err, ErrVersions)
	}
}

func BenchmarkPredict(b *testing.B) {
	archive, err := txtar.ParseFile("testdata/force.txtar")
	if err != nil {
		b.Fatal(err)
	}
	apply := Apply{Manager: "kubectl", Force: true}
	for _, file := range archive.Files {
		var document map[string]any
		switch err := yaml.Unmarshal(file.Data, &document); {
		case file.Name == "live.yaml" && err == nil:
			apply.Live = document
		case file.Name == "package.yaml" && err == nil:
			apply.Package = document
		}
	}
	schemas := &schema.Schemas{}
	for b.Loop() {
		if _, err := Predict(schemas, apply); err != nil {
			b.Fatal(err)
		}
	}
}
