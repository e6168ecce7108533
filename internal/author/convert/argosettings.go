package convert

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Keys of the ConfigMap argocd-cm (argo-cd v3, util/settings/settings.go).
const (
	argoSettings       = "argocd-cm"
	argoCustomizations = "resource.customizations"
	argoDifferences    = argoCustomizations + ".ignoreDifferences."
)

// hasSettings tells whether a map has keys of argocd-cm that say what is ignored.
func hasSettings(n *tree.Node) bool {
	for key, value := range tree.Entries(n) {
		if key == argoCustomizations && strings.Contains(tree.GetString(value), "ignoreDifferences") ||
			strings.HasPrefix(key, argoDifferences) && tree.Type(value) == tree.String {
			return true
		}
	}
	return false
}

// settings reads the keys of argocd-cm in a map: one for each group and kind, and the one that
// older versions had for all. What both have, the first replaces.
func (w *argoWalk) settings(s *source, n *tree.Node, path string) {
	split := map[string]bool{}
	for key := range tree.Entries(n) {
		if groupKind, ok := strings.CutPrefix(key, argoDifferences); ok {
			split[overrideKey(groupKind)] = true
		}
	}
	for key, value := range tree.Entries(n) {
		at := config.Child(path, key)
		if key == argoCustomizations {
			s.readArgoCustomizations(tree.GetString(value), at, split)
			continue
		}
		groupKind, ok := strings.CutPrefix(key, argoDifferences)
		if !ok {
			continue
		}
		s.readArgoText(tree.GetString(value), at, overrideKey(groupKind))
	}
	if strings.Contains(tree.GetString(n, "resource.compareoptions"), "ignoreAggregatedRoles: true") {
		s.lose(config.Child(path, "resource.compareoptions"), "left out: ignoreAggregatedRoles is not a list of fields; "+
			"write a rule for /rules of the ClusterRoles with an aggregationRule, or fromOwners: true")
	}
}

// overrideKey is the key of the older form for one of the newer.
func overrideKey(groupKind string) string {
	if groupKind == "all" {
		return "*/*"
	}
	return strings.Replace(groupKind, "_", "/", 1)
}

// readArgoCustomizations reads the older form: a map from group/kind to the customizations, of
// which ignoreDifferences is YAML as text again.
func (s *source) readArgoCustomizations(text, path string, split map[string]bool) {
	customizations, ok := s.parse(text, path)
	if !ok {
		return
	}
	for key, value := range tree.Entries(customizations) {
		differences := tree.Lookup(value, "ignoreDifferences")
		if differences == nil {
			continue
		}
		inner := config.Child(path, key) + ".ignoreDifferences"
		if tree.Type(differences) != tree.String {
			s.fault(inner, "must be a string of YAML, found %s; write | after ignoreDifferences:", config.Found(differences))
			continue
		}
		if split[key] {
			s.remark(inner, "left out, since the key %s%s replaces it", argoDifferences, strings.ReplaceAll(key, "/", "_"))
			continue
		}
		if key == "all" {
			s.lose(inner, "left out: in this map, all is the name of a kind, so Argo CD ignores nothing; write */* for all objects")
			continue
		}
		s.readArgoText(differences.Text(), inner, key)
	}
}

// readArgoText reads what is ignored of a group and kind, or of a kind of the core group, from
// YAML.
func (s *source) readArgoText(text, path, groupKind string) {
	r := newRule(path)
	if isTemplate(text) {
		r.leaveOut(path, "it contains a template, whose result is unknown")
		s.rules = append(s.rules, r)
		return
	}
	if n, ok := s.parse(text, path); ok {
		group, kind := report.GroupVersion(groupKind) // which are written like a group and a version
		s.readArgoOverrideNode(r, withKnownCase(n), group, kind)
	}
}

// readArgoOverrideNode reads what is ignored of a group and kind.
func (s *source) readArgoOverrideNode(r *rule, n *tree.Node, group, kind string) {
	var override argoOverride
	if faults := config.Decode(n, r.path, &override); len(faults) > 0 {
		s.faults = append(s.faults, faults...)
		return
	}
	s.readArgoOverride(r, override)
	r.argoGroupKind(group, kind, nil, nil)
	s.rules = append(s.rules, r.oneByOne()...)
}

// withKnownCase returns a map with the fields of argoOverride spelt as there: Argo CD reads this
// YAML by way of JSON, without regard to case, and argocd-operator writes it in lower case.
func withKnownCase(n *tree.Node) *tree.Node {
	if !tree.IsMap(n) {
		return n
	}
	known := []string{"jsonPointers", "jqPathExpressions", "managedFieldsManagers"}
	spelt := tree.NewMap()
	for key, value := range tree.Entries(n) {
		if i := slices.IndexFunc(known, func(name string) bool { return strings.EqualFold(name, key) }); i >= 0 {
			key = known[i]
		}
		spelt.Content = append(spelt.Content, tree.NewString(key), value)
	}
	return spelt
}

// readArgoOperator reads the field of the custom resource ArgoCD, from which argocd-operator makes
// the keys of argocd-cm (api/v1beta1/argocd_types.go).
func (s *source) readArgoOperator(n *tree.Node, path string) {
	if all := tree.Lookup(n, "all"); all != nil {
		s.readArgoOverrideNode(newRule(path+".all"), all, "*", "*")
	}
	for i, entry := range tree.Elements(tree.Lookup(n, "resourceIdentifiers")) {
		r := newRule(config.Element(path+".resourceIdentifiers", i) + ".customization")
		s.readArgoOverrideNode(r, tree.Get(entry, "customization"), tree.GetString(entry, "group"), tree.GetString(entry, "kind"))
	}
}

// parse parses YAML that is in a text; false if there is none.
func (s *source) parse(text, path string) (*tree.Node, bool) {
	n, err := tree.Parse([]byte(text))
	if err != nil {
		s.fault(path, "must be YAML: %s", err)
		return nil, false
	}
	return n, n != nil
}
