package ignorefields

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// commentPrefix begins the line comment of a recorded field.
const commentPrefix = "# ignored: "

// annotate records the fields in an annotation of the object, which keeps them.
var annotate = Action{
	Name: "Annotate", Does: "records the fields", onCreate: true, ownsRecord: true,
	prepare: (*job).prepareRecord, act: (*job).record, adds: (*job).recordForCluster,
}

// record records the locations in the object's annotation, and as comments if the configuration
// says so.
func (j *job) record() error {
	before, _ := annotation(j.object.Root(), j.format().Annotation)
	fields, left, err := j.writeRecord(j.object)
	if err != nil {
		return err
	}
	if j.run.config.Annotate.Comments {
		j.comment(fields)
	}
	if value, _ := annotation(j.object.Root(), j.format().Annotation); before != value {
		j.reportFields(report.ReasonFieldsAnnotated, "annotated", fields)
	}
	for _, f := range left {
		j.outcome.results = append(j.outcome.results, j.result(report.SeverityWarning, fmt.Sprintf(
			"%s: %s is not recorded in the annotation %s, which can't express the condition OnSpokeChange or a field in a document inside a string",
			f.By.Name(), j.placeOf(f), j.format().Annotation), f.By.Tags(report.ReasonNotAnnotated, f.Condition)))
	}
	j.warnOfLost()
	return nil
}

// format is the format of the annotation.
func (j *job) format() *rules.Format { return rules.FormatOf(j.run.config.Annotate.Format) }

// prepareRecord writes an annotation that is for the cluster before the object is hashed, since it
// is applied too.
func (j *job) prepareRecord() error {
	if err := j.pruneFound(); err != nil {
		return err
	}
	return j.recordForCluster(&j.view)
}

// recordForCluster writes an annotation that is for the cluster.
func (j *job) recordForCluster(o *object.Object) error {
	if !j.format().IsForCluster {
		return nil
	}
	_, _, err := j.writeRecord(o)
	return err
}

// writeRecord writes the annotation of an object. It returns the recorded fields, and those that it
// can't hold.
func (j *job) writeRecord(o *object.Object) (fields, left []rules.Found, err error) {
	all := rules.Recordable(slices.DeleteFunc(slices.Clone(j.resolver.Found), j.isOwn))
	value, left, err := j.format().Text(all)
	if err != nil {
		return nil, nil, err
	}
	if j.format().Draft != "" {
		removeAnnotation(o, annotationsAt.With(location.Key(j.format().Draft)))
	}
	at := annotationsAt.With(location.Key(j.format().Annotation))
	_, had := annotation(o.Root(), j.format().Annotation)
	switch {
	case value == "" && had:
		removeAnnotation(o, at)
	case value != "":
		err = SetAnnotation(o, at, value)
	}
	isLeft := func(f rules.Found) bool {
		return slices.ContainsFunc(left, func(l rules.Found) bool { return location.Compare(l.Full(), f.Full()) == 0 })
	}
	return slices.DeleteFunc(all, isLeft), left, err
}

// isOwn tells whether f is an annotation that the run itself writes. A rule for all annotations
// would find it from the second run on.
func (j *job) isOwn(f rules.Found) bool {
	for _, format := range rules.Formats {
		for _, name := range format.Annotations() {
			if location.Compare(f.Location, annotationsAt.With(location.Key(name))) == 0 {
				return true
			}
		}
	}
	return location.Compare(f.Location, j.run.hashAt) == 0
}

// comment sets the line comments of the fields and removes outdated ones.
func (j *job) comment(fields []rules.Found) {
	var comments []object.LineComment
	for _, f := range fields {
		if len(f.Inside) == 0 {
			comments = append(comments, object.LineComment{Location: f.Location, Comment: commentPrefix + f.Condition})
		}
	}
	j.object.SetLineComments(comments, []string{commentPrefix + rules.OnSpokePresent, commentPrefix + rules.OnSpokeChange})
}

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

// SetAnnotation sets the annotation at a location, and creates metadata and metadata.annotations if
// missing. The error is an *object.PlaceError.
func SetAnnotation(o *object.Object, at location.Location, value string) error {
	around := location.At(o.Root(), at[:len(at)-1])
	if old := tree.Lookup(around, at[len(at)-1].Key); old != nil && old.Kind == tree.ScalarNode && old.Text() == value {
		return nil
	}
	n := o.NewString(value)
	for len(at) > 1 && tree.Type(around) == tree.Null {
		last := at[len(at)-1]
		at, n = at[:len(at)-1], &tree.Node{Kind: tree.MappingNode, Content: []*tree.Node{tree.NewString(last.Key), n}}
		around = location.At(o.Root(), at[:len(at)-1])
	}
	return o.Set(at, n)
}

func removeAnnotation(o *object.Object, at location.Location) {
	o.Remove([]location.Location{at})
}
