//go:build !nopatches

package suggest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// figures counts cases of conflicts, and their fields.
type figures struct {
	cases, outside int // outside are those that the package does not show
	found, missed  int // fields that conflict, without those of outside
	besides        int // fields that are found, and do not conflict
}

func (f figures) recall() float64    { return float64(f.found) / float64(f.found+f.missed) }
func (f figures) precision() float64 { return float64(f.found) / float64(f.found+f.besides) }

// String is the sentence of the documentation.
func (f figures) String() string {
	return fmt.Sprintf("Of %d reported conflicts, the package shows %d, with %d fields; %d of these fields are found (recall %.2f), and %d other (precision %.2f).",
		f.cases, f.cases-f.outside, f.found+f.missed, f.found, f.recall(), f.besides, f.precision())
}

// TestConflicts holds which fields of conflicts that people have reported are found in the package
// alone, before the apply, and which not. A case whose package can't show the other writer says why
// in its setting outside.
func TestConflicts(t *testing.T) {
	var all figures
	golden.Run(t, "testdata/conflicts/*.txtar", func(t *testing.T, c *golden.Case) {
		objects := read(t, c, "package.yaml")
		failed, err := Read(string(c.File("error")))
		if err != nil {
			t.Fatal(err)
		}
		found, _, err := Check(&world.World{Objects: objects}, options)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		conflicts := conflictsIn(failed, objects)
		if len(conflicts) == 0 {
			t.Error("the package must have a field that conflicts")
		}
		isOutside := c.Setting("outside") != ""
		if all.cases++; isOutside {
			all.outside++
		}
		for _, at := range conflicts {
			isSame := func(f TwoWriters) bool { return f.Name+" "+f.Path == at }
			i := slices.IndexFunc(found, isSame)
			switch {
			case i >= 0:
				all.found++
			case !isOutside:
				all.missed++
			}
			if i >= 0 {
				fmt.Fprintf(&out, "found: %s, %s\n", at, found[i].Owners[0].Name)
			} else {
				fmt.Fprintf(&out, "not found: %s\n", at)
			}
		}
		for _, f := range found {
			if at := f.Name + " " + f.Path; !slices.Contains(conflicts, at) {
				all.besides++
				fmt.Fprintf(&out, "besides: %s, %s\n", at, f.Owners[0].Name)
			}
		}
		c.Expect(t, []string{"error", "package.yaml"}, txtar.File{Name: "want", Data: []byte(out.String())})
	})
	if all.cases < len(golden.Cases(t, "testdata/conflicts/*.txtar")) {
		return // only some of them were run
	}
	if all.recall() < 0.9 || all.precision() < 0.95 {
		t.Errorf("recall must be 0.90 and precision 0.95 at least, got %.2f and %.2f", all.recall(), all.precision())
	}
	page, err := os.ReadFile("../../../docs/owners.md")
	if err != nil || !strings.Contains(string(page), all.String()) {
		t.Errorf("docs/owners.md must say %q, %v", all.String(), err)
	}
}

// conflictsIn are the fields of the package that conflict, each after the name of its object.
func conflictsIn(failed Report, objects []*object.Object) (all []string) {
	e := fromError{objects: objects, finder: newFinder(), byName: map[string][]int{}}
	for i, o := range objects {
		ref := report.RefOf(o.Root())
		e.refs = append(e.refs, ref)
		e.byName[""], e.byName[ref.Name] = append(e.byName[""], i), append(e.byName[ref.Name], i)
	}
	for _, found := range slices.Concat(failed.Messages...) {
		f := finding{Finding: found, object: -1}
		if fitting := e.fitting(f); len(fitting) == 1 {
			f = e.placed(f, fitting[0])
		}
		for _, at := range f.places {
			all = append(all, f.Ref.Name+" "+at.String())
		}
	}
	return all
}
