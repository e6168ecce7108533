package convert

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/config"
	"github.com/krm-fields/krm-fields/fn/jq"
	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// argoOverride are the fields that say what is ignored
// (argo-cd v3, pkg/apis/application/v1alpha1/types.go, OverrideIgnoreDiff).
type argoOverride struct {
	JSONPointers          []string `json:"jsonPointers"`
	JQPathExpressions     []string `json:"jqPathExpressions"`
	ManagedFieldsManagers []string `json:"managedFieldsManagers"`
}

// argoDifference is one entry of an Application's ignoreDifferences
// (ResourceIgnoreDifferences in the same file). Group and kind are globs; name
// and namespace must be equal, where they are given.
type argoDifference struct {
	Group     string `json:"group"`
	Kind      string `json:"kind" required:"true"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	argoOverride
}

func readArgoCD(root *yaml.Node) (*source, bool) {
	o := match.Of(root)
	s := newSource(root)
	switch {
	case o.Group == "argoproj.io" && o.Kind == "Application":
		s.readArgoDifferences(tree.Get(root, "spec"), "spec")
	case o.Group == "argoproj.io" && o.Kind == "ApplicationSet":
		s.readArgoDifferences(tree.Get(root, "spec", "template", "spec"), "spec.template.spec")
	case o.APIVersion == "v1" && o.Kind == "ConfigMap" && isArgoSettings(o.Name, root):
		s.readArgoSettings(tree.Get(root, "data"))
	default:
		return nil, false
	}
	return s, true
}

// readArgoDifferences reads the ignoreDifferences of the spec of an Application,
// which is at path.
func (s *source) readArgoDifferences(spec *yaml.Node, path string) {
	var list struct {
		IgnoreDifferences []argoDifference `json:"ignoreDifferences"`
	}
	s.decode(spec, path, "ignoreDifferences", &list)
	for i, entry := range list.IgnoreDifferences {
		r := &rule{path: element(path+".ignoreDifferences", i), condition: onSpokePresent}
		s.readArgoOverride(r, entry.argoOverride)
		s.readArgoTarget(r, entry)
		s.rules = append(s.rules, r)
	}
	if len(s.rules) > 0 && !hasSyncOption(spec, "RespectIgnoreDifferences=true") {
		s.remark(path+".syncPolicy.syncOptions",
			"without RespectIgnoreDifferences=true, Argo CD still applies these fields with a sync")
	}
}

func hasSyncOption(spec *yaml.Node, option string) bool {
	return slices.ContainsFunc(tree.Elements(tree.Get(spec, "syncPolicy", "syncOptions")), func(n *yaml.Node) bool {
		return tree.GetString(n) == option
	})
}

// readArgoTarget reads which objects an entry is for. Group left out is the core
// group, as in Argo CD.
func (s *source) readArgoTarget(r *rule, entry argoDifference) {
	for _, text := range []string{entry.Group, entry.Kind, entry.Name, entry.Namespace} {
		if strings.Contains(text, "{{") {
			r.expressions = nil
			r.leaveOut(r.path, "%s is a template, whose result is not known here", config.Quote(text))
			return
		}
	}
	s.argoGroupKind(r, entry.Group, entry.Kind, given(entry.Name), given(entry.Namespace))
}

// argoGroupKind gives the rule the selectors for two globs, a name and a
// namespace.
func (s *source) argoGroupKind(r *rule, group, kind string, name, namespace *string) {
	groups, err := fromArgoGlob(group)
	if err != nil {
		r.expressions = nil
		r.leaveOut(r.path, "group %s: %s", config.Quote(group), err)
		return
	}
	kinds, err := fromArgoGlob(kind)
	if err != nil {
		r.expressions = nil
		r.leaveOut(r.path, "kind %s: %s", config.Quote(kind), err)
		return
	}
	r.selectors = product([5][]*string{groups, {nil}, kinds, {name}, {namespace}})
}

// asteriskIsKey is what is said of a pointer with a segment *.
const asteriskIsKey = "in %s the segment * is a key; here it stands for each element of a list"

// readArgoOverride reads what an entry ignores.
func (s *source) readArgoOverride(r *rule, override argoOverride) {
	if len(override.ManagedFieldsManagers) > 0 {
		r.leaveOut(r.path+".managedFieldsManagers", "%s: rules name fields, not their managers; "+
			"krm-fields suggest finds the fields that differ", strings.Join(override.ManagedFieldsManagers, ", "))
	}
	pointers := override.JSONPointers
	for i, pointer := range pointers {
		if slices.Contains(strings.Split(pointer, "/"), "*") {
			r.change(element(r.path+".jsonPointers", i), asteriskIsKey, pointer)
		}
	}
	s.add(r, locate.JSONPointer, "jsonPointers", pointers)
	// Argo CD goes on where an expression fails on an object.
	optional := make([]string, len(override.JQPathExpressions))
	for i, text := range override.JQPathExpressions {
		if optional[i] = jq.IterateOptionally(text); optional[i] != text {
			r.remark(element(r.path+".jqPathExpressions", i), "[] is written as []?, since [] fails where there is no list")
		}
	}
	s.add(r, locate.JQ, "jqPathExpressions", optional)
}

// Keys of the ConfigMap argocd-cm (argo-cd v3, util/settings/settings.go).
const (
	argoSettings       = "argocd-cm"
	argoCustomizations = "resource.customizations"
	argoDifferences    = argoCustomizations + ".ignoreDifferences."
)

// isArgoSettings tells whether a ConfigMap is that of Argo CD, whatever its
// name.
func isArgoSettings(name string, root *yaml.Node) bool {
	if name == argoSettings {
		return true
	}
	for key := range tree.Entries(tree.Get(root, "data")) {
		if key == argoCustomizations || strings.HasPrefix(key, argoDifferences) {
			return true
		}
	}
	return false
}

// readArgoSettings reads the data of argocd-cm: a key for each group and kind, and
// the one key that older versions had for all.
func (s *source) readArgoSettings(data *yaml.Node) {
	for key, value := range tree.Entries(data) {
		path := locate.Location{locate.Key("data"), locate.Key(key)}.String()
		if key == argoCustomizations {
			s.readArgoCustomizations(tree.GetString(value), path)
			continue
		}
		groupKind, ok := strings.CutPrefix(key, argoDifferences)
		if !ok {
			continue
		}
		group, kind, found := strings.Cut(groupKind, "_")
		if !found {
			group, kind = "", groupKind
		}
		if groupKind == "all" {
			group, kind = "*", "*"
		}
		s.readArgoText(tree.GetString(value), path, group, kind)
	}
}

// readArgoCustomizations reads the older form: a map from group/kind to the
// customizations, of which ignoreDifferences is YAML as text again.
func (s *source) readArgoCustomizations(text, path string) {
	customizations, ok := s.parse(text, path)
	if !ok {
		return
	}
	for key, value := range tree.Entries(customizations) {
		inner := path + locate.Location{locate.Key(key)}.String()
		if !strings.HasSuffix(inner, "]") {
			inner = path + "." + key
		}
		differences := tree.Lookup(value, "ignoreDifferences")
		if differences == nil {
			continue
		}
		inner += ".ignoreDifferences"
		if tree.Type(differences) != tree.String {
			s.fault(inner, "must be YAML as text, found %s; write | after ignoreDifferences:", config.Found(differences))
			continue
		}
		group, kind, found := strings.Cut(key, "/")
		if !found {
			group, kind = "", key
		}
		s.readArgoText(differences.Value, inner, group, kind)
	}
}

// readArgoText reads what is ignored of a group and kind from YAML.
func (s *source) readArgoText(text, path, group, kind string) {
	n, ok := s.parse(text, path)
	if !ok {
		return
	}
	var override argoOverride
	if faults := config.Decode(n, path, &override); len(faults) > 0 {
		s.faults = append(s.faults, faults...)
		return
	}
	r := &rule{path: path, condition: onSpokePresent}
	s.readArgoOverride(r, override)
	s.argoGroupKind(r, group, kind, nil, nil)
	s.rules = append(s.rules, r)
}

// parse parses YAML that stands in a text; false where there is none.
func (s *source) parse(text, path string) (*yaml.Node, bool) {
	n, err := tree.Parse([]byte(text))
	if err != nil {
		s.fault(path, "must be YAML: %s", err)
		return nil, false
	}
	return n, n != nil
}
