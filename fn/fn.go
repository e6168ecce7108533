// Package fn is the function: it reads a ResourceList, runs its functionConfig on the items and
// writes the list. The kinds of functionConfig are the packages of the table in kinds.go. Go
// programs that hold their objects in another form use the packages kptfn and kiofilter.
//
// In a program other than krm-fields, the limits of time and memory hold between the steps of an
// expression only: nothing there may end the process.
package fn

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Function runs a functionConfig on items. It returns the output items and the results. If a result
// is an error, the items are invalid: a failed run changes nothing.
type Function func(functionConfig *tree.Node, items []*object.Object) ([]*object.Object, []report.Result)

// Run reads one ResourceList from in, runs its functionConfig and writes the list, with the
// results, to out. The error is a *FailedError if a result is an error; then the items are those of
// the input. Input that is no ResourceList is such an error, too, in a list of its own.
func Run(in io.Reader, out io.Writer) error { return run(in, out, nil, Items) }

// RunWithWarnings is Run for a program whose stderr people see. kustomize drops results: where the
// functionConfig has the annotation by which kustomize finds the program, the warnings of a run
// that has not failed are written to errOut, each after the name of the program.
func RunWithWarnings(in io.Reader, out, errOut io.Writer) error { return run(in, out, errOut, Items) }

func run(in io.Reader, out, errOut io.Writer, function Function) error {
	text, err := readAll(in)
	if err != nil {
		return writeAll(out, unreadable(nil, errorResult(report.ReasonInvalidInput, fmt.Errorf("the input can't be read: %w", err))))
	}
	done := guard.OnAbort(func(failed report.Result) bool {
		_ = writeAll(out, unchanged(text, failed)) // the process fails anyhow
		return false
	})
	o := runText(text, function)
	done()
	err = writeAll(out, o)
	for _, r := range o.results {
		if err == nil && errOut != nil && o.isOfKustomize && r.Severity == report.SeverityWarning {
			fmt.Fprintln(errOut, "krm-fields: "+r.Line())
		}
	}
	return err
}

// readAll reads everything, at once where the size is known.
func readAll(in io.Reader) ([]byte, error) {
	size, ok := sizeOf(in)
	if !ok {
		text, err := io.ReadAll(in)
		guard.Input(int64(len(text)))
		return text, err
	}
	guard.Input(size)
	text := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := text.ReadFrom(in)
	return text.Bytes(), err
}

// sizeOf returns how many bytes are in a file, or in memory.
func sizeOf(in io.Reader) (int64, bool) {
	switch in := in.(type) {
	case *os.File:
		info, err := in.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return 0, false
		}
		return info.Size(), true
	case interface{ Len() int }:
		return int64(in.Len()), true
	}
	return 0, false
}

// output is the text of the output list, in pieces, and the results of the run.
type output struct {
	text    [][]byte
	results []report.Result
	// isOfKustomize is true if the functionConfig says where the program is.
	isOfKustomize bool
}

// runText runs the functionConfig of the list in the text.
func runText(text []byte, function Function) (o output) {
	defer func() {
		if value := recover(); value != nil {
			o = unchanged(text, errorResult(report.ReasonRunError, parallel.Recovered(value)))
		}
	}()
	var results []report.Result
	list, err := resourcelist.With(text, func(list *resourcelist.List) {
		if list.Failed != nil {
			return
		}
		var items []*object.Object
		if items, results = function(list.FunctionConfig, list.Items); !HasError(results) {
			list.Items = items
		}
	})
	if err != nil {
		return unreadable(text, errorResult(report.ReasonInvalidInput, err))
	}
	if list.Failed != nil {
		return output{text: [][]byte{text}, results: []report.Result{*list.Failed}}
	}
	results = slices.DeleteFunc(results, func(r report.Result) bool { return r.IsSummary })
	results = Folded(list.FunctionConfig, results)
	written, err := list.Write(results)
	if err != nil {
		return unchanged(text, errorResult(report.ReasonRunError, err))
	}
	program := tree.Get(list.FunctionConfig, "metadata", "annotations", "config.kubernetes.io/function")
	return output{text: written, results: results, isOfKustomize: program != nil}
}

