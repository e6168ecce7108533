package resourcelist

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const header = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

var someResults = []report.Result{{Message: "new", Severity: report.SeverityInfo}}

const someResultsText = "results:\n- message: new\n  severity: info\n"

func TestWrite(t *testing.T) {
	tests := []struct {
		name, text string
		whole      bool // the list can't be cut
		want       string
	}{
		{
			name: "results go behind the list",
			text: header + "items:\n- kind: A\n- kind: B\nfunctionConfig:\n  kind: C\n",
			want: header + "items:\n- kind: A\n- kind: B\nfunctionConfig:\n  kind: C\n" + someResultsText,
		},
		{
			name: "quoted keys",
			text: "\"apiVersion\": config.kubernetes.io/v1\n'kind': ResourceList\n\"items\": # all\n- \"kind\": A\n",
			want: "\"apiVersion\": config.kubernetes.io/v1\n'kind': ResourceList\n\"items\": # all\n- \"kind\": A\n" + someResultsText,
		},
		{
			name: "indented items, comments and blank lines between them",
			text: header + "# the items\nitems: # all of them\n\n  # first\n  - kind: A\n    a: |+\n      x\n\n  # second\n  - kind: B\n\n# the config\nfunctionConfig: {kind: C}",
			want: header + "# the items\nitems: # all of them\n\n  # first\n  - kind: A\n    a: |+\n      x\n\n  # second\n  - kind: B\n\n# the config\nfunctionConfig: {kind: C}\n" + someResultsText,
		},
		{
			name: "the config first, results that came in, a key that nobody knows",
			text: "functionConfig: {kind: C}\nresults:\n  - message: old\n" + header + "items:\n- kind: A\nother: 1\n",
			want: "functionConfig: {kind: C}\nresults:\n  - message: old\n  - message: new\n    severity: info\n" + header + "items:\n- kind: A\nother: 1\n",
		},
		{
			name: "empty results that came in",
			text: header + "items:\n- kind: A\nresults: []\n",
			want: header + "items:\n- kind: A\n" + someResultsText,
		},
		{
			name: "a document marker before the list",
			text: "---\n" + header + "items:\n- kind: A\n",
			want: "---\n" + header + "items:\n- kind: A\n" + someResultsText,
		},
		{
			name: "a quoted string that looks like an item",
			text: header + "items:\n- kind: A\n  a: \"x\n- kind: B\n  \"\n", whole: true,
			want: header + "items:\n- kind: A\n  a: \"x\n- kind: B\n  \"\n" + someResultsText,
		},
		{
			name: "an anchor that another item names",
			text: header + "items:\n- kind: A\n  a: &a 1\n- kind: B\n  b: *a\n", whole: true,
			want: header + "items:\n- kind: A\n  a: &a 1\n- kind: B\n  b: *a\n" + someResultsText,
		},
		{
			name: "no items",
			text: header + "items: []\n", whole: true,
			want: header + "items: []\n" + someResultsText,
		},
		{
			name: "no items, and a config in flow style with a comment",
			text: header + "items: null # none\nfunctionConfig: {kind: C} # why\n", whole: true,
			want: header + "items: null # none\nfunctionConfig: {kind: C} # why\n" + someResultsText,
		},
		{
			name: "no items, and results that came in",
			text: header + "items: []\nresults:\n- message: old\n", whole: true,
			want: header + "items: []\nresults:\n- message: old\n- message: new\n  severity: info\n",
		},
		{
			name: "no items, results that came in, and a config in flow style",
			text: header + "functionConfig: {kind:   C}\nitems: []\nresults: # old\n- {message: old}\nother: 1\n", whole: true,
			want: header + "functionConfig: {kind:   C}\nitems: []\nresults: # old\n- {message: old}\n- message: new\n  severity: info\nother: 1\n",
		},
		{
			name: "an anchor that another item names, and results that came in before",
			text: header + "results:\n- message: old\nitems:\n- kind: A\n  a: &a {b:   1}\n- kind: B\n  b: *a\nfunctionConfig: {kind:   C}\n", whole: true,
			want: header + "results:\n- message: old\n- message: new\n  severity: info\nitems:\n- kind: A\n  a: &a {b:   1}\n- kind: B\n  b: *a\nfunctionConfig: {kind:   C}\n",
		},
		{
			name: "an anchor that another item names, and results that came in behind",
			text: header + "items:\n- kind: A\n  a: &a {b:   1}\n- kind: B\n  b: *a\nresults:\n- message: old\n\n# why\nfunctionConfig: {kind:   C}\n", whole: true,
			want: header + "items:\n- kind: A\n  a: &a {b:   1}\n- kind: B\n  b: *a\nresults:\n- message: old\n- message: new\n  severity: info\n\n# why\nfunctionConfig: {kind:   C}\n",
		},
		{
			name: "the end of the document is marked",
			text: header + "items:\n- kind: A\n  a: {b:   1}\n- kind: B\n...\n", whole: true,
			want: header + "items:\n- kind: A\n  a: {b:   1}\n- kind: B\n" + someResultsText + "...\n",
		},
		{
			name: "the end of the document is marked behind the config",
			text: header + "items:\n- kind: A\nfunctionConfig: {kind:   C}\n... # end\n", whole: true,
			want: header + "items:\n- kind: A\nfunctionConfig: {kind:   C}\n" + someResultsText + "... # end\n",
		},
		{
			name: "line breaks of other systems",
			text: strings.ReplaceAll(header+"items:\n- kind: A\n- kind: B\n", "\n", "\r"), whole: true,
			want: strings.ReplaceAll(header+"items:\n- kind: A\n- kind: B\n", "\n", "\r") + someResultsText,
		},
		{
			name: "lines that end with CRLF, except the last one",
			text: strings.TrimSuffix(strings.ReplaceAll(header+"items:\n- kind: A\n- kind: B\n", "\n", "\r\n"), "\r\n"),
			want: strings.ReplaceAll(header+"items:\n- kind: A\n- kind: B\n"+someResultsText, "\n", "\r\n"),
		},
		{
			name: "a quoted string that goes on at the margin",
			text: header + "items:\n- kind: A\n  a: \"b\nc\"\n- kind: B\nother: 1\n",
			want: header + "items:\n- kind: A\n  a: \"b\nc\"\n- kind: B\nother: 1\n" + someResultsText,
		},
		{
			name: "lines that end with CRLF, with results in flow style",
			text: strings.ReplaceAll(header+"items:\n- {kind: A}\nresults: [{message: old}]\n", "\n", "\r\n"),
			want: strings.ReplaceAll(header+"items:\n- {kind: A}\nresults:\n- {message: old}\n- message: new\n  severity: info\n", "\n", "\r\n"),
		},
		{
			name: "line breaks that only YAML 1.1 knows, and an anchor that another item names",
			text: header + "items:\n- kind: A\n  a: &a \"x\u2028  y\u0085  z\"\n- kind: B\n  b: *a\n", whole: true,
			want: header + "items:\n- kind: A\n  a: &a \"x\u2028  y\u0085  z\"\n- kind: B\n  b: *a\n" + someResultsText,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if cut, ok := readCut([]byte(test.text), checkResourceList); (ok && cut.isVerified()) == test.whole {
				t.Errorf("the list can be cut: %v", !test.whole)
			}
			list := mustRead(t, test.text)
			checkWritten(t, list, nil, strings.TrimSuffix(test.text, "\n"))
			checkWritten(t, list, someResults, strings.TrimSuffix(test.want, "\n"))
		})
	}
}

