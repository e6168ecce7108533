package selector

import "github.com/krm-fields/krm-fields/internal/krm/config"

// The fields of a selector; labels and annotations are also the fields of the metadata where they
// are looked up.
const (
	fieldAPIVersion    = "apiVersion"
	fieldGroup         = "group"
	fieldVersion       = "version"
	fieldKind          = "kind"
	fieldName          = "name"
	fieldNamespace     = "namespace"
	fieldLabels        = "labels"
	fieldAnnotations   = "annotations"
	fieldLabelSelector = "labelSelector"

	fieldAnnotationSelector = "annotationSelector"
)

// identityFields are the fields that Candidate.field knows.
var identityFields = []string{fieldAPIVersion, fieldGroup, fieldVersion, fieldKind, fieldName, fieldNamespace}

// condition is one field of a selector, or one pair of its labels or annotations.
type condition struct {
	field string
	// key is that of a label or annotation.
	key string
	// want is the value as written.
	want  string
	holds func(o *Candidate) bool
	// flat is true for the data of a ConfigMap, which can't have another entry.
	flat bool
}

// String returns the condition as messages show it: `kind: Deployment`.
func (c condition) String() string {
	if c.key != "" {
		return c.field + ": {" + config.Quote(c.key) + ": " + config.Quote(c.want) + "}"
	}
	return c.field + ": " + value(c.want)
}

// value writes a value for a message, in quotes only if needed.
func value(text string) string {
	quoted := config.Quote(text)
	if text != "" && quoted == `"`+text+`"` {
		return text
	}
	return quoted
}

// field returns the value of an identity field.
func (o *Candidate) field(name string) string {
	switch name {
	case fieldAPIVersion:
		return o.APIVersion
	case fieldGroup:
		return o.Group
	case fieldVersion:
		return o.Version
	case fieldKind:
		return o.Kind
	case fieldName:
		return o.Name
	case fieldNamespace:
		return o.Namespace
	}
	return ""
}
