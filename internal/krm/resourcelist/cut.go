package resourcelist

import (
	"bytes"
	"iter"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// cutList is a list in block style, cut by lines: the lines up to the items, the items, the lines
// behind them.
type cutList struct {
	head, tail []byte
	items      []piece
	depth      int // the indentation of the items' dashes
	results    resultsPlace
}

// piece is an item with the blank lines and comments before it.
type piece struct {
	lead, text []byte
	object     *object.Object
	anchorUse
}

// readCut cuts the text into items without parsing them. It returns false if the text is not in
// block style. List.isVerified tells whether the cut was right.
func readCut(text []byte, words string, check check) (*List, bool) {
	cut, ok := cutLines(text, words)
	if !ok {
		return nil, false
	}
	around := append(bytes.Clone(cut.head), cut.tail...)
	root, err := tree.Parse(around)
	if err != nil || anchorsBefore(root, bytes.Count(cut.head, []byte{'\n'})) {
		return nil, false
	}
	envelope, err := readEnvelope(root, check)
	if err != nil || !cut.hasItemsKey(root) {
		return nil, false
	}
	at := lineStart(lineStarts(around), envelope.results)
	if cut.results, ok = findResults(cut, envelope.results, at); !ok || !hasBlankLeads(cut.items) {
		return nil, false
	}
	items := make([]*object.Object, len(cut.items))
	for i := range items {
		items[i] = cut.items[i].made()
	}
	return &List{Items: items, FunctionConfig: envelope.functionConfig, layout: cut}, true
}

// hasItemsKey tells whether the last line of the head is the list's own key `items`, and not a line
// of a quoted string, for example. Root is the head and the tail.
func (c *cutList) hasItemsKey(root *tree.Node) bool {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Text() == "items" {
			return root.Content[i].Line() == bytes.Count(c.head, []byte{'\n'}) && tree.Type(root.Content[i+1]) == tree.Null
		}
	}
	return false
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

// made returns the object of a piece, which is made if that was left out.
func (p *piece) made() *object.Object {
	if p.object == nil {
		p.object, p.anchorUse = object.Items(1, func(int) []byte { return p.text })[0], anchorUseOf(p.text)
	}
	return p.object
}

// cutLines finds the items by their lines, without parsing. They are behind the top-level key
// `items:`, which must occur once, alone on its line, and end at the next top-level key.
func cutLines(text []byte, words string) (*cutList, bool) {
	start, ok := skipTopLevel(text, 0)
	if !ok || start == len(text) {
		return nil, false
	}
	start += len(lineAt(text, start))
	parts := min(2*runtime.GOMAXPROCS(0), (len(text)-start)/usualPart)
	c := cutParts(text, start, itemsApart(text, start, parts), words)
	end := c.at
	if !c.open || end < len(text) && (text[end] == ' ' || isDash(text[end:])) {
		return nil, false
	}
	if next, ok := skipTopLevel(text, end); !ok || next < len(text) {
		return nil, false
	}
	c.closeItem()
	return &cutList{head: text[:start], tail: text[c.contentEnd:], items: c.items, depth: c.depth}, true
}

// cutParts cuts the text from the start of the items on, side by side: the first cutter begins
// there, the others at items further behind. The cutters also make the objects of the items, and
// look for the words, unless the items are too small for objects: then there may be too many.
func cutParts(text []byte, start int, apart []int, words string) *cutter {
	var room atomic.Int64
	room.Store(int64(maxItems(len(text))))
	cutters := []*cutter{{text: text, at: start, end: len(text), contentEnd: start, textAhead: len(text) - start, room: &room}}
	for _, at := range apart {
		last := cutters[len(cutters)-1]
		last.end = at
		cutters = append(cutters, &cutter{
			text: text, at: at, end: len(text), contentEnd: at, textAhead: (len(text) - start) / len(apart), room: &room,
		})
	}
	_ = parallel.Each(len(cutters), func(i int) error {
		c := cutters[i]
		from := c.at
		if c.cut(); len(c.items)*smallestItem <= c.at-from {
			c.makeObjects(words)
		}
		return nil
	})
	first := cutters[0]
	for _, next := range cutters[1:] {
		if first.at < first.end {
			break // what comes next are no items
		}
		first.append(next)
	}
	return first
}

// usualItem is the size, in bytes, that items have at least for whose number room is made at once.
const usualItem = 1 << 10

// smallestItem is the size, in bytes, that items with an apiVersion, a kind and a name have at
// least on average.
const smallestItem = 48

// usualPart is how much text, in bytes, is worth another core.
const usualPart = 512 << 10

// itemsApart returns where items begin that cut the text into parts of about the same size. It goes
// by the indentation of the first item: in a list, no other line begins so.
func itemsApart(text []byte, start, parts int) []int {
	line := lineAt(text, start)
	if !isDash(line) || parts < 2 {
		return nil
	}
	dash := slices.Concat([]byte{'\n'}, line[:indentOf(line)], []byte("- "))
	var found []int
	size := (len(text) - start) / parts
	for at := start + size; at < len(text); at += size {
		i := bytes.Index(text[at:], dash)
		if i < 0 {
			break
		}
		at += i + 1
		found = append(found, at)
	}
	return found
}

// maxItems bounds how many items are cut out of a text. Objects have names, so there are fewer;
// more items of other kinds would take hundreds of times their text in memory.
func maxItems(length int) int { return 100_000 + length/50 }

// itemsAtOnce is how many items a cutter gets room for at a time.
const itemsAtOnce = 64

// skipTopLevel returns the offset, from the given one on, of the line with only the top-level key
// `items:`, or of the end of the text. It returns false at a line that no block map has.
func skipTopLevel(text []byte, offset int) (int, bool) {
	for offset < len(text) {
		line := lineAt(text, offset)
		switch {
		case isItemsKey(line):
			return offset, true
		case isMarker(line) && offset > 0, line[0] == '%', line[0] == '\t' && !isBlankOrComment(line):
			return 0, false
		}
		offset += len(line)
	}
	return offset, true
}

// cutter goes over the lines of the items.
type cutter struct {
	text       []byte
	at, end    int           // the lines from and to
	textAhead  int           // how much text room is made for, when the size of the first item is known
	room       *atomic.Int64 // how many more items all cutters together may find
	items      []piece
	depth      int
	open       bool // an item is open
	commented  bool // a comment of the next item has been seen
	itemStart  int
	contentEnd int // the end so far of the open item
}

// cut goes over the lines up to the end, or to one that has no place in a block list.
func (c *cutter) cut() {
	for {
		c.skipDeeper()
		if c.at >= c.end {
			return
		}
		line := lineAt(c.text, c.at)
		if !c.addLine(line, c.at) {
			return
		}
		c.at += len(line)
	}
}

// makeObjects makes the objects of the items, and finds out what is asked of each before it is
// parsed.
func (c *cutter) makeObjects(words string) {
	c.closeItem()
	objects := object.Items(len(c.items), func(i int) []byte { return c.items[i].text })
	for i, item := range objects {
		p := &c.items[i]
		p.object, p.anchorUse = item, anchorUseOf(p.text)
		if words != "" {
			item.Mentions(words) // which it remembers
		}
	}
}

// skipDeeper adds the lines to the open item that are indented deeper than its dash, which nearly
// all lines are.
func (c *cutter) skipDeeper() {
	if !c.open || c.commented {
		return
	}
	at := c.at
	for at < c.end && c.isDeeper(at) {
		i := bytes.IndexByte(c.text[at:], '\n')
		if i < 0 {
			at = len(c.text)
			break
		}
		at += i + 1
	}
	if at > c.at {
		c.at, c.contentEnd = at, at
	}
}

// isDeeper tells whether the line at an offset is indented deeper than the dashes.
func (c *cutter) isDeeper(at int) bool {
	if at+c.depth >= len(c.text) {
		return false
	}
	for _, b := range c.text[at : at+c.depth+1] {
		if b != ' ' {
			return false
		}
	}
	return true
}

// append appends the items of a cutter that began at the end of this one.
func (c *cutter) append(next *cutter) {
	c.closeItem()
	if len(next.items) > 0 {
		next.items[0].lead = c.text[c.contentEnd:c.end]
	}
	c.items = append(c.items, next.items...)
	c.at, c.end, c.commented = next.at, next.end, next.commented
	c.itemStart, c.contentEnd = next.itemStart, next.contentEnd
}

// addLine adds the line at an offset. It returns false if the line has no place in a block list, or
// the items are too many. A comment that is indented no deeper than the dashes belongs to the next
// item; a blank line to the one before it.
func (c *cutter) addLine(line []byte, offset int) bool {
	next := offset + len(line)
	in := indentOf(line)
	switch {
	case isBlankOrComment(line) && (!c.open || c.commented || in <= c.depth && !isBlank(line)):
		c.commented = c.open
	case isBlank(line):
		c.contentEnd = next
	case isDash(line) && (!c.open || in == c.depth):
		c.closeItem()
		if len(c.items)%itemsAtOnce == 0 && c.room.Add(-itemsAtOnce) < 0 {
			return false
		}
		if len(c.items) == 1 {
			c.items = slices.Grow(c.items, c.textAhead/max(offset-c.itemStart, usualItem))
		}
		c.items = append(c.items, piece{lead: c.text[c.contentEnd:offset]})
		c.depth, c.open, c.commented = in, true, false
		c.itemStart, c.contentEnd = offset, next
	case c.open && in > c.depth:
		c.contentEnd, c.commented = next, false
	default:
		return false
	}
	return true
}

func (c *cutter) closeItem() {
	if c.open {
		c.items[len(c.items)-1].text = c.text[c.itemStart:c.contentEnd]
	}
}

func isItemsKey(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("items:"))
	return ok && isBlankOrComment(rest)
}

