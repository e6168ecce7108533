package patchpath

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// Write writes a path, which callers verify; "" if it has steps that no path of ApplyPatches has.
func Write(path hint.Path) string {
	var b strings.Builder
	for _, s := range path {
		switch {
		case s.Kind == hint.Key || s.Kind == hint.Index:
			b.WriteString("/" + location.EscapePointer(s.Key))
		case s.Kind == hint.Elements:
			b.WriteString("[*]")
		case s.Kind == hint.Filter && len(s.Conditions) == 1:
			b.WriteString(writeFilter(s.Conditions[0].Test()))
		default:
			return ""
		}
	}
	return b.String()
}
