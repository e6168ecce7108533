package manifestwork

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// serverSideApply is the type of updateStrategy under which ignoreFields count.
const serverSideApply = "ServerSideApply"

// workConfig is one of a work's manifestConfigs.
type workConfig struct {
	at         location.Location
	path       string // spec.manifestConfigs[0]
	identifier ResourceIdentifier
	strategy   updateStrategy
	rules      []rules.Rule
}

// rulesPath is the path of the config's rules.
func (c workConfig) rulesPath() string {
	return c.path + ".updateStrategy.serverSideApply.ignoreFields"
}

// updateStrategy is the part of an updateStrategy that matters to rules.
type updateStrategy struct {
	// isSet is false if the config has none.
	isSet bool
	Type  string `json:"type" enum:"Update,CreateOnly,ServerSideApply,ReadOnly" default:"Update"`
}

// IgnoreField is one of the ignoreFields of a work, as the custom resource definition has it.
type IgnoreField struct {
	Condition         string   `json:"condition" enum:"OnSpokePresent,OnSpokeChange" default:"OnSpokePresent"`
	JSONPaths         []string `json:"jsonPaths"`
	JSONPointers      []string `json:"jsonPointers"`
	JQPathExpressions []string `json:"jqPathExpressions"`
}

// workCompiler compiles the rules of one work and collects their faults. It checks only
// ignoreFields.
type workCompiler struct {
	rules.Compiler
}

// workload checks the workload at a location: where it is no map, it has no manifests.
func (c *workCompiler) workload(root *tree.Node, at location.Location) {
	n := location.At(root, at)
	if tree.Type(n) != tree.Null && !tree.IsMap(n) {
		c.Fault(at.String(), "must be a map with manifests, found %s", config.Found(n))
		return
	}
	manifests := at.With(location.Key("manifests"))
	list := location.At(root, manifests)
	if tree.Type(list) != tree.Null && !tree.IsList(list) {
		c.Fault(manifests.String(), "must be a list of manifests, found %s", config.Found(list))
	}
	if tree.Type(n) == tree.Null || tree.IsList(list) && len(tree.Elements(list)) == 0 || tree.IsMap(n) && tree.Type(list) == tree.Null {
		c.Fault(manifests.String(), "must have at least one manifest, found none")
	}
	size, first := 0, map[report.Ref]string{}
	for i, n := range tree.Elements(list) {
		path := config.Element(manifests.String(), i)
		if tree.Type(n) == tree.Null {
			continue // it is still to be written
		}
		if !tree.IsMap(n) {
			c.Fault(path, "must be a manifest, found %s", config.Found(n))
			continue
		}
		text, _ := tree.MarshalJSON(n) // what is no JSON has no size
		size += len(text)
		c.manifest(n, path, first)
	}
	if size > maxSize {
		c.Fault(manifests.String(), "must have at most %d bytes as JSON, found %d", maxSize, size)
	}
}

// maxSize bounds the manifests of a work together, as the hub's webhook does.
const maxSize = 500 * 1024

// manifest checks what the hub's webhook asks of a manifest: a name, and that it is there once. The
// paths of the manifests before it are by their names.
func (c *workCompiler) manifest(n *tree.Node, path string, first map[report.Ref]string) {
	ref := report.RefOf(n)
	switch before := first[ref]; {
	case tree.GetString(n, "metadata", "generateName") != "":
		c.Fault(path+".metadata.generateName", "must not be set in a manifest, whose name must be known")
	case ref.Name == "":
		c.Fault(path+".metadata.name", "must be set, found nothing")
	case before != "":
		c.Fault(path, "must be in the work only once, found %s in %s, too", ref, before)
	default:
		first[ref] = path
	}
}

// elements returns the elements of n, which must be a list, or null or missing.
func (c *workCompiler) elements(n *tree.Node, path string) []*tree.Node {
	if tree.Type(n) != tree.Null && !tree.IsList(n) {
		c.Fault(path, "must be a list of maps, found %s", config.Found(n))
	}
	return tree.Elements(n)
}

// config compiles one of the manifestConfigs.
func (c *workCompiler) config(n *tree.Node, at location.Location) workConfig {
	path := at.String()
	compiled := workConfig{at: at, path: path}
	if !tree.IsMap(n) {
		c.Fault(path, "must be a map, found %s", config.Found(n))
		return compiled
	}
	strategy := tree.Get(n, "updateStrategy")
	compiled.strategy.isSet = tree.Type(strategy) != tree.Null
	identifier := tree.Get(n, "resourceIdentifier")
	list := c.elements(tree.Get(strategy, "serverSideApply", "ignoreFields"), compiled.rulesPath())
	c.serverSideApply(tree.Get(strategy, "serverSideApply"), path+".updateStrategy.serverSideApply")
	if tree.Type(identifier) == tree.Null {
		c.Fault(path+".resourceIdentifier", "must be set, found nothing")
	} else {
		c.Faults = append(c.Faults, config.Decode(identifierFields.keep(identifier), path+".resourceIdentifier", &compiled.identifier)...)
	}
	c.strategy(tree.Lookup(strategy, "type"), path+".updateStrategy", &compiled.strategy)
	for i, n := range list {
		compiled.rules = append(compiled.rules, c.workRule(n, i, config.Element(compiled.rulesPath(), i)))
	}
	return compiled
}

