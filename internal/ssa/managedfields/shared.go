package managedfields

import (
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Shared is a field with several owners.
type Shared struct {
	// Path is the field as the API server writes it: .spec.containers[name="app"].image.
	Path string
	// Owners are the entries that own it, in their order; none that another of them takes over.
	Owners []Entry
	// IsWhole is true for a list or map with content that has its owners as a whole.
	IsWhole bool
}

// Survey is what the managedFields of an object say of its managers.
type Survey struct {
	Entries []Entry // without their fields
	Shared  []Shared
}

// SurveyOf reads the managedFields of a live object in place, without making sets of their fields.
// The status is left out, and so is what names the elements of lists.
func SurveyOf(live *tree.Node) Survey {
	s := surveyor{}
	var roots []part
	for _, n := range tree.Elements(tree.Get(live, "metadata", "managedFields")) {
		e := headOf(n)
		s.Entries = append(s.Entries, e)
		if e.Subresource != "status" {
			roots = append(roots, part{len(s.Entries) - 1, tree.Get(n, "fieldsV1")})
		}
	}
	s.walk("", roots, live)
	return s.Survey
}

type surveyor struct{ Survey }

// part is what an entry has of a value, in its fieldsV1.
type part struct {
	entry  int
	fields *tree.Node
}

func (p part) hasFields() bool { return len(p.fields.Content) > 0 }

// walk goes on where several entries have fields.
func (s *surveyor) walk(path string, parts []part, live *tree.Node) {
	if len(parts) < 2 {
		return
	}
	inner, there := map[string][]part{}, values{live: live}
	var keys []string
	for _, p := range parts {
		for key, fields := range tree.Entries(p.fields) {
			if fields = tree.Deref(fields); key == "." || !tree.IsMap(fields) {
				continue
			}
			if inner[key] = append(inner[key], part{p.entry, fields}); len(inner[key]) == 2 {
				keys = append(keys, key)
			}
		}
	}
	for _, key := range keys {
		element, err := fieldpath.DeserializePathElement(key)
		if err != nil {
			continue // no API server writes it
		}
		at, value := path+element.String(), there.at(element)
		if element.FieldName != nil {
			at = path + "." + *element.FieldName
		}
		s.add(at, slices.DeleteFunc(slices.Clone(inner[key]), part.hasFields), value)
		all := slices.DeleteFunc(inner[key], func(p part) bool { return !p.hasFields() })
		if element.Key != nil {
			all = withoutKeys(all, *element.Key)
		}
		s.walk(at, all, value)
	}
}

// withoutKeys leaves out the fields that name an element of a list.
func withoutKeys(all []part, keys value.FieldList) []part {
	out := make([]part, len(all))
	for i, p := range all {
		fields := p.fields.Bare()
		for j := 0; j+1 < len(p.fields.Content); j += 2 {
			name, _ := strings.CutPrefix(p.fields.Content[j].Text(), "f:")
			if !slices.ContainsFunc(keys, func(k value.Field) bool { return k.Name == name }) {
				fields.Content = append(fields.Content, p.fields.Content[j], p.fields.Content[j+1])
			}
		}
		out[i] = part{p.entry, fields}
	}
	return out
}

// add adds a field that the parts are all of, but for an empty map, which others may fill.
func (s *surveyor) add(path string, parts []part, there *tree.Node) {
	if tree.IsMap(there) && len(there.Content) == 0 {
		return
	}
	var owners []Entry
	for _, p := range parts {
		e := s.Entries[p.entry]
		isTaken := slices.ContainsFunc(parts, func(other part) bool {
			by := s.Entries[other.entry]
			return other.entry != p.entry && by.isApplier() && e.isTakenOver(by.Manager)
		})
		isKnown := slices.ContainsFunc(owners, func(o Entry) bool { return o.Manager == e.Manager })
		if !isTaken && !isKnown {
			owners = append(owners, e)
		}
	}
	if len(owners) > 1 {
		s.Shared = append(s.Shared, Shared{Path: path, Owners: owners, IsWhole: there != nil && len(there.Content) > 0})
	}
}

// values finds the values one step further into a live value.
type values struct {
	live *tree.Node
	// elements are those of a list by the text of their keys, once one is asked for.
	elements map[string]*tree.Node
}

// at returns the value behind a step; nil if there is none, or it is an element of a set.
func (v *values) at(step fieldpath.PathElement) *tree.Node {
	switch {
	case step.FieldName != nil:
		return tree.Deref(tree.Lookup(v.live, *step.FieldName))
	case step.Key == nil:
		return nil
	case v.elements == nil:
		v.elements = map[string]*tree.Node{}
		for _, element := range tree.Elements(v.live) {
			keys := make(value.FieldList, len(*step.Key))
			for i, k := range *step.Key {
				keys[i] = value.Field{Name: k.Name, Value: valueOf(tree.Lookup(element, k.Name))}
			}
			v.elements[fieldpath.PathElement{Key: &keys}.String()] = tree.Deref(element)
		}
	}
	return v.elements[step.String()]
}

// Applies tells whether the entry is that of a program that applies whole packages.
func (e Entry) Applies() bool {
	return e.isApplier() || e.Subresource == "" && e.Operation == update && (e.Manager == ClientSideApply ||
		slices.ContainsFunc(Tools, func(t *Tool) bool { return t.Manager == e.Manager && t.Manager != Kubectl }))
}

// LeftBehind returns the entries of client-side apply beside those of server-side applies, each
// with the applier that takes it over, "" if none of them does.
func (s Survey) LeftBehind() map[string]string {
	left := map[string]string{}
	for _, old := range s.Entries {
		for _, e := range s.Entries {
			if !old.isLegacy() || !e.isApplier() {
				continue
			}
			if by := left[old.Manager]; by == "" {
				left[old.Manager] = ""
				if old.isTakenOver(e.Manager) {
					left[old.Manager] = e.Manager
				}
			}
		}
	}
	return left
}
