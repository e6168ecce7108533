package resourcelist

import (
	"bytes"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// cutList is a list in block style, cut by lines: the lines up to the items, the items, the lines
// behind them.
type cutList struct {
	head, tail []byte
	// filled is the head for items, of a list that came without; nil for one that came with some.
	filled  []byte
	items   []piece
	depth   int // the indentation of the items' dashes
	results resultsPlace
	// owners are the items whose nodes have anchors; nil for a list that was cut by lines alone.
	owners map[*tree.Node]int
}

// piece is an item with the blank lines and comments before it.
type piece struct {
	lead, text []byte
	object     *object.Object
	// aliases are those of nodes outside the item.
	aliases []*tree.Node
}

// readCut cuts the text into items without parsing them. It returns false if the text is not in
// block style. List.isVerified tells whether the cut was right.
func readCut(text []byte, check check) (*List, bool) {
	cut, ok := cutLines(text)
	if !ok {
		return nil, false
	}
	around := append(bytes.Clone(cut.head), cut.tail...)
	root, err := tree.Parse(lines.WithoutCR(around)) // which has the same lines
	if err != nil || anchorsBefore(root, bytes.Count(cut.head, []byte{'\n'})) {
		return nil, false
	}
	envelope, err := readEnvelope(root, check)
	if err != nil || !cut.hasItemsKey(root) {
		return nil, false
	}
	at := lineStart(lines.Starts(around), envelope.results)
	if cut.results, ok = findResults(cut, envelope.results, at); !ok || !hasBlankLeads(cut.items) {
		return nil, false
	}
	items := object.Items(len(cut.items), func(i int) []byte { return cut.items[i].text })
	for i, item := range items {
		cut.items[i].object = item
	}
	return &List{Items: items, FunctionConfig: envelope.functionConfig, Failed: failed(tree.Elements(envelope.results)), layout: cut}, true
}

// anchorsBefore tells whether an alias outside a node on one of the first lines may name it. An
// alias can't name an anchor behind it, so the tail need not be searched.
func anchorsBefore(n *tree.Node, lines int) bool {
	return n != nil && n.Line() <= lines &&
		(n.Anchor() != "" || slices.ContainsFunc(n.Content, func(child *tree.Node) bool { return anchorsBefore(child, lines) }))
}

// hasItemsKey tells whether the last line of the head is the list's own key `items`, and not a line
// of a quoted string, for example. Root is the head and the tail.
func (c *cutList) hasItemsKey(root *tree.Node) bool {
	var keys tree.KeyTable
	i := keys.Index(root.Content, "items")
	return i >= 0 && root.Content[i].Line() == bytes.Count(c.head, []byte{'\n'}) && tree.Type(root.Content[i+1]) == tree.Null
}

// hasBlankLeads tells whether there are only blank lines and comments before the items.
func hasBlankLeads(pieces []piece) bool {
	for _, p := range pieces {
		if len(p.lead) > 0 {
			if root, err := tree.Parse(p.lead); err != nil || root != nil {
				return false
			}
		}
	}
	return true
}

// maxItems bounds how many items are cut out of a text. Objects have names, so there are fewer;
// more items of other kinds would take hundreds of times their text in memory.
func maxItems(length int) int { return 100_000 + length/50 }

// cutLines finds the items by their lines, without parsing. They are behind the top-level key
// `items:`, which must occur once, alone on its line, and end at the next top-level key.
func cutLines(text []byte) (*cutList, bool) {
	start, ok := skipTopLevel(text, 0)
	if !ok || start == len(text) {
		return nil, false
	}
	start += len(lines.At(text, start))
	c := cutter{text: text, contentEnd: start}
	end, most := start, maxItems(len(text))
	for end < len(text) && len(c.items) <= most {
		line := lines.At(text, end)
		if !c.addLine(line, end) {
			break
		}
		end += len(line)
	}
	if !c.open || len(c.items) > most || end < len(text) && (text[end] == ' ' || lines.IsDash(text[end:])) {
		return nil, false
	}
	if next, ok := skipTopLevel(text, end); !ok || next < len(text) {
		return nil, false
	}
	c.closeItem()
	return &cutList{head: text[:start], tail: text[c.contentEnd:], items: c.items, depth: c.depth}, true
}

// skipTopLevel returns the offset, from the given one on, of the line with only the top-level key
// `items:`, or of the end of the text. It returns false at a line that no block map has.
func skipTopLevel(text []byte, offset int) (int, bool) {
	for offset < len(text) {
		line := lines.At(text, offset)
		switch {
		case lines.IsItemsKey(line):
			return offset, true
		case offset > 0 && (lines.IsMarker(line, "---") || lines.IsMarker(line, "...")),
			line[0] == '%', line[0] == '\t' && !lines.IsBlankOrComment(line):
			return 0, false
		}
		offset += len(line)
	}
	return offset, true
}

// cutter goes over the lines of the items.
type cutter struct {
	text       []byte
	items      []piece
	depth      int
	open       bool // an item is open
	commented  bool // a comment of the next item has been seen
	itemStart  int
	contentEnd int // the end so far of the open item
}

// addLine adds the line at an offset. It returns false if the line has no place in a block list. A
// comment that is indented no deeper than the dashes belongs to the next item; a blank line to the
// one before it.
func (c *cutter) addLine(line []byte, offset int) bool {
	next := offset + len(line)
	if c.open && !c.commented && lines.IsDeeper(line, c.depth) { // nearly every line is
		c.contentEnd = next
		return true
	}
	in := lines.Indent(line)
	switch {
	case lines.IsBlankOrComment(line) && (!c.open || c.commented || !lines.IsBlank(line)):
		c.commented = c.open
	case lines.IsBlank(line):
		c.contentEnd = next
	case lines.IsDash(line) && (!c.open || in == c.depth):
		if !c.open {
			dashes := bytes.Count(c.text[offset:], slices.Concat([]byte{'\n'}, line[:in], []byte("- ")))
			c.items = make([]piece, 0, min(1+dashes, maxItems(len(c.text))))
		}
		c.closeItem()
		c.items = append(c.items, piece{lead: c.text[c.contentEnd:offset]})
		c.depth, c.open, c.commented = in, true, false
		c.itemStart, c.contentEnd = offset, next
	case c.open && (in > c.depth || isNoKey(line)):
		c.contentEnd, c.commented = next, false
	default:
		return false
	}
	return true
}

// isNoKey tells whether a line can only be one of a string in quotes, which may go on at the
// margin.
func isNoKey(line []byte) bool {
	return bytes.IndexByte(line, ':') < 0 && !lines.IsMarker(line, "---") && !lines.IsMarker(line, "...")
}

func (c *cutter) closeItem() {
	if c.open {
		c.items[len(c.items)-1].text = c.text[c.itemStart:c.contentEnd]
	}
}

func (c *cutList) write(items []*object.Object, results []report.Result) ([][]byte, error) {
	texts, asRead := make([][][]byte, len(items)), c.asRead(items)
	err := parallel.Each(len(items), func(i int) (err error) {
		if text, ok := asRead[items[i]]; ok {
			texts[i] = [][]byte{text}
			return nil
		}
		texts[i], err = items[i].Pieces()
		return err
	})
	if err != nil {
		return nil, err
	}
	tail := c.tail
	if len(results) > 0 {
		tail = object.Closed(tail)
	}
	head := c.head
	if len(items) > 0 && c.filled != nil {
		head = c.filled
	}
	heads, tails := c.results.insert(head, tail, results)
	for i, pieces := range texts {
		if isOpen(pieces) && (i+1 < len(texts) || len(bytes.Join(tails, nil)) > 0) {
			texts[i] = [][]byte{object.Closed(bytes.Join(pieces, nil))}
		}
	}
	if last := len(heads) - 1; len(items) == 0 && len(c.items) > 0 {
		key := bytes.TrimRight(heads[last], "\r\n")
		heads[last] = slices.Concat(key, []byte(" []"), heads[last][len(key):])
	}
	leads := map[*object.Object][]byte{}
	for _, p := range c.items {
		if len(p.lead) > 0 {
			leads[p.object] = p.lead
		}
	}
	count := len(heads) + len(leads) + len(tails)
	for _, pieces := range texts {
		count += len(pieces) + 1
	}
	all := make([][]byte, 0, count)
	for _, text := range heads {
		all = appendLines(all, text)
	}
	for i, item := range items {
		all = appendLines(appendLines(all, leads[item]), texts[i]...)
	}
	for _, text := range tails {
		all = appendLines(all, text)
	}
	return all, nil
}

// isOpen tells whether the last line of a text in pieces has no line break.
func isOpen(pieces [][]byte) bool {
	for _, piece := range slices.Backward(pieces) {
		if n := len(piece); n > 0 {
			return piece[n-1] != '\n' && piece[n-1] != '\r'
		}
	}
	return false
}

// appendLines appends one text, which may be in pieces, and empty, to others, with a line break
// between if that is missing.
func appendLines(all [][]byte, pieces ...[]byte) [][]byte {
	isBehind := isOpen(all)
	for _, piece := range pieces {
		if len(piece) == 0 {
			continue
		}
		if isBehind {
			all, isBehind = append(all, lines.BrokenLike(all[0], []byte{'\n'})), false
		}
		all = append(all, piece)
	}
	return all
}

func (c *cutList) firstLines() []int {
	lines := make([]int, len(c.items))
	line := 1 + bytes.Count(c.head, []byte{'\n'})
	for i, piece := range c.items {
		line += bytes.Count(piece.lead, []byte{'\n'})
		lines[i] = line
		line += bytes.Count(piece.text, []byte{'\n'})
	}
	return lines
}
