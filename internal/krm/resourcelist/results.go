package resourcelist

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// resultsPlace is where a cut list gets more results: they replace the bytes from start to end of
// its head or its tail, with prefix before them.
type resultsPlace struct {
	inHead     bool
	start, end int
	prefix     string
	depth      int
}

// findResults finds the place for more results of a cut list. Their value begins on the line at an
// offset of the head and the tail together. It returns false if they are not in block style.
func findResults(c *cutList, results *yaml.Node, start int) (resultsPlace, bool) {
	if results == nil {
		end := documentEnd(c.tail)
		return resultsPlace{start: end, end: end, prefix: "results:\n"}, true
	}
	place := resultsPlace{inHead: start < len(c.head)}
	part := c.head
	if !place.inHead {
		part, start = c.tail, start-len(c.head)
	}
	if len(results.Content) == 0 {
		place.start, place.end, place.prefix = start, start+len(lineAt(part, start)), "results:\n"
		return place, isEmptyResults(lineAt(part, start))
	}
	if results.Style&yaml.FlowStyle != 0 || !isDash(lineAt(part, start)) || tree.Deref(results) != results {
		return place, false
	}
	place.depth = results.Column - 1
	place.start = topLevelEnd(part, start)
	place.end = place.start
	return place, true
}

// isEmptyResults tells whether a line is `results: []`, or without a value.
func isEmptyResults(line []byte) bool {
	value, ok := bytes.CutPrefix(line, []byte("results:"))
	value = trimBlanks(value)
	for _, empty := range []string{"[]", "null", "~"} {
		if rest, found := bytes.CutPrefix(value, []byte(empty)); found {
			value = rest
			break
		}
	}
	return ok && isBlankOrComment(value)
}

// documentEnd is the offset of the line `...` that ends a document, or of the end of the text.
func documentEnd(text []byte) int {
	for offset := 0; offset < len(text); {
		line := lineAt(text, offset)
		if rest, ok := bytes.CutPrefix(line, []byte("...")); ok && isBlankOrComment(rest) {
			return offset
		}
		offset += len(line)
	}
	return len(text)
}

// topLevelEnd returns the end of the last line of the list that begins at an offset: before the
// comments, blank lines and the key that follow it.
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

// insert returns the texts of the head and of the tail with more results.
func (p resultsPlace) insert(head, tail []byte, results [][]byte) (heads, tails [][]byte) {
	if len(results) == 0 {
		return [][]byte{head}, [][]byte{tail}
	}
	if p.inHead {
		return p.splice(head, results), [][]byte{tail}
	}
	return [][]byte{head}, p.splice(tail, results)
}

func (p resultsPlace) splice(part []byte, results [][]byte) [][]byte {
	return slices.Concat([][]byte{part[:p.start], []byte(p.prefix)}, results, [][]byte{part[p.end:]})
}
