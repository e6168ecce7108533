package wire

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/tree"
)

// resultsPlace is where a cut list takes more results: the bytes from start to
// end of its head or its tail give way to them, with prefix before them.
type resultsPlace struct {
	inHead     bool
	start, end int
	prefix     string
	depth      int
}

// findResults finds the place of the results of a cut list. It reports false
// where they are not in block style.
func findResults(c *cutList, results *yaml.Node) (resultsPlace, bool) {
	if results == nil {
		return resultsPlace{start: len(c.tail), end: len(c.tail), prefix: "results:\n"}, true
	}
	place := resultsPlace{inHead: results.Line <= bytes.Count(c.head, []byte{'\n'})}
	part, line := c.tail, results.Line-bytes.Count(c.head, []byte{'\n'})
	if place.inHead {
		part, line = c.head, results.Line
	}
	start := lineStart(part, line)
	if len(results.Content) == 0 {
		place.start, place.end, place.prefix = start, start+len(lineAt(part, start)), "results:\n"
		return place, bytes.HasPrefix(part[start:], []byte("results:"))
	}
	if results.Style&yaml.FlowStyle != 0 || !isDash(lineAt(part, start)) || tree.Deref(results) != results {
		return place, false
	}
	place.depth = results.Column - 1
	place.start = topLevelEnd(part, start)
	place.end = place.start
	return place, true
}

// lineStart is the offset of a line, from 1.
func lineStart(text []byte, line int) int {
	offset := 0
	for ; line > 1 && offset < len(text); line-- {
		offset += len(lineAt(text, offset))
	}
	return offset
}

// topLevelEnd is the end of the last line of the list that begins at an offset:
// before the comments, blank lines and the key that follow it.
func topLevelEnd(text []byte, offset int) int {
	end := offset
	for offset < len(text) {
		line := lineAt(text, offset)
		offset += len(line)
		if isBlankOrComment(line) {
			continue
		}
		if line[0] != ' ' && !isDash(line) {
			return end
		}
		end = offset
	}
	return end
}

// insert returns the head and the tail with the text of more results.
func (p resultsPlace) insert(head, tail, results []byte) (newHead, newTail []byte) {
	if len(results) == 0 {
		return head, tail
	}
	if p.inHead {
		return p.splice(head, results), tail
	}
	return head, p.splice(tail, results)
}

func (p resultsPlace) splice(part, results []byte) []byte {
	before := slices.Clip(part[:p.start])
	if len(before) > 0 && before[len(before)-1] != '\n' {
		before = append(before, '\n')
	}
	return slices.Concat(before, []byte(p.prefix), results, part[p.end:])
}