// serverSideApply checks what the custom resource definition says of the fields beside
// ignoreFields.
func (c *workCompiler) serverSideApply(n *tree.Node, path string) {
	if manager := tree.Get(n, "fieldManager"); tree.Type(manager) != tree.Null && !strings.HasPrefix(manager.Text(), FieldManager) {
		c.Fault(path+".fieldManager", "must begin with %s, found %s", FieldManager, config.Found(manager))
	}
	if force := tree.Get(n, "force"); tree.Type(force) != tree.Null && tree.Type(force) != tree.Boolean {
		c.Fault(path+".force", "must be true or false, found %s", config.Found(force))
	}
}

// strategy decodes the type of an updateStrategy, whose other fields are none of ours.
func (c *workCompiler) strategy(n *tree.Node, path string, into *updateStrategy) {
	onlyType := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag}
	if n != nil {
		onlyType.Content = []*tree.Node{tree.NewString("type"), n}
	}
	c.Faults = append(c.Faults, config.Decode(onlyType, path, into)...)
}

func (c *workCompiler) workRule(n *tree.Node, index int, path string) rules.Rule {
	var r IgnoreField
	if tree.Type(n) == tree.Null {
		c.Fault(path, "must be a map, found null")
		return rules.Rule{}
	}
	c.Faults = append(c.Faults, config.Decode(ruleFields.keep(n), path, &r)...)
	if !tree.IsMap(n) || hasNoList(n) {
		return rules.Rule{}
	}
	return c.Rule(rules.Config{OwnConfig: rules.OwnConfig{Condition: r.Condition, Lists: expr.Lists{
		jsonpath.Dialect.Field: r.JSONPaths, jsonpointer.Dialect.Field: r.JSONPointers, jqpath.Dialect.Field: r.JQPathExpressions,
	}}}, index, path)
}

// hasNoList tells whether a rule has expressions that are not in a list; then that is the fault.
func hasNoList(n *tree.Node) bool {
	wrong := false
	for _, name := range []string{"jsonPaths", "jsonPointers", "jqPathExpressions"} {
		list := tree.Lookup(n, name)
		if tree.IsList(list) {
			return false
		}
		wrong = wrong || tree.Type(list) != tree.Null
	}
	return wrong
}

// fields are the fields of a map, or of each map of a list, in the custom resource definition of
// ManifestWork; nil stands for what has none, or is not checked.
type fields map[string]fields

// configFields are those of a manifestConfig, see
// https://github.com/open-cluster-management-io/api/blob/main/work/v1/types.go.
var configFields = fields{
	"resourceIdentifier": identifierFields,
	"feedbackRules":      nil,
	"conditionRules":     nil,
	"updateStrategy": {
		"type": nil,
		"serverSideApply": {
			"force": nil, "fieldManager": nil, "ignoreFields": ruleFields,
		},
	},
}

var (
	identifierFields = fields{"group": nil, "resource": nil, "namespace": nil, "name": nil}
	ruleFields       = fields{"condition": nil, "jsonPaths": nil, "jsonPointers": nil, "jqPathExpressions": nil}
)

// keep returns the map n without the fields that the API server drops; n itself if it is no map.
func (f fields) keep(n *tree.Node) *tree.Node {
	if !tree.IsMap(n) {
		return n
	}
	kept := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag}
	for key, value := range tree.Entries(n) {
		if _, isKnown := f[key]; isKnown {
			kept.Content = append(kept.Content, tree.NewString(key), value)
		}
	}
	return kept
}

// reportUnknown warns of fields of the manifestConfigs that the API server drops.
func (t *trial) reportUnknown() {
	at := t.work.spec.With(location.Key("manifestConfigs"))
	for i, n := range tree.Elements(location.At(t.root, at)) {
		t.reportUnknownIn(n, configFields, config.Element(at.String(), i))
	}
}

func (t *trial) reportUnknownIn(n *tree.Node, known fields, path string) {
	for i, element := range tree.Elements(n) {
		t.reportUnknownIn(element, known, config.Element(path, i))
	}
	for key, value := range tree.Entries(n) {
		inner, isKnown := known[key]
		if isKnown {
			if inner != nil {
				t.reportUnknownIn(value, inner, path+"."+key)
			}
			continue
		}
		names := slices.Sorted(maps.Keys(known))
		message := fmt.Sprintf("unknown field %q, which the API server drops", key)
		if place := placeOf(key, known, ""); place != "" {
			message += "; it belongs inside " + place
		} else if near, ok := words.Nearest(key, names); ok {
			message += fmt.Sprintf("; did you mean %q?", near)
		} else {
			message += "; known fields: " + strings.Join(names, ", ")
		}
		t.note(path+"."+key, "%s", message)
	}
}

// placeOf returns the path of the map further inside that has a field of the name; "" where none
// has.
func placeOf(key string, known fields, path string) string {
	for _, name := range slices.Sorted(maps.Keys(known)) {
		inner := strings.TrimPrefix(path+"."+name, ".")
		if _, has := known[name][key]; has {
			return inner
		}
		if place := placeOf(key, known[name], inner); place != "" {
			return place
		}
	}
	return ""
}
