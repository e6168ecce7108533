package convert

import (
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var toIgnoreFields = Target{Name: "ignorefields", Writes: "an IgnoreFields", write: documents(writeIgnoreFields)}

// writeIgnoreFields writes a functionConfig: a rule for each rule, with selectors of its own.
func writeIgnoreFields(s *source) *tree.Node {
	rules := newEntries()
	for _, r := range s.rules {
		var nodes []*tree.Node
		if len(r.expressions) > 0 {
			m := r.ignoreFields()
			for _, d := range expr.Dialects {
				m.texts(d.Field, textsOf(r.expressions, d.Name))
			}
			nodes = append(nodes, m.node)
		}
		if len(r.managers) > 0 { // a rule has one or the other
			r.remark(r.path+".managedFieldsManagers", "the run needs live objects with managedFields")
			m := r.ignoreFields()
			m.texts("managedFieldsManagers", r.managers)
			nodes = append(nodes, m.node)
		}
		rules.add(r, nodes...)
	}
	document := newDocument("fn.kpt.dev/v1alpha1", "IgnoreFields", s.name)
	document.keepLocal()
	document.add("ignoreFields", rules.list)
	if s.hash != "" {
		hash := newMapping()
		hash.text("algorithm", s.hash)
		document.add("objectHash", hash.node)
	}
	return rules.finish(document, s)
}

// ignoreFields begins a rule: what it is for.
func (r *rule) ignoreFields() mapping {
	m := newMapping()
	m.text("condition", r.condition)
	addSelectors(m, "selectors", r.selectors)
	addSelectors(m, "exclude", r.exclude)
	return m
}

func addSelectors(m mapping, key string, selectors []selector.Selector) {
	if len(selectors) == 0 {
		return
	}
	list := newList()
	for _, s := range selectors {
		list.Content = append(list.Content, selectorNode(s))
	}
	m.add(key, list)
}

func selectorNode(s selector.Selector) *tree.Node {
	m := newMapping()
	m.optional("apiVersion", s.APIVersion)
	m.optional("group", s.Group)
	m.optional("version", s.Version)
	m.optional("kind", s.Kind)
	m.optional("name", s.Name)
	m.optional("namespace", s.Namespace)
	m.pairs("labels", s.Labels)
	m.pairs("annotations", s.Annotations)
	m.optional("labelSelector", s.LabelSelector)
	m.optional("annotationSelector", s.AnnotationSelector)
	return m.node
}
