package ignorefields

import (
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var annotationsAt = location.Location{location.Key("metadata"), location.Key("annotations")}
var recordAt = annotationsAt.With(location.Key(rules.RecordAnnotation))
var labelsAt = location.Location{location.Key("metadata"), location.Key("labels")}

// annotation returns the value of an annotation; false if it is missing.
func annotation(root *tree.Node, name string) (string, bool) {
	n := tree.Get(root, "metadata", "annotations", name)
	if n == nil || n.Kind != tree.ScalarNode {
		return "", false
	}
	return n.Text(), true
}

// setAnnotation sets the annotation at a location, and creates metadata and metadata.annotations if
// missing. The error is an *object.PlaceError.
func setAnnotation(o *object.Object, at location.Location, value string) error {
	around := location.At(o.Root(), at[:len(at)-1])
	if old := tree.Lookup(around, at[len(at)-1].Key); old != nil && old.Kind == tree.ScalarNode && old.Text() == value {
		return nil
	}
	n := o.NewString(value)
	for len(at) > 1 && tree.Type(around) == tree.Null {
		last := at[len(at)-1]
		at, n = at[:len(at)-1], &tree.Node{Kind: tree.MappingNode, Content: []*tree.Node{o.NewString(last.Key), n}}
		around = location.At(o.Root(), at[:len(at)-1])
	}
	return o.Set(at, n)
}

func removeAnnotation(o *object.Object, at location.Location) {
	o.Remove([]location.Location{at})
}

// mayHaveAnnotation tells whether an item may have an annotation whose name begins with
// AnnotationGroup. It does not parse the text, and looks for what all of them begin with first,
// which Mentions remembers.
func mayHaveAnnotation(item *object.Object, name string) bool {
	return item.Mentions(AnnotationGroup) && item.Mentions(name)
}
