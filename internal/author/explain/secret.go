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
// written anew, from masked copies. Original has the data before: the text of an item with aliases
// of other items can't be read alone.
func shown(
	before, after []byte, original func() *tree.Node, of redact.Object, name report.Ref,
) (shownBefore, shownAfter []byte, shownName report.Ref) {
	if !of.HidesEdits() && !redact.MayHold(before) && !redact.MayHold(after) {
		return before, after, name
	}
	b, isJSONBefore, errBefore := rootOf(before)
	a, isJSONAfter, errAfter := rootOf(after)
	if errBefore != nil && errAfter == nil && original != nil {
		if b, errBefore = tree.Copy(original()), nil; tree.IsList(a) { // items of a list
			b = tree.NewList(b)
		}
	}
	if errBefore != nil || errAfter != nil { // what can't be read may be a Secret
		return hidden(before), hidden(after), name
	}
	isItem := tree.IsList(a) && len(a.Content) == 1 || tree.IsList(b) && len(b.Content) == 1
	if of = of.With(b, a); isItem && of.HidesEdits() {
		of = of.InList()
	}
	if !of.HasSecret() {
		return before, after, name
	}
	maskedBefore, maskedAfter := of.Copies(b, a)
	for _, masked := range []*tree.Node{maskedBefore, maskedAfter} {
		if isItem && masked != nil {
			masked = masked.Content[0]
		}
		if masked != nil && of.HidesEdits() { // which may have made the name
			name = report.RefOf(masked)
		}
	}
	return textOf(maskedBefore, isJSONBefore), textOf(maskedAfter, isJSONAfter), name
}

// hidden is shown instead of a text.
func hidden(text []byte) []byte {
	if text == nil {
		return nil
	}
	return []byte(redact.Masked + "\n")
}

// rootOf parses a text as it was read, and tells whether it is JSON.
func rootOf(text []byte) (root *tree.Node, isJSON bool, err error) {
	if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n\ufeff"), []byte{'{'}) {
		if root, err := tree.ParseJSON(text); err == nil {
			return root, true, nil
		}
	}
	root, err = tree.Parse(text)
	return root, false, err
}

// textOf writes a masked copy.
func textOf(masked *tree.Node, isJSON bool) []byte {
	if masked == nil {
		return nil
	}
	if isJSON {
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
