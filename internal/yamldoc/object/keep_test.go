package object_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// edit is one edit: value is put at the location, or, where it is "", what is there goes. Where
// insert is true, the value comes before what is there.
type edit struct {
	at     location.Location
	value  string
	insert bool
}

// TestKeepsText checks that all but the edited value keeps its bytes where the edit is not a matter
// of whole lines.
func TestKeepsText(t *testing.T) {
	for _, test := range []struct {
		name, text string
		edits      []edit
		want       string
	}{
		{
			name: "a first member that goes and comes back keeps its place, its comment and the indentation",
			text: "# Licence.\n\nmetadata:\n    # of the generator\n    annotations: # many\n        a: b # why\n    # the name\n    name: x\n" +
				"spec:\n    text: >-\n        folded\n        text\n",
			edits: []edit{{at: at("metadata", "annotations")}, {at: at("metadata", "annotations"), value: "hash: abc\n"}},
			want: "# Licence.\n\nmetadata:\n    # of the generator\n    annotations: # many\n        hash: abc\n    # the name\n    name: x\n" +
				"spec:\n    text: >-\n        folded\n        text\n",
		},
		{
			name:  "a member in the middle that goes and comes back",
			text:  "m:\n  a: 1\n  b: {x: 1}\n  c: 3\n",
			edits: []edit{{at: at("m", "b")}, {at: at("m", "b"), value: "y: 2\n"}},
			want:  "m:\n  a: 1\n  b: {y: 2}\n  c: 3\n",
		},
		{
			name:  "a flow list over several lines goes",
			text:  "a:\n  args: [\n    \"x\", # first\n    \"y\"\n]\n  b: 1\n",
			edits: []edit{{at: at("a", "args")}},
			want:  "a:\n  b: 1\n",
		},
		{
			name:  "a map that ends in a flow list over several lines goes",
			text:  "a:\n  args: [\n    x\n]\nb: 1\n",
			edits: []edit{{at: at("a")}},
			want:  "b: 1\n",
		},
		{
			name:  "a member comes behind a flow list over several lines",
			text:  "a:\n  args: [\n    x\n]\nb: 1\n",
			edits: []edit{{at: at("a", "c"), value: "1"}},
			want:  "a:\n  args: [\n    x\n]\n  c: 1\nb: 1\n",
		},
		{
			name:  "an element in the middle of a flow list over several lines",
			text:  "a: [\n    x, # first\n    # about y\n    y, # second\n    z # third\n  ]\n",
			edits: []edit{{at: at("a", 1)}},
			want:  "a: [\n    x, # first\n    z # third\n  ]\n",
		},
		{
			name:  "the last element of a flow list over several lines",
			text:  "a: [\n    x, # first\n    y, # second\n    z # third\n  ]\n",
			edits: []edit{{at: at("a", 2)}},
			want:  "a: [\n    x, # first\n    y # second\n  ]\n",
		},
		{
			name:  "the last element before a bracket on its line",
			text:  "a: [x,\n    y]\nb: {c: 1,\n   d: 2}\n",
			edits: []edit{{at: at("a", 1)}, {at: at("b", "c")}},
			want:  "a: [x]\nb: {\n   d: 2}\n",
		},
		{
			name:  "a comma at the end stays one",
			text:  "a: [\n  x,\n  y,\n]\n",
			edits: []edit{{at: at("a", 1)}, {at: at("a", 1), value: "z"}},
			want:  "a: [\n  x,\n  z,\n]\n",
		},
		{
			name:  "a new element of a flow list over several lines",
			text:  "a: [\n  x, # first\n  y # second\n]\n",
			edits: []edit{{at: at("a", 2), value: "z"}, {at: at("a", 0), value: "w", insert: true}},
			want:  "a: [\n  w,\n  x, # first\n  y, # second\n  z\n]\n",
		},
		{
			name:  "members of a flow map",
			text:  "a: { x: 1, 'y': [1, 2], z: {k: v} } # flow\n",
			edits: []edit{{at: at("a", "x")}, {at: at("a", "y", 0)}, {at: at("a", "z", "l"), value: "it's"}, {at: at("a", "m"), value: "[1]"}},
			want:  "a: { 'y': [2], z: {k: v, l: it's}, m: [1] } # flow\n",
		},
		{
			name:  "a flow map loses all but new members",
			text:  "a: {x: 1}\nb: [1,\n  2]\n",
			edits: []edit{{at: at("a", "x")}, {at: at("b", 0)}, {at: at("b", 0)}},
			want:  "a: {}\nb: []\n",
		},
		{
			name:  "anchors, tags and aliases in a flow list",
			text:  "a: [&x one, !!str 2, *x, three]\n",
			edits: []edit{{at: at("a", 3)}, {at: at("a", 1)}},
			want:  "a: [&x one, *x]\n",
		},
		{
			name:  "a scalar on several lines",
			text:  "a: one\n  two # no\nb: 'x\n\n  y'\nc: \"x \\\n  y\"\nd: 1\n",
			edits: []edit{{at: at("a"), value: "1"}, {at: at("b"), value: "2"}, {at: at("c"), value: "3"}},
			want:  "a: 1 # no\nb: 2\nc: 3\nd: 1\n",
		},
		{
			name:  "a folded scalar with deeper lines elsewhere",
			text:  "a: 1\nb: >-\n  list\n    deeper\n  end\n",
			edits: []edit{{at: at("a")}},
			want:  "b: >-\n  list\n    deeper\n  end\n",
		},
		{
			name:  "a value with comments inside gives way to another one",
			text:  "a: # of a\n  # inside\n  b: 1 # too\nc: 2\n",
			edits: []edit{{at: at("a"), value: "[1]"}},
			want:  "a: [1] # of a\nc: 2\n",
		},
		{
			name:  "a missing value with a comment, above a folded scalar without lines",
			text:  "a0: # behind\n0x14: >+\n# in\n\n",
			edits: []edit{{at: at("a0"), value: "x: 1\n"}},
			want:  "a0: # behind\n  x: 1\n0x14: >+\n# in\n\n",
		},
		{
			name:  "a block scalar at the end without a line break",
			text:  "a:\n  b: |\n    x\n    y",
			edits: []edit{{at: at("c"), value: "1"}},
			want:  "a:\n  b: |-\n    x\n    y\nc: 1",
		},
		{
			name:  "a scalar at the end without a line break becomes a map",
			text:  "a: 1\nb: 2",
			edits: []edit{{at: at("b"), value: "c: 3\n"}},
			want:  "a: 1\nb:\n  c: 3",
		},
		{
			name:  "a header with a blank behind it",
			text:  "a:\n- | \n  x\n- y\nb: |+  \n  z\n\nc: 1\n",
			edits: []edit{{at: at("a", 1)}, {at: at("c")}},
			want:  "a:\n- | \n  x\nb: |+  \n  z\n\n",
		},
		{
			name:  "Windows line breaks in new text",
			text:  "a: 1\r\nb:\r\n  c: |\r\n    x\r\n",
			edits: []edit{{at: at("d"), value: "e: f\n"}, {at: at("b", "g"), value: "- 1\n"}},
			want:  "a: 1\r\nb:\r\n  c: |\r\n    x\r\n  g:\r\n  - 1\r\nd:\r\n  e: f\r\n",
		},
		{
			name:  "a new first element",
			text:  "a:\n# first\n- x: 1\n  y: 2\n- z\n",
			edits: []edit{{at: at("a", 0), value: "new", insert: true}},
			want:  "a:\n- new\n# first\n- x: 1\n  y: 2\n- z\n",
		},
		{
			name:  "lists in lists get a new first element",
			text:  "a:\n- - x\n  - y\n",
			edits: []edit{{at: at("a", 0, 0), value: "new", insert: true}},
			want:  "a:\n- - new\n  - x\n  - y\n",
		},
		{
			name:  "the first of lists in lists goes, and a new one comes",
			text:  "a:\n- - x\n  # why\n  - y\n",
			edits: []edit{{at: at("a", 0, 0)}, {at: at("a", 0, 0), value: "new", insert: true}},
			want:  "a:\n- - new\n  # why\n  - y\n",
		},
		{
			name:  "lists with an anchor",
			text:  "a: &x\n- 1\n- 2\nb: &y\n  c: 1\n  d: 2\n",
			edits: []edit{{at: at("a", 0)}, {at: at("b", "c")}},
			want:  "a: &x\n- 2\nb: &y\n  d: 2\n",
		},
		{
			name:  "a document in flow style",
			text:  "# top\n{a: 1, # one\n b: {c: 2}, d: 3}\n# end\n",
			edits: []edit{{at: at("b", "c")}, {at: at("d")}},
			want:  "# top\n{a: 1, # one\n b: {}}\n# end\n",
		},
		{
			name:  "a comment behind a removed member stays if one of its lines is no deeper",
			text:  "a:\n  b: 1\n  # about c\n    # and more\n  c: 2\n",
			edits: []edit{{at: at("a", "b")}},
			want:  "a:\n  # about c\n    # and more\n  c: 2\n",
		},
		{
			name:  "document markers",
			text:  "# head\n--- # why\na: 1\nb: 2\n...\n",
			edits: []edit{{at: at("b")}, {at: at("c"), value: "d: 1\n"}},
			want:  "# head\n--- # why\na: 1\nc:\n  d: 1\n...\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := applied(t, test.text, test.edits)
			checkText(t, o, test.want)
		})
	}
}

