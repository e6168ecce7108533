package rules

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/guard"
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
	parse:      parseArgoCD,
	parseDraft: parseArgoCDDraft,
	write:      writeArgoCD,
}

func parseArgoCD(text, condition string) ([]Record, []error, error) {
	records, warnings := ParseArgoCD(text).records(condition)
	return records, warnings, nil
}

func parseArgoCDDraft(text, condition string) ([]Record, []error, error) {
	records, warnings := ParseArgoCDPointers(text).records(condition)
	return records, warnings, nil
}

// ArgoCDFields are the expressions in an annotation of Argo CD.
type ArgoCDFields struct {
	JSONPointers      []string
	JQPathExpressions []string
	// PassedOver says, for each part that Argo CD passes over without a word, why.
	PassedOver []string
}

// argoCDWarning is a part of an annotation that Argo CD passes over without a word.
type argoCDWarning struct{ reason string }

func (w *argoCDWarning) Error() string { return "Argo CD passes over " + w.reason }

// ParseArgoCD parses the value of the annotation ArgoCDAnnotation.
func ParseArgoCD(text string) ArgoCDFields {
	const example = "; it must be YAML such as `jsonPointers: [/spec/replicas]`"
	root, err := tree.Parse([]byte(text))
	if err != nil {
		return ArgoCDFields{PassedOver: []string{"the annotation " + ArgoCDAnnotation + ", which is not valid YAML: " + err.Error() + example}}
	}
	if !tree.IsMap(root) {
		return ArgoCDFields{PassedOver: []string{"the annotation " + ArgoCDAnnotation + ", which holds " + config.Found(root) + example}}
	}
	var fields ArgoCDFields
	var keys struct {
		JSONPointers      []string `json:"jsonPointers"`
		JQPathExpressions []string `json:"jqPathExpressions"`
	}
	for _, fault := range config.Decode(root, "", &keys) {
		fields.PassedOver = append(fields.PassedOver, fmt.Sprintf("%s in the annotation %s: %s", fault.Path, ArgoCDAnnotation, fault.Message))
	}
	if len(keys.JQPathExpressions) > 0 {
		fields.PassedOver = append(fields.PassedOver, "jqPathExpressions in the annotation "+ArgoCDAnnotation+
			", of which Argo CD 3.6 reads jsonPointers alone; write them into spec.ignoreDifferences of the Application")
	}
	if len(keys.JSONPointers) == 0 && len(fields.PassedOver) == 0 {
		fields.PassedOver = append(fields.PassedOver, "the annotation "+ArgoCDAnnotation+", which has no jsonPointers"+example)
	}
	fields.JSONPointers, fields.JQPathExpressions = keys.JSONPointers, keys.JQPathExpressions
	return fields
}

// ParseArgoCDPointers parses the value of the annotation ArgoCDPointersAnnotation.
func ParseArgoCDPointers(text string) ArgoCDFields {
	fields := ArgoCDFields{PassedOver: []string{
		"the annotation " + ArgoCDPointersAnnotation + ", which no release reads; the one of Argo CD 3.6 is " + ArgoCDAnnotation,
	}}
	for pointer := range strings.SplitSeq(text, ",") {
		if pointer = strings.TrimSpace(pointer); pointer != "" {
			fields.JSONPointers = append(fields.JSONPointers, pointer)
		}
	}
	return fields
}

// records returns the fields as an earlier run would have recorded them, and a warning for each
// part that Argo CD passes over. What does not compile is no record.
func (f ArgoCDFields) records(condition string) (records []Record, warnings []error) {
	for _, reason := range f.PassedOver {
		warnings = append(warnings, &argoCDWarning{reason: reason})
	}
	for _, pointer := range f.JSONPointers {
		if _, err := jsonpointer.Parse(pointer); err != nil {
			warnings = append(warnings, &argoCDWarning{reason: "an " + err.Error()})
			continue
		}
		records = append(records, Record{Condition: condition, Pointer: pointer})
	}
	for _, expression := range f.JQPathExpressions {
		if _, err := jqpath.Parse(expression, jq.Limits{}); err != nil && !guard.IsLimit(err) {
			warnings = append(warnings, &argoCDWarning{reason: "an " + err.Error()})
			continue
		}
		records = append(records, Record{Condition: condition, jq: expression})
	}
	return records, warnings
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
func ArgoCDText(pointers []string) string {
	if len(pointers) == 0 {
		return ""
	}
	var text strings.Builder
	text.WriteString("jsonPointers:")
	for _, pointer := range pointers {
		text.WriteString("\n- ")
		text.WriteString(pointerText(pointer))
	}
	return text.String()
}

// pointerText writes a JSON Pointer as YAML: plain where it means itself, else as a JSON string.
func pointerText(pointer string) string {
	if n, err := tree.Parse([]byte("- " + pointer)); err == nil && len(n.Content) == 1 && tree.Scalar(n.Content[0]) == any(pointer) {
		return pointer
	}
	quoted, _ := json.Marshal(pointer) // a string has a JSON form
	return string(quoted)
}
