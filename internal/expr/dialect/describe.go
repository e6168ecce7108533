package dialect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Place names a location in messages.
func Place(l location.Location) string {
	if len(l) == 0 {
		return "the object"
	}
	return l.String()
}

// Lacks says that the map n, which messages call place, does not have the field, and which key may
// be meant. It names none where the schema declares the field, which the object does not set.
func Lacks(in *Input, n *tree.Node, place string, field location.Location) string {
	key := field[len(field)-1].Key
	reason := fmt.Sprintf("%s has no key %q", place, key)
	if in.Schema != nil && in.Schema.Declares(field) {
		return reason
	}
	if begin, isGlob := strings.CutSuffix(key, "*"); isGlob && begin != "" {
		return fmt.Sprintf(`%s; for the keys that begin so, write '.%s | with_entries(select(.key | startswith(%q)))' `+
			"under jqPathExpressions", reason, field[:len(field)-1], begin)
	}
	return reason + hint.ForKey(n, key)
}

// maxSearched is how many bytes of a string are searched for a key.
const maxSearched = 64 << 10

// MayHold tells whether n may be a string with a document that has the key. It looks for the key
// and reads no document, since there may be many expressions and large strings.
func MayHold(n *tree.Node, key string) bool {
	if tree.Type(n) != tree.String {
		return false
	}
	text := n.Text()
	start := text[:min(len(text), maxSearched)]
	return strings.Contains(start, key+":") || strings.Contains(start, strconv.Quote(key))
}