// applied returns the object of a document with edits.
func applied(t *testing.T, text string, edits []edit) *object.Object {
	t.Helper()
	o, err := object.ParseDocument([]byte(text))
	for _, e := range edits {
		switch {
		case err != nil:
		case e.value == "":
			o.Remove([]location.Location{e.at})
		case e.insert:
			err = o.Insert(e.at, node(t, e.value))
		default:
			err = o.Set(e.at, node(t, e.value))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestWritesAnew has notations that only yaml.v3 reads, so that nothing is known of their places.
func TestWritesAnew(t *testing.T) {
	for text, want := range map[string]string{
		"a: [k: v, ? q : r, s]\nb: {c, d: , e: 1}\nx: 1\n":      "a: [{k: v}, {q: r}, s]\nb: {c: null, d: null, e: 1}\n",
		"a:\t1 # tab\nx: 1\n":                                   "a: 1 # tab\n",
		"? a\n: 1\nx: 1\n":                                      "a: 1\n",
		"a: \"x\u2028y\"\nx: 1\n":                               "a: \"x\\Ly\"\n",
		"# head\n%YAML 1.1\n---\n# a\na: 1\nx: 1\n...\n# end\n": "%YAML 1.1\n---\n# head\n# a\na: 1\n...\n",
	} {
		o, err := object.ParseDocument([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		o.Remove([]location.Location{at("x")})
		got, err := o.Text()
		if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
			t.Errorf("%v, text (-want +got):\n%s", err, diff)
		}
		if o.Reformatted() == "" {
			t.Errorf("%q must be written anew", text)
		}
	}
}
