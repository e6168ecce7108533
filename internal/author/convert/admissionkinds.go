package convert

import (
	"cmp"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// definition is what a CustomResourceDefinition says of its kind.
type definition struct {
	group, kind, resource string
	versions              []string
}

// addCRD reads the schema and the resource of a CustomResourceDefinition. The error is a
// *schema.CRDError.
func (w *admissionWriter) addCRD(root *tree.Node) error {
	if _, err := w.schemas.Define(root); err != nil {
		return err
	}
	spec := tree.Lookup(root, "spec")
	d := definition{group: tree.GetString(spec, "group"), kind: tree.GetString(spec, "names", "kind"), resource: tree.GetString(spec, "names", "plural")}
	for _, version := range tree.Elements(tree.Lookup(spec, "versions")) {
		d.versions = append(d.versions, tree.GetString(version, "name"))
	}
	w.defined = append(w.defined, d)
	return nil
}

// definitions are what is known of the kinds of a selector: from the input, else from the table.
func (w *admissionWriter) definitions(s selector.Selector) []definition {
	if s.Kind == nil || isGlob(*s.Kind) || s.Group != nil && isGlob(*s.Group) {
		return nil
	}
	var found []definition
	for _, d := range w.defined {
		if d.kind == *s.Kind && (s.Group == nil || *s.Group == d.group) {
			found = append(found, d)
		}
	}
	for group, kinds := range knownKinds() {
		isDefined := slices.ContainsFunc(found, func(d definition) bool { return d.group == group })
		if slices.Contains(kinds, *s.Kind) && (s.Group == nil || *s.Group == group) && !isDefined {
			versions := lists.Map(kindsOf(selector.Selector{Group: &group, Kind: s.Kind}), func(gvk schema.GVK) string { return gvk.Version })
			found = append(found, definition{group: group, kind: *s.Kind, resource: words.Plural(*s.Kind), versions: versions})
		}
	}
	slices.SortFunc(found, func(a, b definition) int { return strings.Compare(a.group, b.group) })
	return found
}

// types are the types of the kinds that targets name, in each version that they may mean.
func (w *admissionWriter) types(targets []ruleSelector) (types []*schema.Type) {
	for _, t := range targets {
		for _, d := range w.definitions(t.selector) {
			for _, version := range d.versions {
				if t.selector.Version == nil || selector.Glob(*t.selector.Version, version) {
					types = append(types, w.schemas.Kind(schema.GVK{Group: d.group, Version: version, Kind: d.kind}).Type)
				}
			}
		}
	}
	return types
}

// resource is an entry of resourceRules, each field exact or `*`.
type resource struct{ group, version, name string }

// resources are those of the kinds that a selector names; all where it names none. A kind of which
// nothing is known has the resource that its name suggests, and isGuess is true.
func (w *admissionWriter) resources(s selector.Selector) (all []resource, isGuess bool) {
	exact := func(text *string) string {
		if text == nil || isGlob(*text) {
			return "*"
		}
		return *text
	}
	version := exact(s.Version)
	for _, d := range w.definitions(s) {
		all = append(all, resource{d.group, version, d.resource})
	}
	if all != nil {
		return all, false
	}
	name := "*"
	if kind := exact(s.Kind); kind != "*" {
		name, isGuess = words.Plural(kind), true
	}
	return []resource{{cmp.Or(exact(s.Group), ""), version, name}}, isGuess
}

// resourceRules are the resources of the kinds that the fields are of. Subresources are not among
// them, so that owners may write through scale and status. isOne is true if all fields are of the
// one kind that they match.
func (w *admissionWriter) resourceRules(fields []guarded) (list *tree.Node, isOne bool) {
	list = tree.NewList()
	var seen []resource
	for _, g := range fields {
		for _, t := range g.targets {
			resources, isGuess := w.resources(t.selector)
			for _, r := range resources {
				if slices.Contains(seen, r) {
					continue
				}
				seen = append(seen, r)
				entry := tree.NewMap("apiGroups", []string{r.group}, "apiVersions", []string{r.version},
					"operations", []string{"UPDATE"}, "resources", []string{r.name})
				if isGuess {
					comment(entry, "resource "+r.name+" is guessed from the kind "+*t.selector.Kind+"; --crds tells it")
				}
				list.Content = append(list.Content, entry)
			}
		}
	}
	one := resource{version: "*"}
	if len(seen) == 1 {
		one = seen[0]
	}
	isOther := func(t ruleSelector) bool {
		s := t.selector
		isExact := s.Kind != nil && !isGlob(*s.Kind) && (s.Group == nil || !isGlob(*s.Group)) && (s.Version == nil || *s.Version == one.version)
		return !isExact || one.name == "*" || one.group == "*"
	}
	isOne = len(seen) == 1 && !slices.ContainsFunc(fields, func(g guarded) bool { return slices.ContainsFunc(g.targets, isOther) })
	return list, isOne
}
