// Package process is the pipeline of one run: read the list, pick the kind, run
// it, write the list.
package process

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/applypatches"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/fn/object"
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
	applypatches.Kind: applypatches.Run,
	ignorefields.Kind: ignorefields.Run,
}

// IsFunctionConfig tells whether an object is a functionConfig of one of our
// kinds.
func IsFunctionConfig(root *yaml.Node) bool {
	_, ok := kinds[tree.GetString(root, "kind")]
	return ok && tree.GetString(root, "apiVersion") == APIVersion
}

// Run reads one ResourceList from in, carries out its functionConfig and writes
// the list to out. It returns the exit code: 1 where a result is an error, else
// 0. On an error the messages of all results go to errOut too, one a line.
func Run(in io.Reader, out, errOut io.Writer) int {
	text, err := readAll(in)
	if err != nil {
		return fail(out, errOut, fmt.Errorf("the input can't be read: %w", err))
	}
	list, err := wire.Read(text)
	if err != nil {
		return fail(out, errOut, err)
	}
	items, results := Items(list.FunctionConfig, list.Items)
	if !list.Proved() {
		if list, err = wire.ReadWhole(text); err != nil {
			return fail(out, errOut, err)
		}
		items, results = Items(list.FunctionConfig, list.Items)
	}
	failed := HasError(results)
	if !failed {
		list.Items = items
	}
	written, err := list.Write(results)
	if err != nil {
		return fail(out, errOut, err)
	}
	if err := writeAll(out, written); err != nil {
		fmt.Fprintf(errOut, "error: the output can't be written: %s\n", err)
		return 1
	}
	if !failed {
		return 0
	}
	writeLines(errOut, results)
	return 1
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

// readAll reads everything into a buffer that doubles as it grows: lists are
// large, and io.ReadAll would copy them many times.
func readAll(in io.Reader) ([]byte, error) {
	var text bytes.Buffer
	text.Grow(firstRead)
	_, err := text.ReadFrom(in)
	return text.Bytes(), err
}

// firstRead is the size of the buffer for the input, in bytes, to begin with.
const firstRead = 1 << 20

// Items carries out a functionConfig on items, as a Function does. Where a
// result is an error, all edits of the items are taken back.
func Items(functionConfig *yaml.Node, items []*object.Object) ([]*object.Object, []report.Result) {
	function, fault := pick(functionConfig)
	if fault != nil {
		faults := report.FaultResults([]report.Fault{*fault}, report.RefOf(functionConfig), report.FileOf(functionConfig))
		return items, append(checkItems(items), faults...)
	}
	out, results := function(functionConfig, items)
	if faults := checkItems(items); len(faults) > 0 {
		results = faults
	}
	if HasError(results) {
		for _, item := range items {
			item.Reset()
		}
		return items, results
	}
	return out, results
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

// checkItems returns an error for each item that is no object.
func checkItems(items []*object.Object) []report.Result {
	var results []report.Result
	for i, item := range items {
		if item.IsObject() {
			continue
		}
		message := itemFault(item.Root())
		results = append(results, report.Result{
			Message: fmt.Sprintf("items[%d] %s", i, message), Severity: report.Error,
			Ref: report.RefOf(item.Root()), File: item.File(),
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
	results := []report.Result{{Message: err.Error(), Severity: report.Error}}
	if text, err := wire.Failure(results); err == nil {
		_, _ = out.Write(text) // the exit code tells already
	}
	writeLines(errOut, results)
	return 1
}

// writeLines writes the results, one a line, and then their details, each behind
// the path of the field that it is about.
func writeLines(errOut io.Writer, results []report.Result) {
	for _, result := range results {
		fmt.Fprintln(errOut, result.Line())
	}
	for _, result := range results {
		if result.Detail == "" {
			continue
		}
		fmt.Fprintf(errOut, "\n%s:\n", result.Field.Path)
		for line := range strings.Lines(result.Detail) {
			fmt.Fprintln(errOut, "    "+strings.TrimRight(line, "\n"))
		}
	}
}
