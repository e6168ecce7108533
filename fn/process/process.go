// Package process is the pipeline of one run: read the list, pick the kind, run
// it, write the list.
package process

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/fn/applypatches"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/panics"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
	"github.com/krm-fields/krm-fields/fn/wire"
	"github.com/krm-fields/krm-fields/fn/words"
)

// APIVersion is that of the functionConfigs of our kinds.
const APIVersion = "fn.kpt.dev/v1alpha1"

// Function carries out a functionConfig on items. It returns the items that
// come out and the results. Where a result is an error, the items are of no
// use: a failed run changes nothing.
type Function func(functionConfig *yaml.Node, items []*object.Object) ([]*object.Object, []report.Result)

// kinds are the kinds of functionConfig of our apiVersion.
var kinds = map[string]Function{
	applyoperations.Kind: applyoperations.Run,
	applypatches.Kind:    applypatches.Run,
	ignorefields.Kind:    ignorefields.Run,
}

// Run reads one ResourceList from in, carries out its functionConfig and writes
// the list to out. It returns the exit code: 1 where a result is an error, else
// 0. On an error the messages of all results go to errOut too, one a line.
func Run(in io.Reader, out, errOut io.Writer) int {
	return run(in, out, errOut, Items)
}

func run(in io.Reader, out, errOut io.Writer, function Function) int {
	text, err := readAll(in)
	if err != nil {
		return fail(out, errOut, fmt.Errorf("the input can't be read: %w", err))
	}
	written, results := carryOut(text, function)
	if err := writeAll(out, written); err != nil {
		fmt.Fprintf(errOut, "error: the output can't be written: %s\n", err)
		return 1
	}
	if !HasError(results) {
		return 0
	}
	writeLines(errOut, results)
	return 1
}

// carryOut carries out the functionConfig of the list that the text holds. It
// returns the texts of the list that comes out, and the results of the run.
func carryOut(text []byte, function Function) (written [][]byte, results []report.Result) {
	defer func() {
		if value := recover(); value != nil {
			written, results = unchanged(text, panics.Recovered(value))
		}
	}()
	list, err := wire.Read(text)
	if err == nil && wire.HasAnchors(text) && !list.Proved() {
		// What comes of the items does not count, and an expression must not get its time twice.
		list, err = wire.ReadWhole(text)
	}
	if err != nil {
		return unreadable(text, err)
	}
	items, results := function(list.FunctionConfig, list.Items)
	if !list.Proved() {
		if list, err = wire.ReadWhole(text); err != nil {
			return unreadable(text, err)
		}
		items, results = function(list.FunctionConfig, list.Items)
	}
	if !HasError(results) {
		list.Items = items
	}
	results = slices.DeleteFunc(results, func(r report.Result) bool { return r.IsSummary })
	if written, err = list.Write(results); err != nil {
		return unchanged(text, err)
	}
	return written, results
}

