package objecthash

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"math"
	"math/big"
	"slices"
	"strconv"
	"sync"

	"github.com/gowebpki/jcs"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// flushSize is how much canonical JSON is buffered before it is hashed.
const flushSize = 16 << 10

// canonicalWriter writes the canonical JSON of an object (https://www.rfc-editor.org/rfc/rfc8785)
// into a hash, without holding it in memory as a whole.
type canonicalWriter struct {
	sum    hash.Hash
	filter filter
	buffer []byte
	// bytes and text are buffers for the hash.
	bytes [sha256.Size]byte
	hex   [2 * sha256.Size]byte
	// members is a stack: the members of the maps that are being written. Those of maps that have
	// been written are behind its end, and empty.
	members []*member
}

// member is one member of a map that is being written.
type member struct {
	key   string
	value *tree.Node
	at    position
}

var canonicalWriters = sync.Pool{New: func() any { return &canonicalWriter{sum: sha256.New()} }}

func sumSHA256(root *tree.Node, f filter) string {
	w := canonicalWriters.Get().(*canonicalWriter)
	defer canonicalWriters.Put(w)
	w.sum.Reset()
	w.filter = f
	w.value(root, object)
	w.flush()
	hex.Encode(w.hex[:], w.sum.Sum(w.bytes[:0]))
	return string(w.hex[:])
}

func (w *canonicalWriter) flush() {
	w.sum.Write(w.buffer)
	w.buffer = w.buffer[:0]
}

func (w *canonicalWriter) value(n *tree.Node, at position) {
	n = tree.Deref(n)
	switch {
	case tree.IsMap(n):
		w.mapping(n, at)
	case tree.IsList(n):
		w.buffer = append(w.buffer, '[')
		for i, element := range n.Content {
			if i > 0 {
				w.buffer = append(w.buffer, ',')
			}
			w.value(element, other)
		}
		w.buffer = append(w.buffer, ']')
	default:
		w.scalar(n)
	}
	if len(w.buffer) >= flushSize {
		w.flush()
	}
}

func (w *canonicalWriter) mapping(n *tree.Node, at position) {
	start := len(w.members)
	for key, value := range tree.Entries(n) {
		if next, hashed := w.filter.member(at, key, value); hashed {
			*w.push() = member{key, value, next}
		}
	}
	end := len(w.members)
	slices.SortFunc(w.members[start:end], func(a, b *member) int { return compareUTF16(a.key, b.key) })
	w.buffer = append(w.buffer, '{')
	for i := start; i < end; i++ {
		if i > start {
			w.buffer = append(w.buffer, ',')
		}
		m := w.members[i]
		w.string(m.key)
		w.buffer = append(w.buffer, ':')
		w.value(m.value, m.at)
		*m = member{} // the pool must not hold on to the object
	}
	w.buffer = append(w.buffer, '}')
	w.members = w.members[:start]
}

// push returns a new member at the end of the stack.
func (w *canonicalWriter) push() *member {
	end := len(w.members)
	if end == cap(w.members) {
		w.members = append(w.members, new(member))
		return w.members[end]
	}
	w.members = w.members[:end+1]
	if w.members[end] == nil {
		w.members[end] = new(member)
	}
	return w.members[end]
}

func (w *canonicalWriter) scalar(n *tree.Node) {
	switch {
	case n != nil && n.Tag == tree.StringTag:
		w.string(n.Text())
		return
	case n != nil && n.Tag == tree.IntTag && tree.IsSimpleInt(n.Text()):
		w.buffer = append(w.buffer, n.Text()...)
		return
	}
	switch v := tree.Scalar(n).(type) {
	case nil:
		w.buffer = append(w.buffer, "null"...)
	case bool:
		w.buffer = strconv.AppendBool(w.buffer, v)
	case string:
		w.string(v)
	case int:
		w.buffer = strconv.AppendInt(w.buffer, int64(v), 10)
	case *big.Int:
		w.buffer = v.Append(w.buffer, 10)
	case float64:
		if math.IsInf(v, 0) { // which JSON does not have
			w.string(n.Text())
			return
		}
		text, _ := jcs.NumberToJSON(v) // the only error is that of NaN and Infinity
		w.buffer = append(w.buffer, text...)
	}
}

// string writes s with the escapes of RFC 8785, section 3.2.2.2.
func (w *canonicalWriter) string(s string) {
	w.buffer = append(w.buffer, '"')
	w.escape(s)
	w.buffer = append(w.buffer, '"')
}

// escape writes a part of a string, and flushes a full buffer.
func (w *canonicalWriter) escape(s string) {
	for len(s) > flushSize {
		w.escape(s[:flushSize])
		s = s[flushSize:]
	}
	plain := 0
	for i := range len(s) {
		if !isEscaped[s[i]] {
			continue
		}
		w.buffer = append(w.buffer, s[plain:i]...)
		w.buffer = appendEscaped(w.buffer, s[i])
		plain = i + 1
	}
	w.buffer = append(w.buffer, s[plain:]...)
	if len(w.buffer) >= flushSize {
		w.flush()
	}
}

// isEscaped tells which bytes are escaped.
var isEscaped = func() (table [256]bool) {
	for c := range ' ' {
		table[c] = true
	}
	table['"'], table['\\'] = true, true
	return table
}()

func appendEscaped(b []byte, c byte) []byte {
	const hexDigits = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, `\b`...)
	case '\t':
		return append(b, `\t`...)
	case '\n':
		return append(b, `\n`...)
	case '\f':
		return append(b, `\f`...)
	case '\r':
		return append(b, `\r`...)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

// compareUTF16 compares two UTF-8 strings by their UTF-16 code units, as RFC 8785, section 3.2.3,
// sorts keys.
func compareUTF16(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(rankUTF16(a[i]), rankUTF16(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

// rankUTF16 orders the first bytes of characters. UTF-8 sorts like UTF-16, except that characters
// beyond U+FFFF, whose first byte is 0xF0 or more, have code units from U+D800 on and come before
// those from U+E000 to U+FFFF, whose first byte is 0xEE or 0xEF.
func rankUTF16(first byte) int {
	if first == 0xEE || first == 0xEF {
		return int(first) + 0x100
	}
	return int(first)
}
