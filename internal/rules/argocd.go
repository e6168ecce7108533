package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Annotations that say what Argo CD ignores in the object that has them.
const (
	// ArgoCDAnnotation is the one that Argo CD reads since its version 3.6, a YAML map
	// (https://github.com/argoproj/argo-cd/blob/v3.6.1/util/argo/diff/ignore.go).
	ArgoCDAnnotation = "argocd.argoproj.io/ignore-differences"
	// ArgoCDPointersAnnotation is the one of a draft of that version, JSON Pointers with commas
	// between them. No release reads it.
	ArgoCDPointersAnnotation = "argocd.argoproj.io/ignore-differences-json-pointers"
)

// argoCDFormat is Argo CD's own annotation. Argo CD reads it on the cluster.
var argoCDFormat = Format{
	Name: "ArgoCD", Annotation: ArgoCDAnnotation, Draft: ArgoCDPointersAnnotation, IsForCluster: true,
	parse: parseArgoCD, write: writeArgoCD,
}

// parseArgoCD returns the fields as an earlier run would have recorded them, and a warning for each
// part that Argo CD passes over. What does not compile is no record.
func parseArgoCD(annotation, text, condition string) (records []Record, warnings []error, err error) {
	fields := ParseArgoCD(annotation, text)
	for _, pointer := range fields.JSONPointers {
		if _, err := jsonpointer.Parse(pointer); err != nil {
			fields.PassedOver = append(fields.PassedOver, "an "+err.Error())
			continue
		}
		records = append(records, Record{Condition: condition, Pointer: pointer})
	}
	for _, reason := range fields.PassedOver {
		warnings = append(warnings, errors.New("Argo CD passes over "+reason))
	}
	return records, warnings, nil
}

// ArgoCDFields are the expressions in an annotation of Argo CD.
type ArgoCDFields struct {
	JSONPointers      []string `json:"jsonPointers"`
	JQPathExpressions []string `json:"jqPathExpressions"`
	// PassedOver says, for each part that Argo CD passes over without a word, why.
	PassedOver []string `json:"-"`
}

// maxAliased is how many nodes aliases may stand for in an annotation with rules.
const maxAliased = 1000

// ParseAnnotation parses the YAML of an annotation with rules.
func ParseAnnotation(text string) (*tree.Node, error) {
	root, err := tree.Parse([]byte(text))
	if err == nil && root != nil && tree.Aliased(root) > maxAliased {
		err = fmt.Errorf("aliases must not stand for more than %d keys, values, maps and lists", maxAliased)
	}
	return root, err
}

// ParseArgoCD parses the value of one of the annotations.
func ParseArgoCD(annotation, text string) (fields ArgoCDFields) {
	passOver := func(reason string, args ...any) {
		fields.PassedOver = append(fields.PassedOver, fmt.Sprintf(reason, args...))
	}
	if annotation == ArgoCDPointersAnnotation {
		passOver("the annotation %s, which no release reads; the one of Argo CD 3.6 is %s", ArgoCDPointersAnnotation, ArgoCDAnnotation)
		for pointer := range strings.SplitSeq(text, ",") {
			if pointer = strings.TrimSpace(pointer); pointer != "" {
				fields.JSONPointers = append(fields.JSONPointers, pointer)
			}
		}
		return fields
	}
	const example = "; it must be YAML such as `jsonPointers: [/spec/replicas]`"
	root, err := ParseAnnotation(text)
	switch {
	case err != nil:
		passOver("the annotation %s, which is not valid YAML: %s"+example, ArgoCDAnnotation, err)
	case !tree.IsMap(root):
		passOver("the annotation %s, which holds %s"+example, ArgoCDAnnotation, config.Found(root))
		if !tree.IsList(root) {
			return fields
		}
		for _, entry := range root.Content { // as in spec.ignoreDifferences of an Application
			var one ArgoCDFields
			_ = config.Decode(entry, "", &one)
			fields.JSONPointers = append(fields.JSONPointers, one.JSONPointers...)
		}
	default:
		for _, fault := range config.Decode(root, "", &fields) {
			passOver("%s in the annotation %s: %s", fault.Path, ArgoCDAnnotation, fault.Message)
		}
		if len(fields.JQPathExpressions) > 0 {
			passOver("jqPathExpressions in the annotation %s, of which Argo CD 3.6 reads jsonPointers alone; "+
				"write them into spec.ignoreDifferences of the Application", ArgoCDAnnotation)
		}
		if len(fields.JSONPointers) == 0 && len(fields.PassedOver) == 0 {
			passOver("the annotation %s, which has no jsonPointers"+example, ArgoCDAnnotation)
		}
	}
	return fields
}

// writeArgoCD leaves out what Argo CD has no word for: a field whose changes in the package are to
// be applied, and one in a document inside a string.
func writeArgoCD(fields []Found) (string, []Found, error) {
	var pointers []string
	var left []Found
	for _, f := range fields {
		if len(f.Inside) > 0 || f.Condition != OnSpokePresent {
			left = append(left, f)
			continue
		}
		pointers = append(pointers, f.Location.Pointer())
	}
	return ArgoCDText(pointers), left, nil
}

// ArgoCDText returns the value of the annotation ArgoCDAnnotation for JSON Pointers; "" for none.
// It orders them so that each finds its element.
func ArgoCDText(pointers []string) string {
	if len(pointers) == 0 {
		return ""
	}
	location.LastFirst(pointers, func(pointer string) string { return pointer })
	var text strings.Builder
	text.WriteString("jsonPointers:")
	for _, pointer := range pointers {
		if n, err := tree.Parse([]byte("- " + pointer)); err != nil || len(n.Content) != 1 || tree.Scalar(n.Content[0]) != any(pointer) {
			quoted, _ := json.Marshal(pointer) // plain YAML would not mean the pointer
			pointer = string(quoted)
		}
		text.WriteString("\n- " + pointer)
	}
	return text.String()
}
