package tree

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// What a byte is in a plain or quoted scalar, as bits.
const (
	// cannotStart: no plain scalar that this reader takes begins with it.
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
	mark(cannotStart, " \t\n,[]{}#&*!|>'\"%@`?:")
	mark(mayEnd|mayEndInFlow, "\t\n:#")
	mark(mayEndInFlow, ",[]{}?")
	mark(mayResolve, "+-.0123456789nNtTfF~")
	mark(inDecimal, "+-.,:_ 0123456789eETtZz")
	mark(inNumber, "+-.,:_ 0123456789abcdefABCDEFxXoOtTzZiInN")
	mark(stopsDouble, "\n\\\"")
	mark(stopsSingle, "\n'")
	return table
}

// plain reads the plain scalar at pos. It ends before a colon that makes it a key, or behind its
// last character.
func (r *reader) plain(inFlow bool) *Node {
	text, start, ends := r.text, r.pos, byte(mayEnd)
	if inFlow {
		ends = mayEndInFlow
	}
	if plainBytes[text[start]]&cannotStart != 0 || text[start] == '-' && r.endsWord(start+1, inFlow) ||
		inFlow && start == r.lineStart && isDocumentMarker(text[start:]) {
		return nil
	}
	for end := start + 1; end < len(text); end++ {
		c := text[end]
		if plainBytes[c]&ends == 0 {
			continue
		}
		switch c {
		case ',', ']', '}', '\n':
			return r.plainNode(start, end)
		case '#':
			if text[end-1] == ' ' {
				return r.plainNode(start, end)
			}
		case ':':
			if !r.endsWord(end+1, inFlow) {
				continue
			}
			if text[end-1] == ' ' {
				return nil
			}
			return r.plainNode(start, end)
		default:
			return nil
		}
	}
	if inFlow {
		return nil
	}
	return r.plainNode(start, len(text))
}

// endsWord tells whether what is at i makes an indicator of a dash or a colon before it.
func (r *reader) endsWord(i int, inFlow bool) bool {
	return r.isBreakAt(i) || r.text[i] == '\t' || inFlow && strings.IndexByte(",[]{}?", r.text[i]) >= 0
}

// plainLines reads the further lines of the plain scalar n, which are deeper than indent.
func (r *reader) plainLines(n *Node, indent int) *Node {
	start := int(n.end) - len(n.text)
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
	r.scratch = r.scratch[:0]
	plainPieces(r.text, start, int(n.end), r.addPiece)
	n.text = string(r.scratch)
	n.Tag = StringTag
	if startsLikeNumber(n.text[0]) { // it may be a timestamp, which may have spaces
		n.Tag = plainTag(n.text)
	}
	return n
}

// plainLine returns the further line of a plain scalar that text begins with, without the comment
// and the spaces at its end.
func plainLine(text string) (line string, ok bool) {
	line, _, _ = strings.Cut(text, "\n")
	line, _, _ = strings.Cut(line, " #")
	if strings.Contains(line, "\t") || strings.Contains(line, ": ") || strings.HasSuffix(line, ":") {
		return "", false
	}
	return strings.TrimRight(line, " "), true
}

// plainNode returns the node of the plain scalar from start to end, less the spaces at its end.
func (r *reader) plainNode(start, end int) *Node {
	for r.text[end-1] == ' ' {
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
