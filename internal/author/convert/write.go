package convert

import (
	"cmp"
	"strings"

	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// commentWidth is how long the lines of comments are at most, if their words allow.
const commentWidth = 110

// newDocument returns an object with a field.
func newDocument(apiVersion, kind, name, field string, value *tree.Node) *tree.Node {
	return tree.NewMap("apiVersion", apiVersion, "kind", kind, "metadata", tree.NewMap("name", cmp.Or(name, "converted")), field, value)
}

// comment puts lines above a node.
func comment(n *tree.Node, lines ...string) {
	var wrapped []string
	for _, line := range lines {
		wrapped = append(wrapped, wrap(line)...)
	}
	n.AddComment(wrapped...)
}

// commentNotes puts notes above a node.
func commentNotes(n *tree.Node, notes []note) { comment(n, lists.Map(notes, note.String)...) }

// wrap breaks a line of a comment, as printable.Line writes it, at blanks.
func wrap(line string) []string {
	var lines []string
	current := ""
	for _, word := range strings.Fields(printable.Line(line)) {
		if current != "" && len(current)+1+len(word) > commentWidth {
			lines = append(lines, current)
			current = " "
		}
		if current != "" {
			current += " "
		}
		current += word
	}
	return append(lines, current)
}

// entries collects the entries that rules are written as. What is said about a rule is above
// its first entry; what is said about one without any, above the document.
type entries struct {
	list    *tree.Node
	dropped []note
}

func newEntries() *entries {
	return &entries{list: tree.NewList()}
}

// add appends the entries of a rule.
func (e *entries) add(r *rule, nodes ...*tree.Node) {
	if len(nodes) == 0 {
		e.dropped = append(e.dropped, r.notes...)
		return
	}
	commentNotes(nodes[0], r.notes)
	e.list.Content = append(e.list.Content, nodes...)
}

// finish puts the comments above the document; it is nil if there is no entry.
func (e *entries) finish(document *tree.Node, s *source, about ...string) *tree.Node {
	if len(e.list.Content) == 0 {
		return nil
	}
	first := document.Content[0]
	comment(first, about...)
	commentNotes(first, s.notes)
	commentNotes(first, e.dropped)
	return document
}

// entries collects what all rules are written as.
func (s *source) entries(write func(*rule) []*tree.Node) *entries {
	all := newEntries()
	for _, r := range s.rules {
		all.add(r, write(r)...)
	}
	return all
}

// entries writes an entry for each selector of the rule, with the expressions in the dialects of
// the program. Write returns nil if the program can't express the selector.
func (r *rule) entries(d dialects, program string, write func(ruleSelector, []expression) *tree.Node) []*tree.Node {
	expressions := apart(r, d.translated(r))
	if _, readsManagers := d[managersOfFields]; len(expressions) == 0 && (!readsManagers || len(r.managers) == 0) {
		return nil
	}
	var nodes []*tree.Node
	for _, t := range r.targets() {
		if node := write(t, expressions); node != nil {
			nodes = append(nodes, node)
		}
	}
	if len(nodes) > 0 {
		r.noteChange(program)
	}
	return nodes
}
