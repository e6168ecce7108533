package patchpath

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/outline"
)

// Write writes a path, which callers verify; "" if it has steps that no path of ApplyPatches has.
func Write(path outline.Path) string {
	var b strings.Builder
	for _, s := range path {
		switch {
		case s.Kind == outline.Key || s.Kind == outline.Index:
			b.WriteString("/" + location.EscapePointer(s.Key))
		case s.Kind == outline.Elements:
			b.WriteString("[*]")
		case s.Kind == outline.Filter && len(s.Conditions) == 1:
			b.WriteString(writeFilter(s.Conditions[0].Test()))
		default:
			return ""
		}
	}
	return b.String()
}
