package patchpath

import (
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Write writes a path, which callers verify; "" if it has steps that no path of ApplyPatches has.
func Write(path hint.Path) string {
	var b strings.Builder
	for _, s := range path {
		switch {
		case s.IsSegment():
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

// Joined returns the path in which the names that follow each other from the index first on are one
// key with slashes in it; "" where they are not all names, or where no such path can be written.
func (p *Path) Joined(first, count int) string {
	end := first + count
	if count < 2 || end > len(p.segments) {
		return ""
	}
	names := make([]string, count)
	for i, s := range p.segments[first:end] {
		if s.kind != nameSegment {
			return ""
		}
		names[i] = s.name
	}
	joined := segment{kind: nameSegment, name: strings.Join(names, "/")}
	return spellSegments(slices.Concat(p.segments[:first], []segment{joined}, p.segments[end:]))
}

// SlashFix returns the path in which the names from the first that is missing on are joined with
// slashes to a key that the object has; "" where it has none.
func (p *Path) SlashFix(root *tree.Node, missing Target) string {
	first := len(missing.Parent)
	var names []string
	for _, s := range p.segments[first:] {
		if s.kind != nameSegment {
			break
		}
		names = append(names, s.name)
	}
	counts := hint.Joined(location.At(root, missing.Parent), names, "/")
	if len(counts) == 0 {
		return ""
	}
	return p.Joined(first, counts[0])
}

// Fit returns the path that its writer may mean and that finds something in the object, or "".
func (p *Path) Fit(root *tree.Node) string {
	g, ok := hint.Guess(p.text)
	if ok {
		g, ok = hint.Fit(g, root)
	}
	if !ok || Write(g) == p.text {
		return ""
	}
	fitting, err := Parse(Write(g))
	if err != nil {
		return ""
	}
	places, err := fitting.Resolve(root)
	if err != nil || !slices.ContainsFunc(places, func(t Target) bool { return t.Exists }) {
		return ""
	}
	return fitting.text
}

// syntaxFix returns the fix for a path that does not parse, or "".
func syntaxFix(text string) string {
	g, ok := hint.Guess(text)
	if !ok || strings.Contains(text, "${") {
		return ""
	}
	fix := Write(g)
	if _, err := parseSegments([]Piece{{Text: fix}}); err != nil || fix == text {
		return ""
	}
	return fmt.Sprintf("write '%s'", fix)
}

// StarFix returns the path with [*] for each segment `*`; "" where it has none.
func (p *Path) StarFix() string {
	isStar := func(s segment) bool { return s.kind == nameSegment && s.name == "*" }
	if !slices.ContainsFunc(p.segments, isStar) {
		return ""
	}
	fixed := slices.Clone(p.segments)
	for i, s := range fixed {
		if isStar(s) {
			fixed[i].kind = wildcardSegment
		}
	}
	return spellSegments(fixed)
}

// spellSegments writes a path of the segments, which is verified by parsing it; "" if that fails.
func spellSegments(segments []segment) string {
	var b strings.Builder
	for i, s := range segments {
		written := s.String()
		if i == 0 && written[0] == '[' {
			b.WriteByte('/')
		}
		b.WriteString(written)
	}
	text := b.String()
	if _, err := Parse(text); err != nil {
		return ""
	}
	return text
}

// String returns the segment as a path has it.
func (s segment) String() string {
	switch s.kind {
	case dashSegment:
		return "/-"
	case appendSegment:
		return "[-]"
	case wildcardSegment:
		return "[*]"
	case filterSegment:
		return writeFilter(*s.filter)
	}
	return "/" + location.EscapePointer(s.name)
}
