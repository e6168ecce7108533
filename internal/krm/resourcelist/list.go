// Package resourcelist reads a ResourceList into items and writes it again with the bytes of all
// unchanged parts
// (https://github.com/kubernetes-sigs/kustomize/blob/master/cmd/config/docs/api-conventions/functions-spec.md).
//
// A list in YAML's block style is cut into its items by lines, and each item is parsed alone. That
// verifies the cut: if an item does not parse alone, the list is parsed as one tree, and cut where
// its items are there. A list in JSON is cut likewise, and written as JSON.
package resourcelist

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Kind is the kind of the list.
const Kind = "ResourceList"

// apiVersions are the versions of ResourceList that are understood.
var apiVersions = []string{
	"config.kubernetes.io/v1", "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1",
}

// List is a ResourceList.
type List struct {
	Items []*object.Object
	// FunctionConfig is nil if the list has none.
	FunctionConfig *tree.Node
	// Failed is the error of a list that came with one among its results; nil if none is.
	Failed *report.Result
	layout layout
}

// layout writes a list as it was read: the same envelope with other items and more results.
type layout interface {
	write(items []*object.Object, results []report.Result) ([][]byte, error)
	// firstLines returns for each item of the input the line of the list's text, from 1, at which
	// the line numbers of its nodes start: its own first line if it was parsed alone, else 1.
	firstLines() []int
}

// FirstLines returns for each item of the input the line of the text at which its line numbers
// start.
func (l *List) FirstLines() []int { return l.layout.firstLines() }

// Error is input that is no ResourceList. Line counts from 1.
type Error struct {
	Line   int
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("the input must be one ResourceList (line %d): %s", e.Line, e.Reason)
}

// Read reads a ResourceList, and verifies that all items can be parsed. The error is an *Error.
func Read(text []byte) (*List, error) { return With(text, func(*List) {}) }

// ReadWholeList reads a manifest that holds objects as its items, as one tree. The error is an
// *Error.
func ReadWholeList(text []byte) (*List, error) {
	if isBraced(text) {
		return read(text, checkHoldsObjects)
	}
	return readTree(text, checkHoldsObjects)
}

// With reads a ResourceList and calls do with it, and returns it in its new state. Parsing the
// items on demand verifies the cut; if one can't be parsed alone, the list is read as one tree, and
// do is called again with that list.
func With(text []byte, do func(*List)) (*List, error) {
	list, err := read(text, checkResourceList)
	if err != nil {
		return nil, withHint(text, err)
	}
	if do(list); list.isVerified() {
		return list, nil
	}
	if list, err = readTree(text, checkResourceList); err != nil {
		return nil, err
	}
	do(list)
	return list, nil
}

// ReadCutList reads a manifest that holds objects as its items, item by item: the limits of a
// document then hold for each item, and not for all of them together. It returns false if the
// manifest holds none, can't be cut into them, or has a fault. All items are verified to parse.
func ReadCutList(text []byte) (*List, bool) {
	var list *List
	var ok bool
	switch {
	case isBraced(text):
		var err error
		list, err = readJSON(text, checkHoldsObjects)
		ok = err == nil
	case bytes.HasPrefix(text, []byte("items:")) || bytes.Contains(text, []byte("\nitems:")) ||
		bytes.Contains(text, []byte("\n\"items\":")):
		list, ok = readCut(text, checkHoldsObjects)
	}
	if !ok {
		return nil, false
	}
	_ = parallel.Each(len(list.Items), func(i int) error { return list.Items[i].Use(func() {}) }) // isVerified tells of errors
	return list, list.isVerified()
}

// HoldsObjects tells whether a manifest holds objects as its items: a List as kubectl writes it, a
// list of one kind such as RoleList, or a ResourceList.
func HoldsObjects(root *tree.Node) bool {
	kind, items := tree.GetString(root, "kind"), tree.Get(root, "items")
	isOfKind := strings.HasSuffix(kind, "List") && items != nil && (tree.IsList(items) || tree.Type(items) == tree.Null)
	return kind == "List" || kind == Kind || isOfKind
}

// Objects returns the objects that a manifest holds as its items; if it is no list, itself.
func Objects(root *tree.Node) []*tree.Node {
	if HoldsObjects(root) {
		return tree.Elements(tree.Get(root, "items"))
	}
	return []*tree.Node{root}
}

func checkHoldsObjects(root *tree.Node) error {
	if !HoldsObjects(root) {
		return &Error{Line: lineOf(root), Reason: "it must hold objects as its items"}
	}
	return nil
}