// writeAll writes texts one behind the other.
func writeAll(out io.Writer, texts [][]byte) error {
	buffered := bufio.NewWriterSize(out, 1<<16)
	for _, text := range texts {
		if _, err := buffered.Write(text); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// Items carries out a functionConfig on items, as a Function does. Where a
// result is an error, all edits of the items are taken back.
func Items(functionConfig *yaml.Node, items []*object.Object) ([]*object.Object, []report.Result) {
	return carryOutOn(functionConfig, items, pick)
}

// Traced is Items, and keeps a trace of what the rules of the kind IgnoreFields
// found. The trace is empty for the other kinds.
func Traced(functionConfig *yaml.Node, items []*object.Object) (
	out []*object.Object, results []report.Result, trace *ignorefields.Trace,
) {
	trace = &ignorefields.Trace{}
	out, results = carryOutOn(functionConfig, items, func(functionConfig *yaml.Node) (Function, *report.Fault) {
		function, fault := pick(functionConfig)
		if kind := tree.GetString(functionConfig, "kind"); fault == nil && (kind == ignorefields.Kind || kind == "ConfigMap") {
			function = trace.Run
		}
		return function, fault
	})
	return out, results, trace
}

// carryOutOn carries out a functionConfig with the function that pick picks.
func carryOutOn(
	functionConfig *yaml.Node, items []*object.Object, pick func(*yaml.Node) (Function, *report.Fault),
) ([]*object.Object, []report.Result) {
	function, fault := pick(functionConfig)
	if fault != nil {
		faults := report.FaultResults([]report.Fault{*fault}, report.RefOf(functionConfig), report.FileOf(functionConfig))
		return items, append(checkItems(items), faults...)
	}
	out, results := guarded(function, functionConfig, items)
	if faults := checkItems(items); len(faults) > 0 {
		results = faults
	}
	if HasError(results) {
		for _, item := range items {
			item.Reset()
		}
		return items, results
	}
	return out, append(results, reformatted(out)...)
}

// reformatted returns an info for each object whose text was written anew as a whole.
func reformatted(items []*object.Object) []report.Result {
	var results []report.Result
	for _, item := range items {
		why := item.Reformatted()
		if why == "" {
			continue
		}
		results = append(results, report.Result{
			Message:  "the whole object was written anew, with the same data, so that its comments and its layout may differ: " + why,
			Severity: report.Info, Ref: report.RefOf(item.Root()), File: item.File(),
			Tags: map[string]string{"reason": report.Reformatted},
		})
	}
	return results
}

// HasError tells whether a result is an error.
func HasError(results []report.Result) bool {
	return slices.ContainsFunc(results, func(r report.Result) bool { return r.Severity == report.Error })
}

// pick returns the function for the kind of the functionConfig.
func pick(functionConfig *yaml.Node) (Function, *report.Fault) {
	known := slices.Sorted(maps.Keys(kinds))
	if functionConfig == nil {
		return nil, &report.Fault{Path: "", Message: fmt.Sprintf(
			"there must be a functionConfig of %s and kind %s, or a ConfigMap; found none", APIVersion, words.List(known))}
	}
	apiVersion, kind := tree.GetString(functionConfig, "apiVersion"), tree.GetString(functionConfig, "kind")
	if apiVersion == "v1" && kind == "ConfigMap" {
		return ignorefields.Run, nil
	}
	function, ok := kinds[kind]
	if !ok {
		hint := ""
		if near, ok := words.Nearest(kind, known); ok {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return nil, &report.Fault{Path: "kind", Message: fmt.Sprintf(
			"the kind of the functionConfig must be %s, or ConfigMap, found %q%s", words.List(known), kind, hint)}
	}
	if apiVersion != APIVersion {
		return nil, &report.Fault{Path: "apiVersion", Message: fmt.Sprintf(
			"the apiVersion of a functionConfig of kind %s must be %q, found %q", kind, APIVersion, apiVersion)}
	}
	return function, nil
}

// maxItemFaults is how many items that are no objects are reported one by one. A
// list of more is no list of manifests.
const maxItemFaults = 1000

// checkItems returns an error for each item that is no object.
func checkItems(items []*object.Object) []report.Result {
	var results []report.Result
	more := 0
	for i, item := range items {
		isObject := item.IsObject()
		if !item.Changed() {
			_ = item.Settle() // the data of all items at once would take much memory
		}
		if isObject {
			continue
		}
		if len(results) == maxItemFaults {
			more++
			continue
		}
		message := itemFault(item.Root())
		results = append(results, report.Result{
			Message: fmt.Sprintf("items[%d] %s", i, message), Severity: report.Error,
			Ref: report.RefOf(item.Root()), File: item.File(),
		})
	}
	if more > 0 {
		results = append(results, report.Result{
			Message: fmt.Sprintf("%d more items must be maps with apiVersion and kind, and are not", more), Severity: report.Error,
		})
	}
	return results
}

// itemFault says why root is no object.
func itemFault(root *yaml.Node) string {
	if !tree.IsMap(root) {
		return "must be a map with apiVersion and kind, found a " + tree.Type(root)
	}
	field := "apiVersion"
	if object.IsName(tree.Get(root, field)) {
		field = "kind"
	}
	return fmt.Sprintf("must have the field %s, a string that is not empty, found %s", field, tree.Type(tree.Get(root, field)))
}

// fail writes the list for input that could not be read.
func fail(out, errOut io.Writer, err error) int {
	results := errorResults(err)
	if text, err := wire.Failure(nil, results); err == nil {
		_, _ = out.Write(text) // the exit code tells already
	}
	writeLines(errOut, results)
	return 1
}

// writeLines writes the results, one a line. Their details are left out: a host
// shows the lines of stderr in quotes, and cuts off all but the first.
func writeLines(errOut io.Writer, results []report.Result) {
	for _, result := range results {
		fmt.Fprintln(errOut, result.Line())
	}
}
