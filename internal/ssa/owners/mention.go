package owners

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// MayShow tells whether the YAML or JSON text of an object, or of a list of them, may be that of
// one that shows an owner: false is certain. It looks for kinds of the catalogue, and for what
// objects of these kinds mention.
func MayShow(text []byte) bool {
	if object.HasEscapes(text) {
		return true
	}
	isShown := func(e *CatalogueEntry) bool { return e.isMentioned(text) }
	var looked []string // a list has many objects of a kind
	for rest := text; ; {
		_, after, isThere := bytes.Cut(rest, []byte("kind"))
		if !isThere {
			return false
		}
		rest = bytes.TrimLeft(after, "\"': \t\r\n")
		if bytes.IndexAny(rest[:min(1, len(rest))], "&*!|>#?") == 0 {
			return true // an anchor, an alias, a tag, a block, a comment or a complex key
		}
		kind := wordAt(rest)
		if entries := byKind()[kind]; len(entries) > 0 && !slices.Contains(looked, kind) {
			if slices.ContainsFunc(entries, isShown) {
				return true
			}
			looked = append(looked, kind)
		}
	}
}

// isMentioned tells whether a text has what all objects mention that show the owner.
func (e *CatalogueEntry) isMentioned(text []byte) bool {
	isIn := func(words string) bool { return bytes.Contains(text, []byte(words)) }
	return len(e.Mentions) == 0 || slices.ContainsFunc(e.Mentions, isIn)
}

// textOf appends the keys and scalars of a node to a text, a line each. Of an alias it appends what
// each entry mentions.
func textOf(n *tree.Node, text []byte) []byte {
	switch n.Kind {
	case tree.MappingNode, tree.SequenceNode:
		for _, below := range n.Content {
			text = textOf(below, text)
		}
		return text
	case tree.AliasNode:
		for _, entry := range Catalogue() {
			text = append(text, strings.Join(entry.Mentions, "\n")...)
		}
	}
	return append(append(text, n.Text()...), '\n')
}

// wordAt returns the letters and digits that a text begins with.
func wordAt(text []byte) string {
	isOther := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	if end := bytes.IndexFunc(text, isOther); end >= 0 {
		text = text[:end]
	}
	return string(text)
}