// check checks the apiVersion and kind of a list.
type check func(root *tree.Node) error

func read(text []byte, check check) (*List, error) {
	trimmed := trimStart(text)
	switch {
	case len(trimmed) == 0:
		return nil, &Error{Line: 1, Reason: "it is empty"}
	case trimmed[0] == '{':
		list, err := readJSON(text, check)
		if err == nil {
			return list, nil
		}
		if list, other := readTree(text, check); other == nil {
			return list, nil
		}
		return nil, err
	}
	if list, ok := readCut(text, check); ok {
		return list, nil
	}
	return readTree(text, check)
}

// isBraced tells whether the text is JSON, or YAML in flow style.
func isBraced(text []byte) bool {
	trimmed := trimStart(text)
	return len(trimmed) > 0 && trimmed[0] == '{'
}

// isVerified tells whether every item could be parsed alone. If one could not, the list must be
// read as one tree; all other findings about its items are invalid.
func (l *List) isVerified() bool {
	return parallel.Each(len(l.Items), func(i int) error { return l.Items[i].Err() }) == nil
}

// Write returns the list with its items in their current state and the results behind those of the
// input, in texts that are to be written one after another: to join them would take the memory of a
// second copy.
func (l *List) Write(results []report.Result) ([][]byte, error) {
	return l.layout.write(l.Items, results)
}

// Failure returns a list without items that has only the results, for input that could not be read.
// It is JSON if the input looks like JSON.
func Failure(input []byte, results []report.Result) ([]byte, error) {
	if lines.LooksLikeJSON(string(input)) {
		return failureInJSON(results)
	}
	text := []byte("apiVersion: " + apiVersions[0] + "\nkind: " + Kind + "\nitems: []\nresults:\n")
	for _, result := range results {
		text = report.AppendItem(text, result, 0)
	}
	return text, nil
}

// trimStart removes blanks and a byte order mark from the start of the text.
func trimStart(text []byte) []byte {
	return bytes.TrimLeft(text, " \t\r\n\ufeff")
}

// envelope is a list without its items.
type envelope struct {
	functionConfig *tree.Node
	results        *tree.Node
}

// readEnvelope checks the members of the list that root is.
func readEnvelope(root *tree.Node, check check) (envelope, error) {
	var e envelope
	if err := check(root); err != nil {
		return e, err
	}
	e.functionConfig = tree.Get(root, "functionConfig")
	if tree.Type(e.functionConfig) == tree.Null {
		e.functionConfig = nil
	}
	e.results = tree.Get(root, "results")
	if t := tree.Type(e.results); t != tree.List && t != tree.Null {
		return e, &Error{Line: lineOf(e.results), Reason: "results must be a list, found a " + t}
	}
	return e, nil
}

// failed is List.Failed for the results of a list.
func failed(results []*tree.Node) *report.Result {
	for i, result := range results {
		if tree.GetString(result, "severity") == report.SeverityError {
			failure := report.InputFailed(i, tree.GetString(result, "message"))
			return &failure
		}
	}
	return nil
}

func checkResourceList(root *tree.Node) error {
	if tree.Type(root) == tree.Null {
		return &Error{Line: lineOf(root), Reason: "it is empty"}
	}
	if !tree.IsMap(root) {
		return &Error{Line: lineOf(root), Reason: "it must be a map with apiVersion, kind and items, found a " + tree.Type(root)}
	}
	apiVersion, kind := tree.GetString(root, "apiVersion"), tree.GetString(root, "kind")
	if kind != Kind {
		return &Error{Line: lineOf(tree.Get(root, "kind")), Reason: fmt.Sprintf(
			"kind must be %q, found %q", Kind, kind)}
	}
	if !slices.Contains(apiVersions, apiVersion) {
		return &Error{Line: lineOf(tree.Get(root, "apiVersion")), Reason: fmt.Sprintf(
			"apiVersion must be %s, found %q", words.List(apiVersions), apiVersion)}
	}
	return nil
}

// withHint adds to the fault of a text that is no ResourceList how to run on manifests, as people
// do who forget `run` in a pipe or a post-renderer.
func withHint(text []byte, err error) error {
	fault, ok := errors.AsType[*Error](err)
	if !ok || len(trimStart(text)) == 0 || bytes.Contains(text, []byte(Kind)) {
		return err
	}
	return &Error{Line: fault.Line, Reason: fault.Reason + "; to run on manifests, use `krm-fields run --config FILE`"}
}

func lineOf(n *tree.Node) int {
	if n == nil || n.Line() == 0 {
		return 1
	}
	return n.Line()
}
