package tree

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// What a byte is in a plain or quoted scalar, as bits.
const (
	// cannotStart: no plain scalar begins with it.
	cannotStart = 1 << iota
	// mayEnd: the scalar may end here, outside flow collections.
	mayEnd
	// mayEndInFlow: the same, inside flow collections.
	mayEndInFlow
	// mayResolve: the text of a bool or null, of a number or a timestamp begins with it.
	mayResolve
	// inNumber: it can stand in a number or a timestamp; inDecimal: also in one that begins with a
	// digit other than 0.
	inNumber
	inDecimal
	// stopsDouble and stopsSingle: a double-quoted or single-quoted scalar may end here, or go on
	// with an escape or on the next line.
	stopsDouble
	stopsSingle
)

var plainBytes = makePlainBytes()

func makePlainBytes() (table [256]byte) {
	mark := func(bits byte, set string) {
		for i := range len(set) {
			table[set[i]] |= bits
		}
	}
	mark(cannotStart, " \t\n,[]{}#&*!|>'\"%@`")
	mark(mayEnd|mayEndInFlow, "\n:#")
	mark(mayEndInFlow, ",[]{}?")
	mark(mayResolve, "+-.0123456789nNtTfF~")
	mark(inDecimal, "+-.,:_ 0123456789eETtZz")
	mark(inNumber, "+-.,:_ 0123456789abcdefABCDEFxXoOtTzZiInN")
	mark(stopsDouble, "\n\\\"")
	mark(stopsSingle, "\n'")
	return table
}

// plain reads the plain scalar at pos. It ends before a colon that makes it a key, or behind its
// last character, which outside flow collections is on its first line.
func (r *reader) plain(inFlow bool) *Node {
	start := r.pos
	if !r.beginsPlain(inFlow) {
		return nil
	}
	end := r.plainEnd(inFlow)
	if end == 0 {
		return nil
	}
	n := r.plainNode(start, end)
	if inFlow && strings.IndexByte(n.text, '\n') >= 0 {
		r.fold(n)
		r.countLines(start)
	}
	return n
}

// beginsPlain tells whether a plain scalar begins at pos.
func (r *reader) beginsPlain(inFlow bool) bool {
	switch c := r.text[r.pos]; {
	case inFlow && r.pos == r.lineStart && isDocumentMarker(r.text[r.pos:]):
		return false
	case c == '-':
		return !r.isBreakAt(r.pos + 1)
	case c == '?' || c == ':':
		return !inFlow && !r.isBreakAt(r.pos+1)
	default:
		return plainBytes[c]&cannotStart == 0
	}
}

// plainEnd returns the offset behind the plain scalar at pos, and behind blanks; 0 if there is
// none.
func (r *reader) plainEnd(inFlow bool) int {
	text, ends := r.text, byte(mayEnd)
	if inFlow {
		ends = mayEndInFlow
	}
	for end := r.pos + 1; end < len(text); end++ {
		c := text[end]
		if plainBytes[c]&ends == 0 {
			continue
		}
		switch {
		case c == '\n' && inFlow && r.goesOn(end):
			end += len(text[end:]) - len(strings.TrimLeft(text[end:], " \n"))
		case c == '\n', c == ',', c == ']', c == '}', c == '#' && isBlank(text[end-1]), c == ':' && r.isBreakAt(end+1):
			return end
		case c != '#' && c != ':':
			return 0
		}
	}
	if inFlow {
		return 0
	}
	return len(text)
}

// goesOn tells whether a plain scalar in a flow collection goes on behind the line break at an
// offset.
func (r *reader) goesOn(at int) bool {
	rest := strings.TrimLeft(r.text[at:], " \n")
	return rest != "" && rest[0] != '\t' && plainBytes[rest[0]]&mayEndInFlow == 0 &&
		(r.text[len(r.text)-len(rest)-1] != '\n' || !isDocumentMarker(rest))
}

// plainLines reads the further lines of the plain scalar n, which are deeper than indent.
func (r *reader) plainLines(n *Node, indent int) *Node {
	for r.indent > indent {
		if strings.Contains(r.text[n.end:r.pos], "#") {
			return nil
		}
		line, ok := plainLine(r.text[r.pos:])
		if !ok {
			return nil
		}
		r.pos += len(line)
		n.end = int32(r.pos)
		if !r.endLine() {
			return nil
		}
	}
	r.fold(n)
	return n
}

// fold sets the text and the tag of a plain scalar on several lines.
func (r *reader) fold(n *Node) {
	r.scratch = r.scratch[:0]
	plainPieces(r.text, ContentStart(r.text, n), int(n.end), r.addPiece)
	n.text = string(r.scratch)
	n.Tag = StringTag
	if startsLikeNumber(n.text[0]) { // it may be a timestamp, which may have spaces
		n.Tag = plainTag(n.text)
	}
}

// plainLine returns the further line of a plain scalar that text begins with, without the comment
// and the blanks at its end.
func plainLine(text string) (line string, ok bool) {
	line, _, _ = strings.Cut(text, "\n")
	for i := range line {
		switch isAtBlank := i > 0 && isBlank(line[i-1]); {
		case line[i] == '#' && isAtBlank:
			return strings.TrimRight(line[:i], blanks), true
		case line[i] == ':' && (i+1 == len(line) || isBlank(line[i+1])):
			return "", false
		}
	}
	return strings.TrimRight(line, blanks), true
}

// plainNode returns the node of the plain scalar from start to end, less the blanks at its end.
func (r *reader) plainNode(start, end int) *Node {
	for isBlank(r.text[end-1]) {
		end--
	}
	value := r.text[start:end]
	tag := MergeTag
	if value != "<<" {
		tag = plainTag(value)
	}
	n := r.node(ScalarNode, tag, start)
	n.text, n.end = value, int32(end)
	r.pos = end
	return n
}

// plainTag returns the tag that yaml.v3 resolves a plain scalar to. Possible numbers and timestamps
// are passed to yaml.v3 itself, except clear whole numbers.
func plainTag(s string) Tag {
	if plainBytes[s[0]]&mayResolve == 0 {
		return StringTag
	}
	if v, isKeyword := keyword(s); isKeyword {
		if v == nil {
			return NullTag
		}
		return BoolTag
	}
	if !startsLikeNumber(s[0]) {
		return StringTag
	}
	if IsSimpleInt(s) {
		return IntTag
	}
	mayStand := byte(inDecimal)
	if rest := strings.TrimLeft(s, "+-_"); strings.HasPrefix(rest, "0") || strings.HasPrefix(rest, ".") {
		mayStand = inNumber // 0x1F, .inf
	}
	if strings.Count(s, ".") > 1 || strings.ContainsFunc(s, func(c rune) bool { return c > 'z' || plainBytes[c]&mayStand == 0 }) {
		return StringTag
	}
	n := yaml.Node{Kind: yaml.ScalarNode, Value: s}
	return tagOf(n.ShortTag())
}

// IsSimpleInt tells whether s is a decimal number that fits 64 bits, without a sign or a leading
// zero.
func IsSimpleInt(s string) bool {
	return s != "" && len(s) <= 18 && leadingDigits(s) == len(s) && (s[0] != '0' || len(s) == 1)
}