// Items runs a functionConfig on items, as a Function does. If a result is an error, it undoes all
// edits of the items.
func Items(functionConfig *tree.Node, items []*object.Object) ([]*object.Object, []report.Result) {
	return ItemsWith(Options{}, functionConfig, items)
}

// Folded returns the results of a run with further ones of a kind summed up, as the functionConfig
// says.
func Folded(functionConfig *tree.Node, results []report.Result) []report.Result {
	return NewFold(functionConfig).All(results)
}

// NewFold returns what sums up the results of a run of the functionConfig.
func NewFold(functionConfig *tree.Node) *report.Fold {
	return report.NewFold(config.LimitOf(functionConfig), report.RefOf(functionConfig))
}

// ItemsWith is Items with options.
func ItemsWith(options Options, functionConfig *tree.Node, items []*object.Object) ([]*object.Object, []report.Result) {
	kind, fault := pick(functionConfig)
	options = options.seeing(items)
	out, results := runKind(functionConfig, items, func(functionConfig *tree.Node, items []*object.Object) ([]*object.Object, []report.Result) {
		return kind.Run(options, functionConfig, items)
	}, fault)
	report.Redact(results, options.Mask)
	return out, results
}

// Traced is Items with a trace of what the rules of the kind IgnoreFields found. The trace is empty
// for the other kinds.
func Traced(functionConfig *tree.Node, items []*object.Object) (
	out []*object.Object, results []report.Result, trace *ignorefields.Trace,
) {
	trace = &ignorefields.Trace{}
	out, results = ItemsWith(Options{IgnoreFields: ignorefields.Options{Trace: trace}}, functionConfig, items)
	return out, results, trace
}

// runKind runs a functionConfig with the function of its kind, or returns why it has no known kind.
func runKind(
	functionConfig *tree.Node, items []*object.Object, function Function, fault *report.Fault,
) ([]*object.Object, []report.Result) {
	if fault != nil {
		faults := report.FaultResults([]report.Fault{*fault}, report.RefOf(functionConfig), report.FileOf(functionConfig))
		return items, append(checkItems(items), faults...)
	}
	out, results := recovered(function, functionConfig, items)
	if faults := checkItems(items); len(faults) > 0 {
		results = faults
	}
	if HasError(results) {
		for _, item := range items {
			item.Reset()
		}
		return items, results
	}
	return out, aboutTexts(out, leaveEncrypted(out, results))
}

// HasError tells whether a result is an error.
func HasError(results []report.Result) bool {
	return slices.ContainsFunc(results, func(r report.Result) bool { return r.Severity == report.SeverityError })
}

// leaveEncrypted undoes the edits of objects that SOPS has encrypted, and tells so instead of what
// was done to them.
func leaveEncrypted(items []*object.Object, results []report.Result) []report.Result {
	type place struct {
		ref  report.Ref
		file report.File
	}
	namedBy := map[place]string{}
	for _, r := range results {
		if r.NamedBy != "" {
			namedBy[place{r.Ref, r.File}] = r.NamedBy
		}
	}
	undone := map[place]bool{}
	var left []report.Result
	for _, item := range items {
		if !item.Changed() || !item.IsEncrypted() {
			continue
		}
		item.Reset()
		if at := (place{report.RefOf(item.Root()), item.File()}); !undone[at] {
			undone[at] = true
			left = append(left, report.Encrypted(namedBy[at]).Of(at.ref, at.file))
		}
	}
	results = slices.DeleteFunc(results, func(r report.Result) bool {
		return r.Severity == report.SeverityInfo && undone[place{r.Ref, r.File}]
	})
	return append(results, left...)
}

// aboutTexts adds what the text of each object tells of its edits.
func aboutTexts(items []*object.Object, results []report.Result) []report.Result {
	return uncommented(items, reformatted(items, results))
}

