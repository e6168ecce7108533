package convert

import (
	"regexp"
	"strings"

	"github.com/krm-fields/krm-fields/fn/manifestwork"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// ocmGroup is the API group of ManifestWork.
const ocmGroup = "work.open-cluster-management.io"

// ocmIdentifier says which manifests a config is for (open-cluster-management.io/api,
// work/v1/types.go, ResourceIdentifier). In namespace and name, * stands for any characters.
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

// fromOCM reads the rules of the work agent of Open Cluster Management.
var fromOCM = Source{Name: "ocm", Title: "Open Cluster Management", Holds: "a ManifestWork or a ManifestWorkReplicaSet", read: readOCM}

func readOCM(root *tree.Node) []*source {
	o := selector.Of(root)
	s := newSource(root)
	s.hash = "OCM"
	switch {
	case o.Group == ocmGroup && o.Kind == "ManifestWork":
		s.readWork(tree.Get(root, "spec"), "spec")
	case o.Group == ocmGroup && o.Kind == "ManifestWorkReplicaSet":
		s.readWork(tree.Get(root, "spec", "manifestWorkTemplate"), "spec.manifestWorkTemplate")
	default:
		return nil
	}
	return []*source{s}
}

// readWork reads the spec of a ManifestWork, which is at path.
func (s *source) readWork(spec *tree.Node, path string) {
	manifests := tree.Elements(tree.Get(spec, "workload", "manifests"))
	for i, option := range tree.Elements(tree.Lookup(spec, "manifestConfigs")) {
		s.readManifestConfig(option, element(path+".manifestConfigs", i), manifests)
	}
}

func (s *source) readManifestConfig(option *tree.Node, path string, manifests []*tree.Node) {
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
		r.selectors = []selector.Selector{selectorOf(r, about.Identifier, path+".resourceIdentifier", manifests, i == 0)}
		s.add(r, jsonpath.Dialect, "jsonPaths", field.JSONPaths)
		r.passOverFailures()
		r.addPaths(agent, "jsonPointers", field.JSONPointers)
		s.add(r, jqpath.Dialect, "jqPathExpressions", field.JQPathExpressions)
		r.noteAgent()
		s.rules = append(s.rules, r.oneByOne()...)
	}
}

// agent is the program that the rules of OCM are for.
const agent = "the OCM agent"

// passOverFailures writes the JSONPaths that can fail on an object as jq that can't: the agent only
// logs that they do.
func (r *rule) passOverFailures() {
	for i, e := range r.expressions {
		if !indexOrFilter.MatchString(e.text) {
			continue
		}
		into, text, err := jsonpath.Translate(e.text)
		if err != nil || into != jqpath.Dialect.Name {
			continue
		}
		if total, ok := jq.WithoutErrors(text); ok {
			r.remark(e.path, "was %s; the agent skips a path that fails", e.text)
			r.expressions[i].dialect, r.expressions[i].text = into, total.Text
		}
	}
	sortByDialect(r.expressions)
}

// indexOrFilter finds what must be applied to a list.
var indexOrFilter = regexp.MustCompile(`\[(\?|[-\d:])`)

// noteAgent notes the expressions that the agent takes in another way.
func (r *rule) noteAgent() {
	for _, e := range r.expressions {
		if r.condition == rules.OnSpokeChange {
			continue
		}
		if why, ok := manifestwork.Taken(e.dialect, e.text); !ok {
			r.change(e.path, "the agent %s; in krm-fields it works as written", why)
		}
	}
}

func (s *source) noteStrategy(r *rule, strategy *tree.Node, path string) {
	if kind := tree.GetString(strategy, "type"); kind != "ServerSideApply" {
		r.remark(path+".updateStrategy.type", "is %s; the agent reads these rules only for ServerSideApply", config.Quote(kind))
	}
}

// selectorOf returns the selector for the manifests of an identifier. What is guessed is said once
// for each identifier.
func selectorOf(r *rule, id ocmIdentifier, path string, manifests []*tree.Node, say bool) selector.Selector {
	if !say {
		r = &rule{}
	}
	group, version, hasVersion := strings.Cut(id.Group, "/")
	if hasVersion {
		r.change(path+".group", "%s contains a version, so the agent finds nothing; the group is %s",
			config.Quote(id.Group), config.Quote(group))
	}
	kind, known := kindOf(group, id.Resource, manifests)
	if !known {
		r.remark(path+".resource", "kind %s is guessed from the resource %s; please check it", kind, config.Quote(id.Resource))
	}
	s := selector.Selector{Group: &group, Kind: &kind, Namespace: set(id.Namespace), Name: set(id.Name)}
	if hasVersion && version != "" {
		s.Version = &version
	}
	return s
}
