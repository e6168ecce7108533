package ignorefields

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/words"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// needless says of an expression of which objects lack the last field what the
// schemas of their kinds know: that no rule is needed for a field that the package
// does not set, or that there is no such field; "" where they know neither.
func (r *run) needless(dialect, expression string, h hint) string {
	segments := plainPath(dialect, expression)
	if len(segments) == 0 || h.depth != len(segments)-1 {
		return ""
	}
	name := segments[h.depth]
	var without []string
	var known []string
	for _, gvk := range h.kinds {
		kind := r.schemas.kind(gvk)
		parent := kind.At(typedPath(kind, segments[:h.depth])).Type
		if kind.Origin == schema.Assumed || parent.Map == nil || len(parent.Map.Fields) == 0 {
			return ""
		}
		if parent.Map.Field(name) != nil {
			return "the package does not set the field, so a server-side apply leaves it alone, and no rule is needed"
		}
		without = append(without, fmt.Sprintf("%s %s has no such field (schema: %s)", gvk.Kind, gvk.APIVersion(), kind.Source))
		for _, field := range parent.Map.Fields {
			known = append(known, field.Name)
		}
	}
	text := strings.Join(without, ", ")
	if near, ok := words.Nearest(name, known); ok && !strings.Contains(h.text, near) {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return text
}

// plainPath returns the segments of an expression that is a path of names and
// indices in any of the dialects; nil for another one.
func plainPath(dialect, expression string) []string {
	if dialect == locate.JSONPointer {
		return locate.PointerSegments(expression)
	}
	into, pointer, err := locate.TranslateJSONPath(expression)
	if err != nil || into != locate.JSONPointer {
		return nil
	}
	return locate.PointerSegments(pointer)
}

// typedPath returns the location that segments name; the schema says what is a list.
func typedPath(kind *schema.Kind, segments []string) locate.Location {
	var l locate.Location
	for _, segment := range segments {
		index, err := strconv.Atoi(segment)
		isIndex := err == nil || segment == "*"
		if t := kind.At(l).Type; isIndex && t != nil && t.List != nil {
			l = append(l, locate.Index(max(index, 0)))
			continue
		}
		l = append(l, locate.Key(segment))
	}
	return l
}
