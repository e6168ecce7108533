package locate

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// shown returns the lines of a file as they may be shown: without the values of Secrets, and what
// is behind them on their lines. Comments are searched for the values.
func shown(all []string, mask *redact.Mask) []string {
	h := hider{lines: all, shown: make([]string, len(all)), mask: mask, hidden: -1}
	for i, line := range all {
		h.shown[i] = h.comment(line)
	}
	for d := range lines.Documents([]byte(strings.Join(all, "\n"))) {
		if redact.MayHold(d.Text) {
			h.hide(spansIn(d.Text), d.Start+len(d.Marker))
		}
	}
	return h.shown
}

// span is a part of a text.
type span struct{ start, end int }

// spansIn returns the values of Secrets in a document, in order; all of a document that can't be
// parsed.
func spansIn(text []byte) []span {
	root, err := parse(text)
	if err != nil {
		return []span{{0, len(text)}}
	}
	var starts []int
	var spans []span
	for _, part := range parts(root) {
		for _, n := range redact.Of(part).Hidden(part) {
			end := n.End()
			if end == 0 {
				if starts == nil {
					starts = startsIn(root, nil)
					slices.Sort(starts)
				}
				end = endBefore(text, n, starts)
			}
			spans = append(spans, span{n.Start(), end})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return spans
}

func parse(text []byte) (*tree.Node, error) {
	if lines.LooksLikeJSON(string(text)) {
		if root, err := tree.ParseJSON(text); err == nil {
			return root, nil
		}
	}
	return tree.ParseList(text)
}

// parts returns the objects in a document, and what else it has if it is a list: each hides values
// of its own Secrets alone.
func parts(root *tree.Node) []*tree.Node {
	all := resourcelist.Objects(root)
	if resourcelist.HoldsObjects(root) {
		for key, value := range tree.Entries(root) {
			if key != "items" {
				all = append(all, value)
			}
		}
	}
	return all
}

// startsIn appends where each node in n starts.
func startsIn(n *tree.Node, starts []int) []int {
	for _, child := range n.Content {
		starts = startsIn(child, append(starts, child.Start()))
	}
	return starts
}

// endBefore returns where n ends, whose end is not known, at the latest: where the next node
// starts.
func endBefore(text []byte, n *tree.Node, starts []int) int {
	end := len(text)
	if i, _ := slices.BinarySearch(starts, n.Start()+1); i < len(starts) {
		end = starts[i]
	}
	return n.Start() + len(bytes.TrimRight(text[n.Start():end], " \t\n"))
}

// hider hides parts of a text in its lines.
type hider struct {
	lines, shown []string
	mask         *redact.Mask
	// line is the one at hand, which begins at an offset, and hidden the last one that was hidden.
	line, begin, hidden int
}

// hide hides parts, in order, of a document at an offset.
func (h *hider) hide(spans []span, offset int) {
	for _, s := range spans {
		h.goTo(s.start + offset)
		if h.line > h.hidden {
			h.shown[h.line] = h.comment(h.lines[h.line][:s.start+offset-h.begin]) + redact.Masked
			h.hidden = h.line
		}
		for h.goTo(s.end + offset - 1); h.hidden < h.line; {
			h.hidden++
			if text := h.lines[h.hidden]; strings.TrimSpace(text) != "" {
				h.shown[h.hidden] = text[:len(text)-len(strings.TrimLeft(text, " "))] + redact.Masked
			}
		}
	}
}

// comment returns a line of which what is behind the first # is searched for values.
func (h *hider) comment(line string) string {
	before, _, _ := strings.Cut(line, "#")
	return before + h.mask.Text(line[len(before):])
}

// goTo goes on to the line with an offset.
func (h *hider) goTo(offset int) {
	for h.begin+len(h.lines[h.line]) < offset && h.line+1 < len(h.lines) {
		h.begin += len(h.lines[h.line]) + 1
		h.line++
	}
}
