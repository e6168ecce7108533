package convert

import (
	"testing"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// FuzzConvert reads any document as each of the forms, and writes each: what comes out is a valid
// functionConfig, and nothing panics.
func FuzzConvert(f *testing.F) {
	for _, pattern := range []string{"/*.txtar", "/found/*.txtar"} {
		for _, c := range golden.Cases(f, testdata+pattern) {
			f.Add(c.File("input.yaml"))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o, err := object.ParseDocument(text)
		if err != nil {
			return
		}
		for _, from := range SourceNames {
			for _, to := range TargetNames {
				out, err := Convert(from, to, []*object.Object{o}, Options{})
				if err != nil || to != toIgnoreFields.Name {
					continue
				}
				for _, document := range out.Documents {
					if _, faults := ignorefields.Decode(document.Root()); len(faults) > 0 {
						t.Errorf("from %s: %v", from, faults)
					}
				}
			}
		}
	})
}
