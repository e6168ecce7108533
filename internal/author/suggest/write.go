package suggest

import (
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxObjects is the number of objects that a comment names.
const maxObjects = 3

// write returns the functionConfig, with comments that list what differs and what gets no rule.
func write(name string, rules []*suggestion, results []report.Result) *tree.Node {
	list := &tree.Node{Kind: tree.SequenceNode, Tag: tree.ListTag}
	for _, r := range rules {
		list.Content = append(list.Content, r.node())
	}
	apiVersion := tree.NewString("apiVersion")
	var lines []string
	for _, result := range results {
		lines = append(lines, strings.TrimPrefix(withoutFile(result).Line(), result.Severity+": "))
	}
	comment(apiVersion, lines)
	root := mapOf(
		apiVersion, tree.NewString("fn.kpt.dev/v1alpha1"),
		tree.NewString("kind"), tree.NewString(ignorefields.Kind),
		tree.NewString("metadata"), mapOf(
			tree.NewString("name"), tree.NewString(name),
			// Keeps the file, when it is in a package, off the cluster.
			tree.NewString("annotations"), tree.FromValue(map[string]any{"config.kubernetes.io/local-config": "true"}),
		),
		tree.NewString("ignoreFields"), list,
	)
	return root
}

func withoutFile(result report.Result) report.Result {
	result.File = report.File{}
	return result
}

func mapOf(content ...*tree.Node) *tree.Node {
	return &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag, Content: content}
}

func (r *suggestion) node() *tree.Node {
	selectors := &tree.Node{Kind: tree.SequenceNode, Tag: tree.ListTag}
	for _, s := range r.selectors {
		n := mapOf(tree.NewString("group"), tree.NewString(*s.Group), tree.NewString("kind"), tree.NewString(*s.Kind))
		for _, member := range []struct {
			key   string
			value *string
		}{{"name", s.Name}, {"namespace", s.Namespace}} {
			if member.value != nil {
				n.Content = append(n.Content, tree.NewString(member.key), tree.NewString(*member.value))
			}
		}
		selectors.Content = append(selectors.Content, n)
	}
	n := mapOf(
		tree.NewString("condition"), tree.NewString("OnSpokePresent"),
		tree.NewString("selectors"), selectors,
	)
	if d, ok := expr.ByName(r.within.dialect); ok {
		within := mapOf(tree.NewString(d.Field), &tree.Node{Kind: tree.SequenceNode, Content: []*tree.Node{tree.NewString(r.within.text)}})
		n.Content = append(n.Content, tree.NewString("within"), within)
	}
	for _, d := range expr.Dialects {
		addFields(n, d.Field, r.fields[d.Name])
	}
	return n
}

func addFields(m *tree.Node, key string, fields []field) {
	if len(fields) == 0 {
		return
	}
	list := &tree.Node{Kind: tree.SequenceNode, Tag: tree.ListTag}
	for _, f := range fields {
		n := tree.NewString(f.expression)
		comment(n, f.comments())
		list.Content = append(list.Content, n)
	}
	m.Content = append(m.Content, tree.NewString(key), list)
}

// comments list what differs in which objects.
func (f field) comments() []string {
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
	comments := n.Comments()
	for i, line := range lines {
		if i > 0 {
			comments.Head += "\n"
		}
		comments.Head += "# " + printable.Line(line)
	}
	n.SetComments(comments)
}
