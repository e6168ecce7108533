package dialect

import "github.com/krm-fields/krm-fields/internal/yamldoc/tree"

// manyElements is the size from which on a list is indexed.
const manyElements = 256

// elementsBy finds the elements of a list by a text: their own, or that of a member.
type elementsBy struct {
	list   *tree.Node
	member string // "" for the elements themselves
	byText map[string][]int
	// isKnown is true once byText is made, which is nil if another text than a string is there.
	isKnown bool
}

// ElementsWith returns the elements of a list whose member is the text, or which are that text
// themselves if member is "". It does not go through a long list for each of many expressions: from
// the second on, the list is indexed. Before, and where something else is compared with the text
// than strings, it returns false.
func (in *Input) ElementsWith(list *tree.Node, member, text string) (indices []int, isKnown bool) {
	if len(list.Content) < manyElements {
		return nil, false
	}
	if in.elements.list != list || in.elements.member != member {
		in.elements = elementsBy{list: list, member: member}
		return nil, false
	}
	if !in.elements.isKnown {
		in.elements.index()
	}
	return in.elements.byText[text], in.elements.byText != nil
}

func (e *elementsBy) index() {
	e.isKnown = true
	byText := make(map[string][]int, len(e.list.Content))
	for i, element := range e.list.Content {
		n := tree.Deref(element)
		if e.member != "" {
			n = tree.Lookup(n, e.member)
		}
		switch {
		case n == nil:
		case tree.Type(n) != tree.String:
			return
		default:
			byText[n.Text()] = append(byText[n.Text()], i)
		}
	}
	e.byText = byText
}
