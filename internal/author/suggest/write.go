package suggest

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxObjects is the number of objects that a comment names.
const maxObjects = 3

// write returns the functionConfig, with comments that list what differs and what gets no rule.
// With takesLive, its rules take the live values.
func write(name string, rules []*suggestion, takesLive bool, results []report.Result) *tree.Node {
	list := tree.NewList(lists.Map(rules, (*suggestion).node)...)
	lines := lists.Map(report.NewFold(config.DefaultLimit, report.Ref{}).All(results), func(result report.Result) string {
		return report.Result{Message: result.Message, Ref: result.Ref}.Line()
	})
	root := functionConfig(ignorefields.Kind, name, "ignoreFields", list)
	if takesLive {
		action := tree.NewString("action")
		comment(action, []string{"whoever applies a string owns all of it, so its fields keep their live values; run the rules with the live objects"})
		root.Content = slices.Insert(root.Content, len(root.Content)-2, action, tree.NewString("TakeLive"))
	}
	comment(root.Content[0], lines)
	return root
}

// leaveHashOut lets a functionConfig set no object hash where that would be in conflict.
func leaveHashOut(root *tree.Node, pairs []*pairOfObjects) {
	p, ok := lists.Find(pairs, func(p *pairOfObjects) bool { return p.hashOwner != "" })
	if !ok {
		return
	}
	hash := tree.NewString("objectHash")
	comment(hash, []string{fmt.Sprintf("%s owns the empty annotations of %s, so an apply with a hash would be in conflict", p.hashOwner, p.ref)})
	root.Content = slices.Insert(root.Content, len(root.Content)-2, hash, tree.NewMap("emit", tree.FromValue(false)))
}

// functionConfig returns one with a list. The annotation keeps the file, when it is in a package,
// off the cluster.
func functionConfig(kind, name, key string, list *tree.Node) *tree.Node {
	return tree.NewMap(
		"apiVersion", selector.APIVersion, "kind", kind,
		"metadata", tree.NewMap("name", name, "annotations", tree.NewMap("config.kubernetes.io/local-config", "true")),
		key, list,
	)
}

func (r *suggestion) node() *tree.Node {
	n := tree.NewMap("condition", "OnSpokePresent", "selectors", selector.Nodes(r.selectors))
	if d, ok := expr.ByName(r.within.dialect); ok {
		n.Content = append(n.Content, tree.NewString("within"), tree.NewMap(d.Field, tree.NewList(tree.NewString(r.within.text))))
	}
	for _, d := range expr.Dialects {
		list := tree.NewList()
		for _, f := range r.fields[d.Name] {
			text := tree.NewString(f.expression)
			comment(text, f.comments())
			list.Content = append(list.Content, text)
		}
		if len(list.Content) > 0 {
			n.Content = append(n.Content, tree.NewString(d.Field), list)
		}
	}
	return n
}

// comments list what differs in which objects.
func (f namedField) comments() []string {
	var lines []string
	for i, found := range f.found {
		if i == maxObjects {
			return append(lines, fmt.Sprintf("and %d more", len(f.found)-maxObjects))
		}
		lines = append(lines, found.comment())
	}
	return lines
}

// comment adds lines above a node.
func comment(n *tree.Node, lines []string) {
	n.AddComment(lists.Map(lines, printable.Line)...)
}