func isMarker(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("..."))
}

func lineAt(text []byte, offset int) []byte {
	if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
		return text[offset : offset+i+1]
	}
	return text[offset:]
}

func indentOf(line []byte) int {
	in := 0
	for in < len(line) && line[in] == ' ' {
		in++
	}
	return in
}

func isBlank(line []byte) bool {
	return len(trimBlanks(line)) == 0
}

func isBlankOrComment(line []byte) bool {
	line = trimBlanks(line)
	return len(line) == 0 || line[0] == '#'
}

// trimBlanks is bytes.TrimLeft, but faster for single lines.
func trimBlanks(line []byte) []byte {
	for i, c := range line {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return line[i:]
		}
	}
	return nil
}

func isDash(line []byte) bool {
	line = line[indentOf(line):]
	return len(line) > 0 && line[0] == '-' && (len(line) == 1 || line[1] == ' ' || line[1] == '\n' || line[1] == '\r')
}

func (c *cutList) write(items []*object.Object, results []report.Result) (iter.Seq[[]byte], error) {
	texts := make([][][]byte, len(items))
	err := parallel.Each(len(items), func(i int) error {
		var err error
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
	heads, tails := c.results.insert(c.head, tail, results)
	for i, pieces := range texts {
		if isOpen(pieces) && (i+1 < len(texts) || !tails.isEmpty()) {
			texts[i] = [][]byte{object.Closed(bytes.Join(pieces, nil))}
		}
	}
	if len(items) == 0 && len(c.items) > 0 {
		heads.after = append(bytes.TrimRight(bytes.Clone(heads.after), "\r\n"), " []\n"...)
	}
	return func(yield func([]byte) bool) {
		w := lineWriter{yield: yield}
		heads.write(&w)
		c.writeItems(&w, items, texts)
		tails.write(&w)
	}, nil
}

// isOpen tells whether the last line of a text in pieces has no line break.
func isOpen(pieces [][]byte) bool {
	for i := len(pieces) - 1; i >= 0; i-- {
		if n := len(pieces[i]); n > 0 {
			return pieces[i][n-1] != '\n'
		}
	}
	return false
}

// lineWriter yields texts, and adds a missing line break between two.
type lineWriter struct {
	yield   func([]byte) bool
	stopped bool // no more texts are wanted
	open    bool // the last line has no line break
}

// write writes one text, which may be in pieces, and empty.
func (w *lineWriter) write(pieces ...[]byte) {
	first := true
	for _, piece := range pieces {
		if len(piece) == 0 {
			continue
		}
		if first && w.open {
			w.put([]byte{'\n'})
		}
		first = false
		w.put(piece)
		last := piece[len(piece)-1]
		w.open = last != '\n' && last != '\r'
	}
}

func (w *lineWriter) put(text []byte) {
	w.stopped = w.stopped || !w.yield(text)
}

// writeItems writes the items' texts, with the lines before each item of the input.
func (c *cutList) writeItems(w *lineWriter, items []*object.Object, texts [][][]byte) {
	leads := map[*object.Object][]byte{}
	for _, p := range c.items {
		if len(p.lead) > 0 {
			leads[p.object] = p.lead
		}
	}
	for i, item := range items {
		w.write(leads[item])
		if w.write(texts[i]...); w.stopped {
			return
		}
	}
}
