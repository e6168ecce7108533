package engine

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Result is a result of the run, or a remark of another operation.
type Result struct {
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Reason   string `json:"reason,omitempty"`
	Object   string `json:"object,omitempty"`
	// Path is the field that it is about.
	Path string `json:"path,omitempty"`
	// In is the text that the object is in, and Line where.
	In   string `json:"in,omitempty"`
	Line int    `json:"line,omitempty"`
}

// resultsOf are results with the lines of the objects that they are about.
func resultsOf(all []report.Result, about ...[]*object.Object) []Result {
	results := make([]Result, 0, len(all))
	found := explain.Results{All: all, About: slices.Concat(about...)}
	for _, f := range found.Findings() {
		results = append(results, Result{
			Severity: f.Severity, Message: f.Message, Reason: f.Tags["reason"], Object: f.Ref.String(), Path: f.Field.Path,
			In: strings.TrimSuffix(f.File, ".yaml"), Line: f.Line,
		})
	}
	return results
}