func TestWriteEmptyResultsOnSeveralLines(t *testing.T) {
	for _, empty := range []string{"[\n]", "[ # none\n  ]", "[]\n# why", "~ # none", ""} {
		list := mustRead(t, header+"results: "+empty+"\nitems:\n- kind: A\n")
		text, err := list.Write(someResults)
		if err != nil {
			t.Fatal(err)
		}
		root, err := tree.Parse(bytes.Join(text, nil))
		if err != nil {
			t.Fatalf("results: %s\n%v", empty, err)
		}
		if n := len(tree.Elements(tree.Get(root, "results"))); n != 1 {
			t.Errorf("results: %s\n%d results come out, want 1", empty, n)
		}
	}
}

// mustRead reads a list.
func mustRead(t *testing.T, text string) *List {
	t.Helper()
	list, err := Read([]byte(text))
	if err != nil {
		t.Fatalf("the list can't be read: %v\n%s", err, text)
	}
	return list
}

func checkWritten(t *testing.T, list *List, results []report.Result, want string) {
	t.Helper()
	text, err := list.Write(results)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, strings.TrimSuffix(string(bytes.Join(text, nil)), "\n")); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestWriteOtherItems(t *testing.T) {
	list := mustRead(t, header+"items:\n  - kind: A # a\n  # b\n  - kind: B\nother: 1\n")
	root, err := tree.Parse([]byte("kind: C\nlist:\n- 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	created := object.NewLike(list.Items[0], root)
	list.Items = []*object.Object{list.Items[1], created}
	checkWritten(t, list, nil, header+"items:\n  # b\n  - kind: B\n  - kind: C\n    list:\n    - 1\nother: 1")
	list.Items = nil
	checkWritten(t, list, nil, header+"items: []\nother: 1")

	list = mustRead(t, strings.ReplaceAll(header+"items:\n- kind: A\n", "\n", "\r\n"))
	list.Items = append(list.Items, object.NewLike(list.Items[0], root))
	checkWritten(t, list, nil, strings.ReplaceAll(header+"items:\n- kind: A\n- kind: C\n  list:\n  - 1\r", "\n", "\r\n"))
}

// FuzzPaths holds the ways of reading and editing a list against each other: cut or as a whole,
// spliced or from the tree, they give the same data; an item that is not touched keeps its bytes,
// and one that loses a block field differs by removed lines only.
func FuzzPaths(f *testing.F) {
	f.Add(header+"items:\n- kind: A\n  a:\n    b: 1 # x\n    # y\n    c: [1, {d: e}]\n- kind: B\n  a: &x {b: 1}\n  e: *x\n", uint(0))
	f.Add(header+"items:\n  - kind: A\n    a:\n      - b\n      - |\n        c\n\n    d: >-\n      x\n      y\n", uint(3))
	f.Add(header+"items:\n- - a\n  - b\n- - - c\n    - d\n", uint(1))
	f.Add(header+"items:\n- ? a\n  : b\n  c:\n- \"x\": 'y'\n", uint(2))
	f.Add(header+"items:\n- kind: A\n  a: \"b\nc\n\nd\"\n- kind: B\n  b: 'c\nd'\n", uint(1))
	f.Add(header+"items:\n- kind: A\r\n  b: 1\r\n- c\nresults:\n- a\nfunctionConfig: {a: b}\n", uint(0))
	f.Fuzz(func(t *testing.T, text string, pick uint) {
		whole, err := readTree([]byte(text), checkResourceList)
		cut, ok := readCut([]byte(text), checkResourceList)
		ok = ok && cut.isVerified()
		if err != nil {
			if ok {
				t.Fatalf("the cut accepts what the whole tree refuses: %v", err)
			}
			return
		}
		if !ok {
			cut = whole
		}
		checkSameItems(t, whole.Items, cut.Items)
		target, l := pickLocation(cut.Items, pick)
		if target < 0 {
			return
		}
		before, plain := string(cut.Items[target].Source()), ok && isPlain(cut.Items[target], l)
		want := without(t, whole.Items[target].Root(), l)
		cut.Items[target].Remove([]location.Location{l})
		parts, err := cut.Write(nil)
		if err != nil {
			t.Fatal(err)
		}
		written := bytes.Join(parts, nil)
		again := mustRead(t, string(written))
		if !tree.Equal(again.Items[target].Root(), want) {
			t.Errorf("after the removal of %s the data is wrong:\n%s", l, written)
		}
		for i, item := range cut.Items {
			if ok && i != target && !strings.Contains(string(written), string(item.Source())) {
				t.Errorf("items[%d], which was not touched, has changed:\n%s", i, written)
			}
		}
		if after, err := cut.Items[target].Text(); plain && err == nil {
			checkOnlyRemoved(t, before, string(after))
		}
	})
}

func checkSameItems(t *testing.T, a, b []*object.Object) {
	if len(a) != len(b) {
		t.Fatalf("%d items as a whole, %d cut", len(a), len(b))
	}
	for i := range a {
		if !tree.Equal(a[i].Root(), b[i].Root()) {
			t.Fatalf("items[%d] differs between the whole tree and the cut", i)
		}
	}
}

// pickLocation picks one of all the places in the items; -1 where there is none.
func pickLocation(items []*object.Object, pick uint) (int, location.Location) {
	type place struct {
		item     int
		location location.Location
	}
	var places []place
	for i, item := range items {
		for _, l := range locationsOf(item) {
			places = append(places, place{i, l})
		}
	}
	if len(places) == 0 {
		return -1, nil
	}
	p := places[pick%uint(len(places))]
	return p.item, p.location
}

func locationsOf(item *object.Object) []location.Location {
	var all []location.Location
	var walk func(l location.Location)
	walk = func(l location.Location) {
		n := location.At(item.Root(), l)
		if len(all) > 1000 || n == nil {
			return
		}
		for key := range tree.Entries(n) {
			all = append(all, l.With(location.Key(key)))
			walk(l.With(location.Key(key)))
		}
		for i := range tree.Elements(n) {
			all = append(all, l.With(location.Index(i)))
			walk(l.With(location.Index(i)))
		}
	}
	walk(nil)
	return all
}

// without returns the data of root without what is at the location.
func without(t *testing.T, root *tree.Node, l location.Location) *tree.Node {
	c := tree.Copy(root)
	parent, last := location.At(c, l[:len(l)-1]), l[len(l)-1]
	if last.IsIndex {
		parent.Content = slices.Delete(parent.Content, last.Index, last.Index+1)
		return c
	}
	for i := 0; i < len(parent.Content); i += 2 {
		if parent.Content[i].Text() == last.Key {
			parent.Content = slices.Delete(parent.Content, i, i+2)
			return c
		}
	}
	t.Fatalf("there is nothing at %s", l)
	return nil
}

// isPlain tells whether the removal of a field takes whole lines: the item is in block style
// throughout, without anchors, and the field is neither the first nor the only one of its parent.
func isPlain(item *object.Object, l location.Location) bool {
	if strings.ContainsAny(string(item.Source()), "{[&*?\"'!\t\r") {
		return false
	}
	for line := range strings.Lines(string(item.Source())) {
		if strings.HasSuffix(strings.TrimSuffix(line, "\n"), "- ") {
			return false // nor is a blank behind a dash with nothing on its line
		}
		if strings.HasPrefix(strings.TrimSpace(line), "|") || strings.HasPrefix(strings.TrimSpace(line), ">") {
			return false // a block scalar that begins on a line of its own is not worth a splice
		}
	}
	parent, last := location.At(item.Original(), l[:len(l)-1]), l[len(l)-1]
	if last.IsIndex {
		return last.Index > 0
	}
	return parent.Content[0].Text() != last.Key
}

// checkOnlyRemoved checks that the lines of after are lines of before, in their order.
func checkOnlyRemoved(t *testing.T, before, after string) {
	lines := strings.Split(strings.TrimSuffix(before, "\n"), "\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(after, "\n"), "\n") {
		i := slices.Index(lines, line)
		if i < 0 {
			t.Fatalf("the line %q is new:\nbefore:\n%s\nafter:\n%s", line, before, after)
		}
		lines = lines[i+1:]
	}
}

// TestWriteKeepsOpenBlockScalar checks that a block scalar that ends the text without a line break
// keeps its value where the results come behind it.
func TestWriteKeepsOpenBlockScalar(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"in the last item": {
			text: header + "items:\n- kind: A\n  a: |\n    x\n    y",
			want: header + "items:\n- kind: A\n  a: |-\n    x\n    y\nresults:\n- message: new\n  severity: info\n",
		},
		"in the config": {
			text: header + "items:\n- kind: A\nfunctionConfig:\n  a: >+2\n    x",
			want: header + "items:\n- kind: A\nfunctionConfig:\n  a: >-2\n    x\nresults:\n- message: new\n  severity: info\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			list := mustRead(t, test.text)
			checkWritten(t, list, nil, test.text)
			checkWritten(t, list, someResults, strings.TrimSuffix(test.want, "\n"))
		})
	}
}

