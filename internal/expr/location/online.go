package location

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// OnLine returns the places of root that begin on a line of a file, in the order of the text; where
// none does and the line goes on with a scalar that began before, that one's place. The lines are
// those of the file; offset is what the lines of the nodes lack to be its line numbers, which count
// from 1.
func OnLine(root *tree.Node, lines []string, offset, line int) []Location {
	w := lineWalk{line: line - offset}
	w.walk(root, nil)
	if len(w.on) > 0 || w.before == nil || line > len(lines) {
		return w.on
	}
	if w.before.node.Kind != tree.ScalarNode || !continues(lines, w.before, w.before.line+offset, line) {
		return nil
	}
	return []Location{w.before.location}
}

// NextLine returns the first place of root that begins behind a line of a file, and its line, where
// offset is as for OnLine; 0 if none does.
func NextLine(root *tree.Node, offset, line int) (Location, int) {
	w := lineWalk{line: line - offset}
	w.walk(root, nil)
	if w.after == nil {
		return nil, 0
	}
	return w.after.location, w.after.line + offset
}

// Places returns how many places root has, without those that aliases name again.
func Places(root *tree.Node) int {
	w := lineWalk{}
	w.walk(root, nil)
	return w.count
}

// lineWalk goes over all places in the order of the text.
type lineWalk struct {
	line          int
	on            []Location
	before, after *begun
	count         int
}

// begun is the last place that began before the line, or the first one after it.
type begun struct {
	location Location
	node     *tree.Node // its value
	line     int
}

func (w *lineWalk) walk(n *tree.Node, at Location) {
	switch n.Kind {
	case tree.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key, value := n.Content[i], n.Content[i+1]; !tree.IsMergeKey(key) {
				w.place(value, key.Line(), at.With(Key(tree.Deref(key).Text())))
			}
		}
	case tree.SequenceNode:
		for i, element := range n.Content {
			w.place(element, element.Line(), at.With(Index(i)))
		}
	}
}

func (w *lineWalk) place(value *tree.Node, line int, at Location) {
	w.count++
	switch {
	case line == w.line:
		w.on = append(w.on, at)
	case line < w.line:
		w.before = &begun{location: at, node: value, line: line}
	case w.after == nil || line < w.after.line:
		w.after = &begun{location: at, node: value, line: line}
	}
	w.walk(value, at)
}

// continues tells whether a scalar that begins on one line goes on to another: all lines between
// are blank or indented deeper.
func continues(lines []string, b *begun, from, to int) bool {
	isPlain := b.node.Style&(tree.LiteralStyle|tree.FoldedStyle|tree.DoubleQuotedStyle|tree.SingleQuotedStyle) == 0
	depth := indentOf(lines[from-1])
	for _, text := range lines[from:to] {
		if strings.TrimSpace(text) != "" && indentOf(text) <= depth {
			return false
		}
	}
	text := strings.TrimSpace(lines[to-1])
	return text != "" && (!isPlain || text[0] != '#')
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