// reformatted adds an info for each object that was rewritten, or some members of which were.
func reformatted(items []*object.Object, results []report.Result) []report.Result {
	for _, item := range items {
		rewriting := item.Reformatted()
		if rewriting == nil {
			continue
		}
		ref := report.RefOf(item.Root())
		what, why := "the whole object was", rewriting.Why
		switch len(rewriting.Members) {
		case 0:
		case 1:
			what = rewriting.Members[0] + " was"
		default:
			what = words.All(rewriting.Members) + " were"
		}
		if rewriting.Line > 0 {
			why = fmt.Sprintf("line %d can't be edited in place", rewriting.Line)
		}
		if rewriting.Text != "" && !redact.Of(item.Root()).HasSecret() {
			why += ": " + printable.Line(rewriting.Text)
		}
		results = append(results, report.New(report.SeverityInfo, report.ReasonReformatted,
			what+" rewritten with the same data, so its comments and layout may differ: "+why).Of(ref, item.File()))
	}
	return results
}

// uncommented adds an info for each object with fields that have no place for a comment.
func uncommented(items []*object.Object, results []report.Result) []report.Result {
	for _, item := range items {
		at := item.Uncommented()
		if len(at) == 0 {
			continue
		}
		results = append(results, report.New(report.SeverityInfo, report.ReasonNotAnnotated, fmt.Sprintf(
			"no comment on %s, the first %s: JSON, aliases, texts of several lines and lines with another such comment have no place for one",
			words.Count(len(at), "field"), at[0])).Of(report.RefOf(item.Root()), item.File()).At(at[0].String()))
	}
	return results
}

// FailedError is a run with a result that is an error.
type FailedError struct {
	// Lines are the messages of all results, each with its severity. Their details are left out: a
	// host shows them in quotes, and cuts off all but the first line.
	Lines []string
}

func (e *FailedError) Error() string { return strings.Join(e.Lines, "\n") }

// writeAll writes the list of an outcome. The error is a *FailedError if a result is an error.
func writeAll(out io.Writer, o output) error {
	buffered := bufio.NewWriterSize(out, 1<<16)
	for _, text := range o.text {
		_, _ = buffered.Write(text) // which Flush tells of
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("the output can't be written: %w", err)
	}
	if !HasError(o.results) {
		return nil
	}
	failed := &FailedError{}
	for _, result := range o.results {
		failed.Lines = append(failed.Lines, result.Line())
	}
	return failed
}

// maxItemFaults is how many items that are no objects are reported one by one. A list of more is no
// list of manifests.
const maxItemFaults = 1000

// checkItems returns an error for each item that is no object.
func checkItems(items []*object.Object) []report.Result {
	var results []report.Result
	more := 0
	for i, item := range items {
		isObject := false
		if item.Changed() {
			isObject = item.IsObject()
		} else {
			_ = item.Use(func() { isObject = item.IsObject() }) // there are no edits that could fail
		}
		if isObject {
			continue
		}
		if len(results) == maxItemFaults {
			more++
			continue
		}
		results = append(results, report.New(report.SeverityError, report.ReasonInvalidInput, fmt.Sprintf("items[%d] %s", i, itemFault(item.Root()))).
			Of(report.RefOf(item.Root()), item.File()))
	}
	if more > 0 {
		results = append(results, report.New(report.SeverityError, report.ReasonInvalidInput,
			fmt.Sprintf("%d more items must be maps with apiVersion and kind, and are not", more)))
	}
	return results
}

// itemFault says why root is no object.
func itemFault(root *tree.Node) string {
	if !tree.IsMap(root) {
		return "must be a map with apiVersion and kind, found a " + tree.Type(root)
	}
	field := "apiVersion"
	if object.IsName(tree.Get(root, field)) {
		field = "kind"
	}
	return fmt.Sprintf("must have the field %s, a non-empty string, found %s", field, tree.Type(tree.Get(root, field)))
}

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
func unchanged(text []byte, failed report.Result) output {
	results := []report.Result{failed}
	if written, ok := rewritten(text, results); ok {
		return output{text: written, results: results}
	}
	return unreadable(text, failed)
}

// unreadable returns a list without items with the error as its only result.
func unreadable(text []byte, failed report.Result) output {
	results := []report.Result{failed}
	written, _ := resourcelist.Failure(text, results) // nothing if not even that can be written
	return output{text: [][]byte{written}, results: results}
}

// rewritten reads the list again, since the state of the other one is unknown, and writes it with
// results. It returns false if that panics, too.
func rewritten(text []byte, results []report.Result) (written [][]byte, ok bool) {
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
	return report.New(report.SeverityError, reason, err.Error())
}
