package convert

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/config"
	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// ocmGroup is the API group of ManifestWork.
const ocmGroup = "work.open-cluster-management.io"

// ocmIdentifier says which manifests a config is for
// (open-cluster-management.io/api, work/v1/types.go, ResourceIdentifier). In
// namespace and name, * stands for any characters.
type ocmIdentifier struct {
	Group     string `json:"group"`
	Resource  string `json:"resource" required:"true"`
	Namespace string `json:"namespace"`
	Name      string `json:"name" required:"true"`
}

// ocmIgnoreField is IgnoreField of the same file.
type ocmIgnoreField struct {
	Condition         string   `json:"condition" enum:"OnSpokePresent,OnSpokeChange" default:"OnSpokePresent"`
	JSONPaths         []string `json:"jsonPaths"`
	JSONPointers      []string `json:"jsonPointers"`
	JQPathExpressions []string `json:"jqPathExpressions"`
}

func readOCM(root *yaml.Node) (*source, bool) {
	o := match.Of(root)
	s := newSource(root)
	switch {
	case o.Group == ocmGroup && o.Kind == "ManifestWork":
		s.readWork(tree.Get(root, "spec"), "spec")
	case o.Group == ocmGroup && o.Kind == "ManifestWorkReplicaSet":
		s.readWork(tree.Get(root, "spec", "manifestWorkTemplate"), "spec.manifestWorkTemplate")
	default:
		return nil, false
	}
	return s, true
}

// readWork reads the spec of a ManifestWork, which is at path.
func (s *source) readWork(spec *yaml.Node, path string) {
	manifests := manifestsOf(tree.Lookup(spec, "workload"))
	for i, option := range tree.Elements(tree.Lookup(spec, "manifestConfigs")) {
		s.readManifestConfig(option, element(path+".manifestConfigs", i), manifests)
	}
}

func (s *source) readManifestConfig(option *yaml.Node, path string, manifests []*yaml.Node) {
	strategy := tree.Get(option, "updateStrategy")
	apply := tree.Lookup(strategy, "serverSideApply")
	if tree.Lookup(apply, "ignoreFields") == nil {
		return
	}
	var about struct {
		Identifier ocmIdentifier `json:"resourceIdentifier" required:"true"`
	}
	var list struct {
		IgnoreFields []ocmIgnoreField `json:"ignoreFields"`
	}
	s.decode(option, path, "resourceIdentifier", &about)
	s.decode(apply, path+".updateStrategy.serverSideApply", "ignoreFields", &list)
	for i, field := range list.IgnoreFields {
		r := &rule{path: element(path+".updateStrategy.serverSideApply.ignoreFields", i), condition: field.Condition}
		if i == 0 {
			s.noteStrategy(r, strategy, path)
		}
		r.selectors = []match.Selector{selectorOf(r, about.Identifier, path+".resourceIdentifier", manifests, i == 0)}
		s.add(r, locate.JSONPath, "jsonPaths", field.JSONPaths)
		s.add(r, locate.JSONPointer, "jsonPointers", field.JSONPointers)
		s.add(r, locate.JQ, "jqPathExpressions", field.JQPathExpressions)
		s.rules = append(s.rules, r)
	}
}

func (s *source) noteStrategy(r *rule, strategy *yaml.Node, path string) {
	if kind := tree.GetString(strategy, "type"); kind != "ServerSideApply" {
		r.remark(path+".updateStrategy.type", "is %s; the agent reads these rules for ServerSideApply only", config.Quote(kind))
	}
}

// selectorOf returns the selector for the manifests of an identifier. What is
// guessed is said once for each identifier.
func selectorOf(r *rule, id ocmIdentifier, path string, manifests []*yaml.Node, say bool) match.Selector {
	if !say {
		r = &rule{}
	}
	group, version, hasVersion := strings.Cut(id.Group, "/")
	if hasVersion {
		r.change(path+".group", "%s has a version, so that the agent finds nothing; the group %s is meant",
			config.Quote(id.Group), config.Quote(group))
	}
	kind, known := kindOf(group, id.Resource, manifests)
	if !known {
		r.remark(path+".resource", "kind %s is guessed from the resource %s; look up the kind", kind, config.Quote(id.Resource))
	}
	s := match.Selector{Group: &group, Kind: &kind, Namespace: set(id.Namespace), Name: set(id.Name)}
	if hasVersion && version != "" {
		s.Version = &version
	}
	return s
}

// element returns the path of an element of the list at path.
func element(path string, i int) string {
	return path + "[" + strconv.Itoa(i) + "]"
}
