package convert

import (
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var toArgoCD = Target{Name: "argocd", Writes: "an Application", write: documents(writeArgoCD)}

// writeArgoCD writes the part of an Application that says what is ignored: an entry of
// ignoreDifferences for each selector of a rule.
func writeArgoCD(s *source) *tree.Node {
	return s.entries("argoproj.io/v1alpha1", "Application", "ignoreDifferences", argoEntries,
		"Copy spec.ignoreDifferences into the Application and set the sync option "+
			"RespectIgnoreDifferences=true: without it, a sync still applies the fields.")
}

func argoEntries(r *rule) []*tree.Node {
	return r.entries(argoDialects, argoCD, func(t target, expressions []expression) *tree.Node {
		m := newMapping()
		if !addArgoTarget(m, r, t) {
			return nil
		}
		m.texts("jsonPointers", textsOf(expressions, jsonpointer.Dialect.Name))
		m.texts("jqPathExpressions", textsOf(expressions, jqpath.Dialect.Name))
		m.texts("managedFieldsManagers", r.managers)
		return m.node
	})
}

// noteChange says what becomes of the condition OnSpokeChange where there is only one condition.
func (r *rule) noteChange(target string) {
	if r.condition == rules.OnSpokeChange {
		r.change(r.path+".condition", "OnSpokeChange: %s leaves the field alone even if the package changes it", target)
	}
}

// addArgoTarget writes which objects an entry is for; false if that can't be expressed.
func addArgoTarget(m mapping, r *rule, t target) bool {
	s := t.selector
	if !r.plain(t, "Argo CD") || !r.literal("name", s.Name, "Argo CD") || !r.literal("namespace", s.Namespace, "Argo CD") {
		return false
	}
	if !isAny(s.Version) {
		r.change(r.path+".selectors", "version %s: Argo CD ignores versions", config.Quote(*s.Version))
	}
	m.text("group", toArgoGlob(s.Group))
	m.text("kind", toArgoGlob(s.Kind))
	if !isAny(s.Name) {
		m.text("name", *s.Name)
	}
	if !isAny(s.Namespace) {
		m.text("namespace", *s.Namespace)
	}
	return true
}

// plain tells whether a target has only group, version, kind, name and namespace, and notes why
// not.
func (r *rule) plain(t target, name string) bool {
	s := t.selector
	for _, field := range []struct {
		name    string
		isThere bool
	}{
		{"labels", len(s.Labels) > 0}, {"annotations", len(s.Annotations) > 0}, {"labelSelector", s.LabelSelector != nil},
		{"annotationSelector", s.AnnotationSelector != nil},
		{"apiVersion beside group or version", s.APIVersion != nil},
	} {
		if field.isThere {
			r.leaveOut(r.path+".selectors", "%s can't select by %s%s", name, field.name, forObjects(s))
			return false
		}
	}
	return r.withoutExclude(t, name)
}

// withoutExclude tells whether no exclude entry affects a target. One for local-config objects does
// not, since these are not applied.
func (r *rule) withoutExclude(t target, name string) bool {
	for _, exclude := range t.exclude {
		if isLocalConfig(exclude) {
			r.change(r.path+".exclude", "%s can't exclude objects with %s; those are not applied to a cluster", name, localConfig)
			continue
		}
		r.leaveOut(r.path+".exclude", "%s can't exclude objects%s", name, forObjects(t.selector))
		return false
	}
	return true
}

const localConfig = "config.kubernetes.io/local-config"

// isLocalConfig tells whether a selector asks for local-config objects only.
func isLocalConfig(s selector.Selector) bool {
	_, ok := s.Annotations[localConfig]
	return ok
}

// literal tells whether a field of a selector is one text or any, and notes why not.
func (r *rule) literal(field string, text *string, name string) bool {
	switch {
	case isAny(text):
		return true
	case *text == "":
		r.leaveOut(r.path+".selectors", "%s can't select objects without a %s", name, field)
		return false
	case isGlob(*text):
		r.leaveOut(r.path+".selectors", "%s has no globs in %s, found %s", name, field, config.Quote(*text))
		return false
	}
	return true
}

// forObjects names the objects of a selector, after a message.
func forObjects(s selector.Selector) string {
	if isAny(s.Kind) {
		return ""
	}
	return ", for kind " + *s.Kind
}
