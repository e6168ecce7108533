package rules

import (
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
)

// argoCDFormat is Argo CD's own annotation, a list of JSON Pointers with commas between them
// (https://github.com/argoproj/argo-cd/pull/29616, which its version 3.6 is to have). Argo CD reads
// it on the cluster.
var argoCDFormat = Format{
	Name: "ArgoCD", Annotation: "argocd.argoproj.io/ignore-differences-json-pointers", IsForCluster: true,
	parse: parseArgoCD, write: writeArgoCD,
}

// argoCDError is an annotation of Argo CD that can't be read.
type argoCDError struct {
	reason string
}

func (e *argoCDError) Error() string {
	return "the annotation " + argoCDFormat.Annotation + " must be a list of JSON Pointers such as /spec/replicas,/spec/paused: " + e.reason
}

func parseArgoCD(text, condition string) ([]Record, error) {
	var records []Record
	for pointer := range strings.SplitSeq(text, ",") {
		pointer = strings.TrimSpace(pointer)
		if pointer == "" {
			continue
		}
		if _, err := jsonpointer.Parse(pointer); err != nil {
			return nil, &argoCDError{reason: err.Error()}
		}
		records = append(records, Record{Condition: condition, Pointer: pointer})
	}
	if len(records) == 0 {
		return nil, &argoCDError{reason: fmt.Sprintf("found none in %q", text)}
	}
	return records, nil
}

// writeArgoCD leaves out what Argo CD has no word for: a pointer with a comma, which would be two,
// a field whose changes in the package are to be applied, and one in a document inside a string.
func writeArgoCD(fields []Found) (string, []Found, error) {
	var pointers []string
	var left []Found
	for _, f := range fields {
		pointer := f.Location.Pointer()
		if len(f.Inside) > 0 || f.Condition != OnSpokePresent || strings.Contains(pointer, ",") || strings.TrimSpace(pointer) != pointer {
			left = append(left, f)
			continue
		}
		pointers = append(pointers, pointer)
	}
	return strings.Join(pointers, ","), left, nil
}
