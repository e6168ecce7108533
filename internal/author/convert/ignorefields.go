package convert

import (
	"slices"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// settings are the fields of an IgnoreFields that say how, not what; none of them exists elsewhere.
var settings = []string{"onMissing", "onNoMatch", "pruneEmptied", "objectHash", "live", "annotate", "jq", "manifestWorks"}

// fromIgnoreFields reads our own rules.
var fromIgnoreFields = Source{Name: "ignorefields", Title: "IgnoreFields", Holds: "an IgnoreFields, or its ConfigMap form", read: readIgnoreFields}

func readIgnoreFields(root *tree.Node) []*source {
	o := selector.Of(root)
	isConfigMap := o.APIVersion == "v1" && o.Kind == "ConfigMap" && slices.ContainsFunc(expr.Dialects, func(d expr.Dialect) bool {
		return tree.Get(root, "data", d.Field) != nil
	})
	if !isConfigMap && (o.Group != "fn.kpt.dev" || o.Kind != ignorefields.Kind) {
		return nil
	}
	s := newSource(root)
	c, faults := ignorefields.Decode(root)
	if s.faults = faults; len(faults) > 0 {
		return []*source{s}
	}
	if action := ignorefields.ActionOf(c.Action); action.Effect != ignorefields.LeftOut {
		s.lose("action", "changed: %s %s; what is written here ignores them", action.Name, action.Does)
	}
	for _, name := range settings {
		isNone := name == "objectHash" && !c.ObjectHash.Emit // no other program writes one
		if tree.Lookup(root, name) != nil && !isNone {
			s.remark(name, "not converted: the target format has no equivalent")
		}
	}
	for i, written := range c.IgnoreFields {
		path := config.Element("ignoreFields", i)
		if isConfigMap {
			path = "data"
		}
		s.rules = append(s.rules, s.readRule(path, c, written))
	}
	return []*source{s}
}

// readRule reads a rule, with the selectors of the whole configuration.
func (s *source) readRule(path string, c ignorefields.Config, written rules.Config) *rule {
	r := &rule{path: path, condition: written.Condition}
	if written.FromAnnotation.Format != nil {
		r.leaveOut(path+".fromAnnotation", "the fields are in an annotation of each object")
		return r
	}
	if len(written.Within) > 0 {
		r.leaveOut(path+".within", "its fields are in documents inside strings, and other tools treat a string as one field")
		return r
	}
	r.managers, r.fromOwners = written.Managers, written.FromOwners
	for _, d := range expr.Dialects {
		s.addList(r, d, d.Field, written.Lists[d.Field])
	}
	r.exclude = append(append(r.exclude, c.Exclude...), written.Exclude...)
	selectors, ok := bothLists(c.Selectors, written.Selectors)
	if !ok {
		r.drop(path+".selectors", "these selectors and those at the top level both have globs, which can't be combined")
		return r
	}
	if len(selectors) == 0 && len(c.Selectors)+len(written.Selectors) > 0 {
		r.drop(path+".selectors", "no object can match both these selectors and those at the top level")
		return r
	}
	r.selectors = selectors
	return r
}

// bothLists returns the selectors for the objects that one entry of each list fits; an empty list
// fits all. It returns false if they can't be written.
func bothLists(a, b []selector.Selector) ([]selector.Selector, bool) {
	switch {
	case len(a) == 0:
		return b, true
	case len(b) == 0:
		return a, true
	}
	var merged []selector.Selector
	for _, x := range a {
		for _, y := range b {
			s, possible, known := both(x, y)
			if !known {
				return nil, false
			}
			if possible {
				merged = append(merged, s)
			}
		}
	}
	return merged, true
}

// ownRulesLeftOut names the objects whose rules in their annotation are not converted.
func ownRulesLeftOut(objects []*object.Object) []report.Result {
	var results []report.Result
	for _, o := range objects {
		if tree.Get(o.Root(), "metadata", "annotations", ignorefields.RulesAnnotation) == nil {
			continue
		}
		path := config.Child("metadata.annotations", ignorefields.RulesAnnotation)
		results = append(results, report.New(report.SeverityWarning, report.ReasonNotConverted,
			path+": left out: the rules of a single object are not converted; write them as a rule of an IgnoreFields, "+
				"with the object in its selectors").Of(report.RefOf(o.Root()), o.File()).At(path))
	}
	return results
}

var toIgnoreFields = Form{Name: "ignorefields", Title: fromIgnoreFields.Title, Writes: "an IgnoreFields", write: documents(writeIgnoreFields)}

// writeIgnoreFields writes a functionConfig: a rule for each rule, with selectors of its own.
func writeIgnoreFields(s *source) *tree.Node {
	rules := s.entries(func(r *rule) (nodes []*tree.Node) {
		if len(r.expressions) > 0 {
			var lists []any
			for _, d := range expr.Dialects {
				lists = append(lists, d.Field, textsOf(r.expressions, d.Name))
			}
			nodes = append(nodes, r.ignoreFields(lists...))
		}
		if len(r.managers) > 0 { // a rule has one or the other
			r.remark(r.path+".managedFieldsManagers", "the run needs live objects with managedFields")
			nodes = append(nodes, r.ignoreFields("managedFieldsManagers", r.managers))
		}
		return nodes
	})
	document := newDocument("fn.kpt.dev/v1alpha1", "IgnoreFields", s.name, "ignoreFields", rules.list)
	metadata := tree.Lookup(document, "metadata") // the annotation keeps it off the cluster, in a package
	metadata.Content = append(metadata.Content, tree.NewString("annotations"), tree.NewMap(localConfig, "true"))
	if s.hash != "" {
		document.Content = append(document.Content, tree.NewString("objectHash"), tree.NewMap("algorithm", s.hash))
	}
	return rules.finish(document, s)
}

// ignoreFields returns a rule with lists of what it names.
func (r *rule) ignoreFields(lists ...any) *tree.Node {
	about := []any{"condition", r.condition, "selectors", selector.Nodes(r.selectors), "exclude", selector.Nodes(r.exclude)}
	return tree.NewMap(append(about, lists...)...)
}
