package ignorefields

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// AddMark adds an action to the table, for the time of a test: it annotates the objects in which
// the rules find something.
func AddMark(t *testing.T) {
	before := actions
	t.Cleanup(func() { actions = before })
	actions = append(actions[:len(actions):len(actions)], Action{
		Name: "Mark", Does: "marks the object",
		act: func(j *job) error {
			j.reportFields("FieldsMarked", "marked", j.resolver.Found)
			return SetAnnotation(j.object, annotationsAt.With(location.Key("marked")), "true")
		},
	})
}
