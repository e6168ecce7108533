package merge

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestPredict predicts the applies of testdata: an object on the cluster (live.yaml, if there is
// one), a package, the flags in the comment ("kubectl", "kubectl --force" or "helm --as helm"),
// perhaps a CustomResourceDefinition, and what comes out.
func TestPredict(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		t.Parallel()
		schemas := &schema.Schemas{}
		if crd := data(t, c, "crd.yaml"); crd != nil {
			if err := schemas.AddCRD(crd); err != nil {
				t.Fatal(err)
			}
		}
		apply := Apply{Package: data(t, c, "package.yaml"), Live: read(t, c, "live.yaml")}
		words := strings.Fields(c.Comment())
		apply.Manager, apply.Force = words[0], slices.Contains(words, "--force")
		if i := slices.Index(words, "--as"); i > 0 {
			apply.As = managedfields.ToolNamed(words[i+1])
		}
		c.Expect(t, []string{"crd.yaml", "package.yaml", "live.yaml"}, txtar.File{Name: "out", Data: []byte(describe(schemas, apply))})
	})
}

// read returns the object in a file of a case, nil if there is none.
func read(t testing.TB, c *golden.Case, name string) *tree.Node {
	t.Helper()
	if len(c.File(name)) == 0 {
		return nil
	}
	document, err := tree.Parse(c.File(name))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func data(t testing.TB, c *golden.Case, name string) map[string]any {
	t.Helper()
	object, _ := tree.Value(read(t, c, name)).(map[string]any)
	return object
}

// describe is what a prediction says, as text.
func describe(schemas *schema.Schemas, apply Apply) string {
	apply.Entries, _ = managedfields.Of(apply.Live)
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
	if err := prediction.Invalid(); err != nil {
		fmt.Fprintf(&b, "invalid: %s\n", err)
	}
	for _, m := range prediction.After {
		text, err := m.Fields.ToJSON()
		fmt.Fprintf(&b, "%s %s %s %s: %s %v\n", m.Name, m.Operation, m.APIVersion, m.Subresource, text, err)
	}
	writeFields(&b, prediction)
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(prediction.Object); err != nil {
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
		Live:    tree.FromValue(map[string]any{"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler"}),
		Package: map[string]any{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler"},
	})
	if !errors.Is(err, ErrVersions) {
		t.Errorf("got %v, want %v", err, ErrVersions)
	}
}

// TestPredictSideBySide predicts at the same time on a kind that none of them has seen.
func TestPredictSideBySide(t *testing.T) {
	c := golden.Cases(t, "testdata/last-applied-other-manager.txtar")[0]
	for range 50 {
		parsers.Clear()
		var wg sync.WaitGroup
		for range 8 {
			apply := Apply{Manager: "argocd-controller", Package: data(t, c, "package.yaml"), Live: read(t, c, "live.yaml")}
			apply.Entries, _ = managedfields.Of(apply.Live)
			wg.Go(func() {
				if _, err := Predict(&schema.Schemas{}, apply); err != nil {
					t.Errorf("got the error %v, want none", err)
				}
			})
		}
		wg.Wait()
	}
}

func BenchmarkPredict(b *testing.B) {
	c := golden.Cases(b, "testdata/force.txtar")[0]
	apply := Apply{Manager: "kubectl", Force: true, Package: data(b, c, "package.yaml"), Live: read(b, c, "live.yaml")}
	apply.Entries, _ = managedfields.Of(apply.Live)
	schemas := &schema.Schemas{}
	for b.Loop() {
		if _, err := Predict(schemas, apply); err != nil {
			b.Fatal(err)
		}
	}
}