// TestManyResultsOfAWholeList writes more results than a text may hold that is parsed, to a list
// without items.
func TestManyResultsOfAWholeList(t *testing.T) {
	list, err := Read([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"))
	if err != nil {
		t.Fatal(err)
	}
	results := make([]report.Result, 100_000)
	for i := range results {
		results[i] = report.Result{Message: "unknown field", Severity: report.SeverityError, Field: report.Field{Path: "f"}}
	}
	texts, err := list.Write(results)
	if err != nil {
		t.Fatal(err)
	}
	if got := bytes.Count(bytes.Join(texts, nil), []byte("- message: unknown field\n")); got != len(results) {
		t.Errorf("the list must have %d results, found %d", len(results), got)
	}
}

// TestResultWithADeepValue writes results with one whose value is nested too deep to be read again.
func TestResultWithADeepValue(t *testing.T) {
	var deep any = "inner"
	for range 1200 {
		deep = []any{deep}
	}
	results := slices.Repeat([]report.Result{{Message: "one line", Severity: report.SeverityInfo}}, 1000)
	const at = 501
	results[at] = report.Result{Message: "two\nlines", Severity: report.SeverityInfo, Field: report.Field{Path: "spec", Current: deep, HasCurrent: true}}
	text, err := Failure(nil, results)
	if err != nil {
		t.Fatal(err)
	}
	root, err := tree.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	written := tree.Elements(tree.Get(root, "results"))
	if len(written) != len(results) {
		t.Fatalf("want %d results, found %d", len(results), len(written))
	}
	for i, result := range written {
		want := map[string]any{"message": "one line", "severity": "info"}
		if i == at {
			want = map[string]any{"message": "two lines", "severity": "info", "field": map[string]any{"path": "spec"}}
		}
		if diff := cmp.Diff(want, tree.Value(result)); diff != "" {
			t.Errorf("results[%d] (-want +got):\n%s", i, diff)
		}
	}
}
