package explain

import (
	"bytes"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// shown returns what is shown of the two texts of an object, and its name. Texts with a Secret are
// written anew, from masked copies. The annotation named hash has the object hash, which lets a
// guess be checked. A name that an edit may have made of a value is masked, too.
func shown(before, after []byte, edits redact.Edits, hash string, name report.Ref) (shownBefore, shownAfter []byte, shownName report.Ref) {
	b, a := secretRoot(before), secretRoot(after)
	mask := redact.New(b, a)
	if mask.IsZero() && edits != redact.HiddenEdits {
		return before, after, name
	}
	// one with a Secret on one side only is compared with the whole of the other
	b, a = rootOf(before), rootOf(after)
	maskedBefore, maskedAfter := mask.Copies(b, a, edits, hash)
	for _, masked := range []*tree.Node{maskedBefore, maskedAfter} {
		if tree.IsList(masked) && len(masked.Content) == 1 { // the text of an item of a list
			masked = masked.Content[0]
		}
		if masked != nil {
			name = report.RefOf(masked)
		}
	}
	return textOf(maskedBefore, before), textOf(maskedAfter, after), name
}

// secretRoot parses a text that may have a Secret in it; nil if it has none.
func secretRoot(text []byte) *tree.Node {
	if !bytes.Contains(text, []byte("Secret")) && !bytes.ContainsRune(text, '\\') && !bytes.Contains(text, []byte("binaryData")) {
		return nil
	}
	return rootOf(text)
}

// rootOf parses a text, which was parsed before.
func rootOf(text []byte) *tree.Node {
	root, err := tree.Parse(text)
	if err != nil {
		return tree.NewString(redact.Masked)
	}
	return root
}

// textOf writes a masked copy, as JSON if the text that it is of is JSON.
func textOf(masked *tree.Node, like []byte) []byte {
	if masked == nil {
		return nil
	}
	if bytes.HasPrefix(bytes.TrimLeft(like, " \t\r\n\ufeff"), []byte("{\n")) {
		if text, err := indented(masked); err == nil {
			return text
		}
	}
	text, err := object.NewDocument(masked).Text()
	if err != nil {
		return []byte(redact.Masked + "\n")
	}
	return []byte(bare.Replace(string(text)))
}

// bare takes the quotes off what stands for values: the text is to be read, and is no manifest.
var bare = strings.NewReplacer("'***'", "***", "'*** (before)'", "*** (before)", "'*** (after)'", "*** (after)")
