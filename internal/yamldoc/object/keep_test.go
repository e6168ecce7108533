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
			name: "a map or list with a tag or an anchor that gets empty",
			text: "a: !!map # of the map\n  k: 1 # of k\n  # l: 2\nb: &b # of the list\n  # of the first\n- 1\n# 2\n" +
				"c:\n- &c # of the element\n  k: 1\n- !!map\n  # of k\n  k: 1\n",
			edits: []edit{{at: at("a", "k")}, {at: at("b", 0)}, {at: at("c", 0, "k")}, {at: at("c", 1, "k")}},
			want:  "a: !!map {} # of the map\n  # l: 2\nb: &b [] # of the list\n# 2\nc:\n- &c {} # of the element\n- !!map {}\n",
		},
		{
			name: "a flow map or list that gets empty",
			text: "a: { # of the map\n  # of k\n  k: 1, # also of k\n  # l: 2,\n}\nb: [{\n  k: 1,\n\n  # l: 2,\n}]\nc: {\n  k: 1,\n}\n" +
				"d: [ # of the list\n  1\n] # behind it\n",
			edits: []edit{{at: at("a", "k")}, {at: at("b", 0, "k")}, {at: at("c", "k")}, {at: at("d", 0)}},
			want:  "a: { # of the map\n  # l: 2,\n}\nb: [{\n\n  # l: 2,\n}]\nc: {}\nd: [ # of the list\n] # behind it\n",
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
			name:  "comments of what else a map could hold stay where it gets empty",
			text:  "spec: # all\n  # not set by default\n  # name: x\n\n  # the pool\n  pool: p # why\n  # the cluster\n  # id: y\nend: 1\n",
			edits: []edit{{at: at("spec", "pool")}},
			want:  "spec: {} # all\n  # not set by default\n  # name: x\n\n  # the cluster\n  # id: y\nend: 1\n",
		},
		{
			name:  "a list, and an element, that get empty",
			text:  "args:\n# first\n- a\n# - b\n\nl:\n- # of x\n  x: 1\n  # y: 2\n- z: 1\n  # y: 2\n",
			edits: []edit{{at: at("args", 0)}, {at: at("l", 0, "x")}, {at: at("l", 1, "z")}},
			want:  "args: []\n# - b\n\nl:\n- {} # of x\n  # y: 2\n- {}\n  # y: 2\n",
		},
		{
			name:  "comments behind a removed element stay, those behind a removed member go where they are deeper",
			text:  "env:\n- name: a\n  value: b\n  # about c\n- name: c\n  # and this\nx:\n  k: v\n\n  # l: w\n # m\n# about z\nz: 1\n",
			edits: []edit{{at: at("env", 0)}, {at: at("x")}},
			want:  "env:\n  # about c\n- name: c\n  # and this\n# about z\nz: 1\n",
		},
		{
			name:  "comments above the first element of a list are about it",
			text:  "ports:\n  # not this\n\n    # the first\n # port\n  - 1\n  # the second\n  - 2\n    # the third\n  - 3\n",
			edits: []edit{{at: at("ports", 0)}, {at: at("ports", 1)}},
			want:  "ports:\n  # not this\n\n  # the second\n  - 2\n    # the third\n",
		},
		{
			name:  "a comment never gets behind a dash",
			text:  "l:\n- a: 1\n  # about b\n  b: 2\n- a: 1\n\n  b: 2\n",
			edits: []edit{{at: at("l", 0, "a")}, {at: at("l", 1, "a")}},
			want:  "l:\n-\n  # about b\n  b: 2\n- b: 2\n",
		},
		{
			name:  "a new element comes behind the comments in the last one",
			text:  "l:\n- a: 1\n  # b: 2\n# end\nx: 1\n",
			edits: []edit{{at: at("l", 1), value: "new"}},
			want:  "l:\n- a: 1\n  # b: 2\n- new\n# end\nx: 1\n",
		},
		{
			name:  "blanks before colons, tabs, question marks and indicators",
			text:  "a : 1\t# one\n? b\n: 2 \t\nc:\t\n  d: :80\n  e: [x::, f: 1, g]\nh: {i, j: , \"k\":l}\n",
			edits: []edit{{at: at("a"), value: "3"}, {at: at("b"), value: "new"}, {at: at("c", "e", 1, "m"), value: "1"}, {at: at("h", "i"), value: "1"}, {at: at("h", "j"), value: "2"}},
			want:  "a : 3\t# one\n? b\n: new \t\nc:\t\n  d: :80\n  e: [x::, {f: 1, m: 1}, g]\nh: {i: 1, j: 2, \"k\":l}\n",
		},
		{
			name:  "a merge key stays where what it brings in does not change",
			text:  "a: &x\n  k: 1\n  l: 2 # two\nb:\n  <<: *x\n  l: 3\nc: {<<: [*x], l: 4} # of c\n",
			edits: []edit{{at: at("a", "l"), value: "5"}, {at: at("b", "l"), value: "6"}},
			want:  "a: &x\n  k: 1\n  l: 5 # two\nb:\n  <<: *x\n  l: 6\nc: {<<: [*x], l: 4} # of c\n",
		},
		{
			name:  "a merge key goes where a member that it brings in changes",
			text:  "a: &x\n  k: 1\n  l: 2\nb:\n  <<: *x # of x\n  l: 3\n",
			edits: []edit{{at: at("a", "k"), value: "5"}},
			want:  "a: &x\n  k: 5\n  l: 2\nb:\n  <<: # of x\n    k: 1\n    l: 2\n  l: 3\n",
		},
		{
			name:  "an alias stays where it gets the same edit as its anchor",
			text:  "a: &x\n  k: 1\n  l: 2\nb: *x # same\nc: *x\n",
			edits: []edit{{at: at("a", "k")}, {at: at("b", "k")}, {at: at("c", "l"), value: "3"}},
			want:  "a: &x\n  l: 2\nb: *x # same\nc:\n  k: 1\n  l: 3\n",
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

// TestRewritesMembers has notations that only yaml.v3 reads: a top-level member that has one is
// rewritten where it changes, and no other line.
func TestRewritesMembers(t *testing.T) {
	for _, test := range []struct {
		name, text string
		edits      []edit
		want       string
		rewriting  *object.Rewriting
	}{
		{
			name:  "another member changes",
			text:  "# Licence.\n\na: [k: v, ? q : r, s]\nb: {c, d: , e: 1}\n\n# of x\nx:  {y: 1} # too\n",
			edits: []edit{{at: at("x", "y"), value: "2"}},
			want:  "# Licence.\n\na: [k: v, ? q : r, s]\nb: {c, d: , e: 1}\n\n# of x\nx:  {y: 2} # too\n",
		},
		{
			name:      "the member changes",
			text:      "# Licence.\n\na:   # many\n  b: [k: v, ? q : r]\n  # inside\n  c: 1\n\n# of x\nx:  {y: 1} # too\n",
			edits:     []edit{{at: at("a", "c")}, {at: at("x", "z"), value: "2"}},
			want:      "# Licence.\n\na:   # many\n  b: [{k: v}, {q: r}]\n\n# of x\nx:  {y: 1, z: 2} # too\n",
			rewriting: &object.Rewriting{Members: []string{"a"}, Line: 4, Text: "b: [k: v, ? q : r]"},
		},
		{
			name:  "the member goes",
			text:  "# Licence.\n\n# of a\na:\n  b: [k: v, ? q : r]\n  # inside\n  c: 1\n  # d: 2\n# of x\nx: 1\n...\n# end\n",
			edits: []edit{{at: at("a")}},
			want:  "# Licence.\n\n# of x\nx: 1\n...\n# end\n",
		},
		{
			name:  "a line separator of Unicode, behind Windows line breaks",
			text:  "a: \"x\u2028y\" # z\r\nx: 1 # one\r\ny: 2\r\n",
			edits: []edit{{at: at("y"), value: "3"}},
			want:  "a: \"x\u2028y\" # z\r\nx: 1 # one\r\ny: 3\r\n",
		},
		{
			name:  "a directive",
			text:  "# head\n%YAML 1.1\n---\n# a\na: 1\nx: 1\n...\n# end\n",
			edits: []edit{{at: at("x")}},
			want:  "# head\n%YAML 1.1\n---\n# a\na: 1\n...\n# end\n",
		},
		{
			name:  "anchors in other members",
			text:  "&k a: &x 1\nb: *x # one\nc:  {? d : *x}\ne: [2]\n",
			edits: []edit{{at: at("e", 0)}},
			want:  "&k a: &x 1\nb: *x # one\nc:  {? d : *x}\ne: []\n",
		},
		{
			name:      "a key on several lines",
			text:      "# head\na: 1\n? |\n  b\n: 2\nc: 3\n",
			edits:     []edit{{at: at("c"), value: "4"}},
			want:      "# head\na: 1\n\"b\\n\": 2\nc: 4\n",
			rewriting: &object.Rewriting{Line: 3, Text: "? |"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := applied(t, test.text, test.edits)
			o.FirstLine = 1
			checkText(t, o, test.want)
			got := o.Reformatted()
			if got != nil {
				got.Why = ""
			}
			if diff := cmp.Diff(test.rewriting, got); diff != "" {
				t.Errorf("rewriting (-want +got):\n%s", diff)
			}
		})
	}
}
