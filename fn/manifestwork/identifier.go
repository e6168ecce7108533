package manifestwork

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/words"
)

// ResourceIdentifier says which manifests a config is for, as the API of ManifestWork has it. In
// namespace and name `*` stands for any run of characters.
type ResourceIdentifier struct {
	Group     string `json:"group"`
	Resource  string `json:"resource" required:"true"`
	Namespace string `json:"namespace"`
	Name      string `json:"name" required:"true"`
}

// String is the resource as kubectl names it: `deployments.apps default/web`.
func (r ResourceIdentifier) String() string {
	text := r.Resource
	if r.Group != "" {
		text += "." + r.Group
	}
	if r.Namespace == "" {
		return text + " " + r.Name
	}
	return text + " " + r.Namespace + "/" + r.Name
}

// names tells whether the identifier is for the manifest.
func (r ResourceIdentifier) names(m workManifest) bool {
	return r.namesKind(m) && selector.Glob(r.Namespace, m.Namespace) && selector.Glob(r.Name, m.Name)
}

func (r ResourceIdentifier) namesKind(m workManifest) bool {
	return r.hasGroup(m) && r.HasResource(m.Kind)
}

// hasGroup accepts the group with its version behind it, and `core` and `v1` for the core group,
// too, since the intent is clear.
func (r ResourceIdentifier) hasGroup(m workManifest) bool {
	group, version, hasVersion := strings.Cut(r.Group, "/")
	switch {
	case r.Group == m.Group:
		return true
	case hasVersion:
		return group == m.Group && version == m.Version
	case m.Group == "":
		return r.Group == "core" || r.Group == m.Version
	}
	return false
}

// HasResource accepts the plural of the kind in any case and the kind itself, too.
func (r ResourceIdentifier) HasResource(kind string) bool {
	resource, name := strings.ToLower(r.Resource), strings.ToLower(kind)
	return resource == name || isPlural(resource, kind) || resource == strings.TrimSuffix(name, "y")+"ies"
}

// isPlural tells whether resource is a plural of the kind.
func isPlural(resource, kind string) bool {
	return resource == words.Plural(kind) || kind != "" && resource == strings.ToLower(kind)+"s"
}

// fix says how to write the identifier so that the agent finds the manifest, or "" if it does
// already.
func (r ResourceIdentifier) fix(m workManifest) string {
	var parts []string
	if r.Group != m.Group {
		parts = append(parts, "group: "+cmp.Or(m.Group, `""`))
	}
	if !isPlural(r.Resource, m.Kind) {
		parts = append(parts, "resource: "+words.Plural(m.Kind))
	}
	return strings.Join(parts, " and ")
}

// difference says which parts of the identifier differ from the manifest, if its kind or its name
// agrees; else "".
func (r ResourceIdentifier) difference(m workManifest) string {
	sameName := selector.Glob(r.Name, m.Name)
	switch {
	case r.namesKind(m) && sameName:
		return fmt.Sprintf("namespace must be %s, found %s", cmp.Or(m.Namespace, `""`), cmp.Or(r.Namespace, `""`))
	case r.namesKind(m) && selector.Glob(r.Namespace, m.Namespace):
		return fmt.Sprintf("name must be %s, found %s", cmp.Or(m.Name, `""`), cmp.Or(r.Name, `""`))
	case sameName && r.HasResource(m.Kind):
		return fmt.Sprintf("group must be %s, found %s", cmp.Or(m.Group, `""`), cmp.Or(r.Group, `""`))
	case sameName && r.hasGroup(m):
		return fmt.Sprintf("resource must be %s, found %s", words.Plural(m.Kind), cmp.Or(r.Resource, `""`))
	}
	return ""
}

// onCluster returns the manifest's identity as the agent knows it: an object that is in no
// namespace has none, whatever its manifest says.
func onCluster(o *selector.Candidate) *selector.Candidate {
	if selector.KindOf(o.Ref()).IsClusterScoped() {
		o.Namespace = ""
	}
	return o
}
