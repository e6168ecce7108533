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
	return ByLine(root, lines, offset)[line]
}

// ByLine returns what OnLine does for each line that has a place.
func ByLine(root *tree.Node, lines []string, offset int) map[int][]Location {
	places := map[int][]Location{}
	end := func(int) {} // adds the lines between the place before and the line of the next
	walk(root, nil, func(value *tree.Node, line int, at Location) {
		if line == 0 {
			return // a copy of an anchor's value, which is elsewhere in the file
		}
		line += offset
		end(line)
		places[line] = append(places[line], at)
		end = func(next int) {
			for _, l := range continued(lines[:min(next-1, len(lines))], value, line) {
				places[l] = []Location{at}
			}
		}
	})
	end(len(lines) + 1)
	return places
}

// continued returns the lines that a scalar goes on to behind the line on which it begins: they are
// indented deeper.
func continued(lines []string, value *tree.Node, line int) []int {
	if value.Kind != tree.ScalarNode || line >= len(lines) {
		return nil
	}
	isPlain := value.Style&(tree.LiteralStyle|tree.FoldedStyle|tree.DoubleQuotedStyle|tree.SingleQuotedStyle) == 0
	depth := indentOf(lines[line-1])
	var more []int
	for i, text := range lines[line:] {
		trimmed := strings.TrimSpace(text)
		switch {
		case trimmed == "":
		case indentOf(text) <= depth:
			return more
		case !isPlain || trimmed[0] != '#':
			more = append(more, line+i+1)
		}
	}
	return more
}

// NextLine returns the first place of root that begins behind a line of a file, and its line, where
// offset is as for OnLine; 0 if none does.
func NextLine(root *tree.Node, offset, line int) (next Location, at int) {
	walk(root, nil, func(_ *tree.Node, begins int, l Location) {
		if begins += offset; begins > line && (at == 0 || begins < at) {
			next, at = l, begins
		}
	})
	return next, at
}

// Places returns how many places root has, without those that aliases name again.
func Places(root *tree.Node) int {
	count := 0
	walk(root, nil, func(*tree.Node, int, Location) { count++ })
	return count
}

// walk visits all places in n, which is at a location, in the order of the text: the value of each
// and the line on which it begins.
func walk(n *tree.Node, at Location, visit func(value *tree.Node, line int, at Location)) {
	place := func(value *tree.Node, line int, at Location) {
		visit(value, line, at)
		walk(value, at, visit)
	}
	switch n.Kind {
	case tree.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key, value := n.Content[i], n.Content[i+1]; !tree.IsMergeKey(key) {
				place(value, key.Line(), at.With(Key(tree.Deref(key).Text())))
			}
		}
	case tree.SequenceNode:
		for i, element := range n.Content {
			place(element, element.Line(), at.With(Index(i)))
		}
	}
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
