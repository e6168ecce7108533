package ignorefields

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
)

// Declares tells whether the schema of the object's kind has a field.
func (j *job) Declares(field location.Location) bool {
	return j.run.schemas.kind(schema.ParseGVK(j.ref.APIVersion, j.ref.Kind)).Declares(field)
}

// needless explains an expression by the schemas of objects: that no rule is needed for a field
// that the package does not set, or, where objects lack only the last field of the expression, that
// there is no such field; "" if the schemas are unknown.
func (r *run) needless(dialect, expression string, h hint) string {
	for _, gvk := range h.kinds {
		if kind := r.schemas.kind(gvk); kind.Declares(h.Missing) {
			return unset(kind.At(h.Missing).Atomic)
		}
	}
	segments := segmentsOf(dialect, expression)
	if len(segments) == 0 || h.Depth != len(segments)-1 {
		return ""
	}
	name := segments[h.Depth]
	var without []string
	var known []string
	for _, gvk := range h.kinds {
		kind := r.schemas.kind(gvk)
		parent := kind.At(typedPath(kind, segments[:h.Depth])).Type
		if kind.Origin == schema.Assumed || parent.Map == nil || len(parent.Map.Fields) == 0 {
			return ""
		}
		without = append(without, fmt.Sprintf("%s %s has no such field (schema: %s)", gvk.Kind, gvk.APIVersion(), kind.Source))
		for _, field := range parent.Map.Fields {
			known = append(known, field.Name)
		}
	}
	text := strings.Join(without, ", ")
	if near, ok := words.Nearest(name, known); ok && !strings.Contains(h.Text, near) {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return text
}

// unset says what an apply does to a field that the package does not set, by the atomic list or map
// around it; nil for none.
func unset(atomic location.Location) string {
	if atomic == nil {
		return "the package does not set the field, so a server-side apply leaves it alone, and no rule is needed"
	}
	return "the package does not set the field, but a server-side apply takes it away: whoever applies " + atomic.String() +
		" owns all of it; to leave it to another owner, leave out '" + atomic.Pointer() + "'"
}

// segmentsOf returns the segments of an expression that is a path of names and indices; nil for
// another one.
func segmentsOf(dialect, expression string) []string {
	d, ok := expr.ByName(dialect)
	if !ok || d.Segments == nil {
		return nil
	}
	return d.Segments(expression)
}

// typedPath returns the location that segments name; the schema says what is a list.
func typedPath(kind *schema.Kind, segments []string) location.Location {
	var l location.Location
	for _, segment := range segments {
		index, err := strconv.Atoi(segment)
		isIndex := err == nil || segment == "*"
		if t := kind.At(l).Type; isIndex && t != nil && t.List != nil {
			l = append(l, location.Index(max(index, 0)))
			continue
		}
		l = append(l, location.Key(segment))
	}
	return l
}
