package resourcelist

import (
	"bytes"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
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
func findResults(c *cutList, results *tree.Node, start int) (resultsPlace, bool) {
	if results == nil {
		end := lines.DocumentEnd(c.tail)
		return resultsPlace{start: end, end: end, prefix: "results:\n"}, true
	}
	place := resultsPlace{inHead: start < len(c.head)}
	part := c.head
	if !place.inHead {
		part, start = c.tail, start-len(c.head)
	}
	if len(results.Content) == 0 {
		place.start, place.end, place.prefix = start, start+len(lines.At(part, start)), "results:\n"
		return place, isEmptyResults(lines.At(part, start))
	}
	if results.Style&tree.FlowStyle != 0 && results.Anchor() == "" {
		return place.ofFlow(part, results, start)
	}
	if !lines.IsDash(lines.At(part, start)) || tree.Deref(results) != results {
		return place, false
	}
	place.depth = lines.Indent(lines.At(part, start))
	place.start = topLevelEnd(part, start)
	place.end = place.start
	return place, true
}

// ofFlow is the place for more results of a list in flow style that begins on the line of its key,
// at an offset of a part of the cut list. Its elements come before them, each on a line. It returns
// false if one is on several lines, or has a comment.
func (p resultsPlace) ofFlow(part []byte, results *tree.Node, start int) (resultsPlace, bool) {
	key, _, isOpened := bytes.Cut(lines.At(part, start), []byte("["))
	if !isOpened || string(bytes.TrimSpace(key)) != "results:" || results.End() == 0 || results.IsRough() { // as the places of yaml.v3's nodes are not known
		return p, false
	}
	from := start + len(key) - results.Start() // of an offset of a node
	end := from + results.End()
	rest := lines.At(part, end)
	if bytes.ContainsAny(part[start:end], "#\r") || !lines.IsBlankOrComment(rest) {
		return p, false
	}
	p.start, p.end, p.prefix = start, end+len(rest), "results:\n"
	for _, n := range results.Content {
		text := part[from+n.Start() : from+n.End()]
		if bytes.IndexByte(text, '\n') >= 0 {
			return p, false
		}
		p.prefix += "- " + string(text) + "\n"
	}
	return p, true
}

// isEmptyResults tells whether a line is `results: []`, or without a value.
func isEmptyResults(line []byte) bool {
	value, ok := bytes.CutPrefix(line, []byte("results:"))
	value = bytes.TrimLeft(value, " \t")
	for _, empty := range []string{"[]", "null", "~"} {
		if rest, found := bytes.CutPrefix(value, []byte(empty)); found {
			value = rest
			break
		}
	}
	return ok && lines.IsBlankOrComment(value)
}

// topLevelEnd returns the end of the last line of the list that begins at an offset: before the
// comments, blank lines and the key that follow it.
func topLevelEnd(text []byte, offset int) int {
	end := offset
	for offset < len(text) {
		line := lines.At(text, offset)
		offset += len(line)
		if lines.IsBlankOrComment(line) {
			continue
		}
		if line[0] != ' ' && !lines.IsDash(line) {
			return end
		}
		end = offset
	}
	return end
}

// insert returns the head and the tail with more results, in texts each of which begins a line.
func (p resultsPlace) insert(head, tail []byte, results []report.Result) (heads, tails [][]byte) {
	heads, tails = [][]byte{head}, [][]byte{tail}
	if len(results) == 0 {
		return heads, tails
	}
	text, with := tail, &tails
	if p.inHead {
		text, with = head, &heads
	}
	var more []byte
	for _, result := range results {
		more = report.AppendItem(more, result, p.depth)
	}
	*with = [][]byte{text[:p.start], lines.BrokenLike(head, slices.Concat([]byte(p.prefix), more)), text[p.end:]}
	return heads, tails
}
