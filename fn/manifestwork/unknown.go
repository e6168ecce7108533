package manifestwork

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

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
	for i, config := range tree.Elements(location.At(t.root, at)) {
		t.reportUnknownIn(config, configFields, elementPath(at.String(), i))
	}
}

func (t *trial) reportUnknownIn(n *tree.Node, known fields, path string) {
	for i, element := range tree.Elements(n) {
		t.reportUnknownIn(element, known, elementPath(path, i))
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
		t.results = append(t.results, t.result(report.SeverityWarning, path+"."+key, message, map[string]string{"reason": report.ReasonAgentDiffers}))
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
