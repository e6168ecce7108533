package objecthash

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"sync"

	"github.com/gowebpki/jcs"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// flushSize is how much canonical JSON is buffered before it is hashed: aliases can stand for very
// much.
const flushSize = 16 << 10

// canonicalWriter writes the canonical JSON of an object (https://www.rfc-editor.org/rfc/rfc8785)
// into a hash.
type canonicalWriter struct {
	sum    io.Writer
	filter filter
	text   []byte // what is not in the hash yet
	// members are those of the maps that are being written.
	members []member
}

type member struct {
	key   string
	value *tree.Node
	at    position
}

// writers are kept, since their buffers grow to the size of an object.
var writers = sync.Pool{New: func() any { return &canonicalWriter{sum: sha256.New()} }}

func sumSHA256(root *tree.Node, f filter) string {
	w := writers.Get().(*canonicalWriter)
	defer writers.Put(w)
	clear(w.members[:cap(w.members)])
	*w = canonicalWriter{sum: w.sum, filter: f, text: w.text[:0], members: w.members[:0]}
	sum := w.sum.(hash.Hash) // as the pool makes it
	sum.Reset()
	w.value(root, object)
	w.flush()
	w.text = hex.AppendEncode(w.text, sum.Sum(nil))
	return string(w.text)
}

func (w *canonicalWriter) value(n *tree.Node, at position) {
	n = tree.Deref(n)
	switch {
	case tree.IsMap(n):
		w.mapping(n, at)
	case tree.IsList(n):
		w.text = append(w.text, '[')
		for i, element := range n.Content {
			if i > 0 {
				w.text = append(w.text, ',')
			}
			w.value(element, other)
		}
		w.text = append(w.text, ']')
	default:
		w.scalar(n)
	}
	if len(w.text) >= flushSize {
		w.flush()
	}
}

func (w *canonicalWriter) flush() {
	_, _ = w.sum.Write(w.text) // a hash takes all
	w.text = w.text[:0]
}

func (w *canonicalWriter) mapping(n *tree.Node, at position) {
	start := len(w.members)
	for key, value := range tree.Entries(n) {
		if next, hashed := w.filter.member(at, key, value); hashed {
			w.members = append(w.members, member{key, value, next})
		}
	}
	members := w.members[start:]
	slices.SortFunc(members, func(a, b member) int { return compareUTF16(a.key, b.key) })
	w.text = append(w.text, '{')
	for i, m := range members {
		if i > 0 {
			w.text = append(w.text, ',')
		}
		w.string(m.key)
		w.text = append(w.text, ':')
		w.value(m.value, m.at)
	}
	w.members = w.members[:start]
	w.text = append(w.text, '}')
}

func (w *canonicalWriter) scalar(n *tree.Node) {
	switch {
	case n != nil && n.Tag == tree.StringTag:
		w.string(n.Text())
		return
	case n != nil && n.Tag == tree.IntTag && tree.IsSimpleInt(n.Text()):
		w.text = append(w.text, n.Text()...)
		return
	}
	switch v := tree.Scalar(n).(type) {
	case nil:
		w.text = append(w.text, "null"...)
	case bool:
		w.text = append(w.text, strconv.FormatBool(v)...)
	case string:
		if (n.Tag == tree.FloatTag || n.Tag == tree.IntTag) && json.Valid([]byte(v)) { // 1e400 in JSON: without quotes, unlike the string
			w.text = append(w.text, v...)
			return
		}
		w.string(v)
	case int:
		w.text = append(w.text, strconv.Itoa(v)...)
	case *big.Int:
		w.text = append(w.text, v.String()...)
	case float64:
		if math.IsInf(v, 0) { // of 400 digits with the tag !!float
			w.text = append(w.text, n.Text()...)
			return
		}
		text, _ := jcs.NumberToJSON(v) // the only error is that of NaN and Infinity
		w.text = append(w.text, text...)
	}
}

// string writes s with the escapes of RFC 8785, section 3.2.2.2.
func (w *canonicalWriter) string(s string) {
	w.text = append(w.text, '"')
	from := 0
	for i := range len(s) {
		if escape := escapes[s[i]]; escape != "" {
			w.text = append(append(w.text, s[from:i]...), escape...)
			from = i + 1
		}
	}
	w.text = append(append(w.text, s[from:]...), '"')
}

// escapes are those of the bytes that have one.
var escapes = func() (all [256]string) {
	for c := range ' ' {
		all[c] = fmt.Sprintf(`\u%04x`, c)
	}
	for c, letter := range map[byte]string{'"': `"`, '\\': `\`, '\b': "b", '\t': "t", '\n': "n", '\f': "f", '\r': "r"} {
		all[c] = `\` + letter
	}
	return all
}()

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
