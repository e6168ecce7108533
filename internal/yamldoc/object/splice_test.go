package object_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func at(steps ...any) location.Location {
	var l location.Location
	for _, step := range steps {
		switch step := step.(type) {
		case int:
			l = append(l, location.Index(step))
		case string:
			l = append(l, location.Key(step))
		}
	}
	return l
}

func node(t *testing.T, text string) *tree.Node {
	t.Helper()
	n, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRemove(t *testing.T) {
	tests := []struct {
		name      string
		text      string
		locations []location.Location
		want      string
	}{
		{
			name:      "a field goes with its line and its comment",
			text:      "spec:\n  # how many\n  replicas: 3 # now\n  paused: true # why\n",
			locations: []location.Location{at("spec", "replicas")},
			want:      "spec:\n  paused: true # why\n",
		},
		{
			name:      "a comment behind a blank line stays",
			text:      "spec:\n  # a section\n\n  replicas: 3\n  paused: true\n",
			locations: []location.Location{at("spec", "replicas")},
			want:      "spec:\n  # a section\n\n  paused: true\n",
		},
		{
			name:      "an emptied map stays as {}",
			text:      "metadata:\n  labels: # of the app\n    app: web\n  name: web\n",
			locations: []location.Location{at("metadata", "labels", "app")},
			want:      "metadata:\n  labels: {} # of the app\n  name: web\n",
		},
		{
			name:      "an emptied list stays as []",
			text:      "args:\n- --port=80\nname: web\n",
			locations: []location.Location{at("args", 0)},
			want:      "args: []\nname: web\n",
		},
		{
			name:      "elements go from the back",
			text:      "args:\n  - a # first\n  - b\n  - c\n",
			locations: []location.Location{at("args", 0), at("args", 2)},
			want:      "args:\n  - b\n",
		},
		{
			name:      "the first field of an element gives its place to the next",
			text:      "containers:\n- name: app\n  # the image\n  image: web:1\n- name: proxy\n  image: proxy:1\n",
			locations: []location.Location{at("containers", 0, "name"), at("containers", 1, "name")},
			want:      "containers:\n-\n  # the image\n  image: web:1\n- image: proxy:1\n",
		},
		{
			name:      "a block scalar goes whole, blank lines inside included",
			text:      "data:\n  script: |\n    # not a comment\n\n    echo\n  other: x\n",
			locations: []location.Location{at("data", "script")},
			want:      "data:\n  other: x\n",
		},
		{
			name:      "a compact list goes with its key",
			text:      "a:\n- b: 1\n  c: 2\n- d\ne: 3\n",
			locations: []location.Location{at("a")},
			want:      "e: 3\n",
		},
		{
			name:      "a field of a flow map",
			text:      "labels: {app: web, \"tier\": 'x'} # flow\nname: web\n",
			locations: []location.Location{at("labels", "app")},
			want:      "labels: {\"tier\": 'x'} # flow\nname: web\n",
		},
		{
			name:      "a location inside another one counts once",
			text:      "spec:\n  a:\n    b: 1\n  c: 2\n",
			locations: []location.Location{at("spec", "a", "b"), at("spec", "a")},
			want:      "spec:\n  c: 2\n",
		},
		{
			name:      "an edit by way of an alias shows there alone",
			text:      "a: &a\n  x: 1\n  y: 2\nb: *a\n",
			locations: []location.Location{at("b", "x")},
			want:      "a: &a\n  x: 1\n  y: 2\nb:\n  y: 2\n",
		},
		{
			name:      "an alias keeps the data of an anchor that goes",
			text:      "a: &a\n  x: 1\nb: *a\nc: *a\n",
			locations: []location.Location{at("a")},
			want:      "b:\n  x: 1\nc:\n  x: 1\n",
		},
		{
			name:      "a member that a merge key brings in",
			text:      "a: &a\n  x: 1\n  w: 2\nb:\n  <<: *a\n  z: 3\n",
			locations: []location.Location{at("b", "x")},
			want:      "a: &a\n  x: 1\n  w: 2\nb:\n  z: 3\n  w: 2\n",
		},
		{
			name:      "a member that stood in front of one that a merge key brings in",
			text:      "a: &a\n  x: 1\n  w: 2\nb:\n  <<: *a\n  x: 3\n  z: 4\n",
			locations: []location.Location{at("b", "x")},
			want:      "a: &a\n  x: 1\n  w: 2\nb:\n  z: 4\n  w: 2\n",
		},
		{
			name:      "what is not there is passed over",
			text:      "a: 1\n",
			locations: []location.Location{at("b"), at("a", 0), at("c", "d")},
			want:      "a: 1\n",
		},
		{
			name:      "Windows line breaks stay",
			text:      "a: 1\r\nb: 2\r\nc: 3\r\n",
			locations: []location.Location{at("b")},
			want:      "a: 1\r\nc: 3\r\n",
		},
		{
			name:      "no line break at the end",
			text:      "a: 1\nb: 2",
			locations: []location.Location{at("a")},
			want:      "b: 2",
		},
		{
			name:      "characters beyond ASCII before a field",
			text:      "a: {ü: 1, b: 2}\nc: 3\n",
			locations: []location.Location{at("a", "b")},
			want:      "a: {ü: 1}\nc: 3\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o, err := object.ParseDocument([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			o.Remove(test.locations)
			checkText(t, o, test.want)
		})
	}
}

