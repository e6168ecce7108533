package fn

import (
	"iter"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// recovered calls the function. A panic in it, which is a bug, becomes an error result that shows
// no data.
func recovered(function Function, functionConfig *tree.Node, items []*object.Object) (
	out []*object.Object, results []report.Result,
) {
	defer func() {
		if value := recover(); value != nil {
			out, results = items, []report.Result{errorResult(report.ReasonRunError, parallel.Recovered(value))}
		}
	}()
	return function(functionConfig, items)
}

// unchanged returns the list in the text with one error as its result; without items if the text
// can't be read.
func unchanged(text []byte, failed report.Result) outcome {
	results := []report.Result{failed}
	if written, ok := rewritten(text, results); ok {
		return outcome{text: written, results: results}
	}
	return unreadable(text, failed)
}

// unreadable returns a list without items with the error as its only result.
func unreadable(text []byte, failed report.Result) outcome {
	results := []report.Result{failed}
	written, _ := resourcelist.Failure(text, results) // nothing if not even that can be written
	return outcome{text: slices.Values([][]byte{written}), results: results}
}

// rewritten reads the list again, since the state of the other one is unknown, and writes it with
// results. It returns false if that panics, too.
func rewritten(text []byte, results []report.Result) (written iter.Seq[[]byte], ok bool) {
	defer func() {
		if recover() != nil {
			written, ok = nil, false
		}
	}()
	list, err := resourcelist.Read(text)
	if err != nil {
		return nil, false
	}
	written, err = list.Write(results)
	return written, err == nil
}

func errorResult(reason string, err error) report.Result {
	return report.Result{Message: err.Error(), Severity: report.SeverityError, Tags: map[string]string{"reason": reason}}
}
