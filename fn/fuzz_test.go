package fn_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	evanphx "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func addScripts(f *testing.F) {
	f.Add([]byte{})
	for seed := range 24 {
		script := make([]byte, 160)
		state := uint32(seed*2654435761 + 1)
		for i := range script {
			state = state*1664525 + 1013904223
			script[i] = byte(state >> 24)
		}
		f.Add(script)
	}
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// listOf returns a list of the items, whose functionConfig has one rule for the object item-0.
func listOf(items, rule, options string) []byte {
	return []byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + items +
		"functionConfig:\n  apiVersion: fn.kpt.dev/v1alpha1\n  kind: IgnoreFields\n  onNoMatch: Ignore\n" +
		"  selectors: [{name: item-0}]\n  ignoreFields:\n  - " + rule + "\n" + options)
}

// carriedOut runs the function. It returns the items that come out and the exit code.
func carriedOut(t *testing.T, input []byte) (*resourcelist.List, string, int) {
	t.Helper()
	stdout, stderr, code := run(input)
	if strings.Contains(stderr, "krm-fields has a bug") {
		t.Fatalf("the function must not panic:\n%s\n%s", stderr, input)
	}
	list, err := resourcelist.Read([]byte(stdout))
	if err != nil {
		t.Fatalf("what comes out must be a list: %v\n%s\nfrom\n%s", err, stdout, input)
	}
	return list, stdout, code
}

// read reads the list that was generated; false if it is none.
func readList(input []byte) (*resourcelist.List, bool) {
	list, err := resourcelist.Read(input)
	return list, err == nil
}

// checkOthers checks that the items but the first have the bytes of before.
func checkOthers(t *testing.T, before, after *resourcelist.List) {
	t.Helper()
	if len(before.Items) != len(after.Items) {
		t.Fatalf("%d items come out of %d", len(after.Items), len(before.Items))
	}
	for i := 1; i < len(before.Items); i++ {
		if diff := cmp.Diff(textOf(t, before, i), textOf(t, after, i)); diff != "" {
			t.Errorf("items[%d] is not chosen and must keep its bytes (-before +after):\n%s", i, diff)
		}
	}
}

func textOf(t *testing.T, list *resourcelist.List, i int) string {
	t.Helper()
	text, err := list.Items[i].Text()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkIdempotent runs the output again: it must succeed and leave the items.
func checkIdempotent(t *testing.T, output string) {
	t.Helper()
	again, stderr, code := run([]byte(output))
	if code != 0 {
		t.Fatalf("the second run on the output exits with %d:\n%s\n%s", code, stderr, output)
	}
	if diff := cmp.Diff(itemsOf(t, output), itemsOf(t, again)); diff != "" {
		t.Errorf("the second run on the output changes it (-first +second):\n%s\nof\n%s", diff, output)
	}
}

// FuzzRemoval strips places of a random object. All three dialects must strip the same; it must be
// what gojq's del() and RFC 6902's remove do, and what a second run leaves; the other objects must
// keep their bytes.
func FuzzRemoval(f *testing.F) {
	addScripts(f)
	f.Fuzz(testRemoval)
}

func testRemoval(t *testing.T, script []byte) {
	g := &generator{script: script}
	items := g.items()
	before, ok := readList(listOf(items, "{}", ""))
	if !ok {
		return
	}
	root := before.Items[0].Root()
	locations := g.locations(tree.Value(root))
	if len(locations) == 0 {
		return
	}
	want := deletedByJQ(t, root, locations)
	if !tree.Equal(want, removedByEvanphx(t, root, locations)) {
		t.Fatalf("the test is wrong: gojq and evanphx/json-patch differ on %v of\n%s", locations, items)
	}
	for field, spell := range map[string]func(location.Location) string{
		"jsonPointers": location.Location.Pointer, "jsonPaths": asJSONPath, "jqPathExpressions": asJQ,
	} {
		var texts []string
		byPosition := false
		for _, l := range locations {
			texts = append(texts, spell(l))
			byPosition = byPosition || slices.ContainsFunc(l, func(s location.Step) bool { return s.IsIndex })
		}
		input := listOf(items, "{"+field+": "+asJSON(texts)+"}", "  pruneEmptied: Never\n  objectHash: {emit: false}\n")
		after, output, code := carriedOut(t, input)
		if code != 0 {
			t.Fatalf("%s: exit code %d\n%s", field, code, output)
		}
		if !tree.Equal(want, after.Items[0].Root()) {
			t.Errorf("%s: gojq's del() and this run differ on %v:\n%s\nof\n%s", field, texts, output, items)
		}
		checkOthers(t, before, after)
		if !byPosition {
			checkIdempotent(t, output)
		}
	}
}

// locations returns up to three places of an object that are not null.
func (g *generator) locations(object any) []location.Location {
	var locations []location.Location
	for range 1 + g.choose(3) {
		if l, ok := g.location(object); ok {
			locations = append(locations, l)
		}
	}
	return locations
}

func deletedByJQ(t *testing.T, root *tree.Node, locations []location.Location) *tree.Node {
	t.Helper()
	paths := make([]string, len(locations))
	for i, l := range locations {
		paths[i] = asJQ(l)
	}
	query, err := gojq.Parse("del(" + strings.Join(paths, ", ") + ")")
	if err != nil {
		t.Fatal(err)
	}
	value, _ := query.Run(tree.Value(root)).Next()
	if err, ok := value.(error); ok {
		t.Fatal(err)
	}
	return tree.FromValue(value)
}

// removals returns a JSON Patch that removes the places, the last one first.
func removals(locations []location.Location) string {
	var operations []string
	for _, l := range slices.Backward(location.Outermost(locations)) {
		operations = append(operations, fmt.Sprintf(`{"op": "remove", "path": %s}`, asJSON(l.Pointer())))
	}
	return "[" + strings.Join(operations, ", ") + "]"
}

func removedByEvanphx(t *testing.T, root *tree.Node, locations []location.Location) *tree.Node {
	t.Helper()
	patch, err := evanphx.DecodePatch([]byte(removals(locations)))
	if err != nil {
		t.Fatal(err)
	}
	document, err := tree.MarshalJSON(root)
	if err != nil {
		t.Fatal(err)
	}
	patched, err := patch.Apply(document)
	if err != nil {
		t.Fatal(err)
	}
	n, err := tree.ParseJSON(patched)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// FuzzRun runs random rules with random options on random objects. What comes out must be a list,
// and the same again where it is run on; a failed run must leave all items as they were, and any
// run those that are not chosen.
func FuzzRun(f *testing.F) {
	addScripts(f)
	f.Fuzz(testRun)
}

func testRun(t *testing.T, script []byte) {
	g := &generator{script: script}
	items := g.items()
	rule, options := g.wildRule()
	input := listOf(items, rule, options)
	before, ok := readList(input)
	if !ok {
		return
	}
	after, output, code := carriedOut(t, input)
	checkOthers(t, before, after)
	if code != 0 {
		if !bytes.HasPrefix([]byte(output), input) {
			t.Errorf("a failed run must leave the list, found\n%s\nof\n%s", output, input)
		}
		return
	}
	if !isByPosition(rule) {
		checkIdempotent(t, output)
	}
}

// isByPosition tells whether a rule has expressions that name elements of lists by their position,
// so that a second run may find others.
func isByPosition(rule string) bool {
	for _, part := range []string{"[-1]", "[0:2]", "first(", "/a/0"} {
		if strings.Contains(rule, part) {
			return true
		}
	}
	return false
}