func checkText(t *testing.T, o *object.Object, want string) {
	t.Helper()
	text, err := o.Text()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestSet(t *testing.T) {
	tests := []struct {
		name, text string
		location   location.Location
		value      string
		want       string
	}{
		{
			name: "a scalar is replaced in its place", text: "spec:\n  replicas:   3 # now\n  paused: true\n",
			location: at("spec", "replicas"), value: "5", want: "spec:\n  replicas:   5 # now\n  paused: true\n",
		},
		{
			name: "a new member comes last", text: "metadata:\n  name: web # x\n\n  # tail\nspec: {}\n",
			location: at("metadata", "annotations"), value: "{a: b}",
			want: "metadata:\n  name: web # x\n  annotations: {a: b}\n\n  # tail\nspec: {}\n",
		},
		{
			name: "an empty flow map becomes a block", text: "metadata:\n  annotations: {}\n  name: web\n",
			location: at("metadata", "annotations", "a"), value: "b",
			want: "metadata:\n  annotations:\n    a: b\n  name: web\n",
		},
		{
			name: "a flow map stays one", text: "labels: {a: b}\n",
			location: at("labels", "c"), value: "\"1\"", want: "labels: {a: b, c: \"1\"}\n",
		},
		{
			name: "an element is appended", text: "a:\n  - x: 1\n    y: 2\n\nb: 2\n",
			location: at("a", 1), value: "z: 3\n", want: "a:\n  - x: 1\n    y: 2\n  - z: 3\n\nb: 2\n",
		},
		{
			name: "a wide list within a new member of a wide object", text: "a:\n  - 1\nb:\n  c: 1\n",
			location: at("b", "d"), value: "- 1\n- 2\n", want: "a:\n  - 1\nb:\n  c: 1\n  d:\n    - 1\n    - 2\n",
		},
		{
			name: "a scalar becomes a map", text: "a: 1\nb: 2\n",
			location: at("a"), value: "c: 3\n", want: "a:\n  c: 3\nb: 2\n",
		},
		{
			name: "a map becomes a scalar", text: "a:\n  c: 3\nb: 2\n",
			location: at("a"), value: "1", want: "a: 1\nb: 2\n",
		},
		{
			name: "a missing value", text: "a:\nb: 2\n",
			location: at("a"), value: "1", want: "a: 1\nb: 2\n",
		},
		{
			name: "a block scalar with a comment beside it", text: "a: | # text\n  one\n  two\nb: 2 # two\n",
			location: at("a"), value: "1", want: "a: 1 # text\nb: 2 # two\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o, err := object.ParseDocument([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if err := o.Set(test.location, node(t, test.value)); err != nil {
				t.Fatal(err)
			}
			checkText(t, o, test.want)
		})
	}
}
