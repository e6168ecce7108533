package process

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/panics"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/wire"
)

// guarded calls the function. A panic in it, which is a bug, becomes an error result that shows no data.
func guarded(function Function, functionConfig *yaml.Node, items []*object.Object) (
	out []*object.Object, results []report.Result,
) {
	defer func() {
		if value := recover(); value != nil {
			out, results = items, errorResults(panics.Recovered(value))
		}
	}()
	return function(functionConfig, items)
}

// unchanged returns the list that the text holds with one error as its result, and that result. The list has no items
// where the text can't be read.
func unchanged(text []byte, err error) ([][]byte, []report.Result) {
	results := errorResults(err)
	if written, ok := rewritten(text, results); ok {
		return written, results
	}
	return unreadable(text, err)
}

// unreadable returns the list that comes out where the text is none: one without items that has the error as its one
// result, and that result.
func unreadable(text []byte, err error) ([][]byte, []report.Result) {
	results := errorResults(err)
	written, failed := wire.Failure(text, results)
	if failed != nil {
		return nil, results
	}
	return [][]byte{written}, results
}

// rewritten reads the list anew, since what was being done to it is not known, and writes it with results. It reports
// false where that panics, too.
func rewritten(text []byte, results []report.Result) (written [][]byte, ok bool) {
	defer func() {
		if recover() != nil {
			written, ok = nil, false
		}
	}()
	list, err := wire.Read(text)
	if err == nil && !list.Proved() {
		list, err = wire.ReadWhole(text)
	}
	if err != nil {
		return nil, false
	}
	written, err = list.Write(results)
	return written, err == nil
}

func errorResults(err error) []report.Result {
	return []report.Result{{Message: err.Error(), Severity: report.Error}}
}
