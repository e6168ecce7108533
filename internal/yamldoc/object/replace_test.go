package object_test

import (
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func TestReplaceData(t *testing.T) {
	tests := []struct {
		name, text, value, want string
	}{
		{
			name: "equal data leaves the text alone",
			text: "b: 1e3 # x\na: 'y'\nl: [0644, {z: ~}]\n", value: "{a: y, b: 1000, l: [420, {z: null}]}",
			want: "b: 1e3 # x\na: 'y'\nl: [0644, {z: ~}]\n",
		},
		{
			name: "numbers that stay keep their notation", text: "a: 1e3\nb: 0644\nc: 9007199254740993\nd: 1\n",
			value: "{a: 1000, b: 420, c: 9007199254740993, d: 2}",
			want:  "a: 1e3\nb: 0644\nc: 9007199254740993\nd: 2\n",
		},
		{
			name: "members keep their order, new ones come last", text: "c: 1 # one\na:\n  z: 1\n  x: 2\n",
			value: "{d: 4, a: {x: 2, w: 3, z: 1}, b: 5, c: 1}",
			want:  "c: 1 # one\na:\n  z: 1\n  x: 2\n  w: 3\nd: 4\nb: 5\n",
		},
		{
			name: "a member goes with its comment", text: "a: 1\n# two\nb: 2 # 2\nc: 3\n", value: "{a: 1, c: 3}",
			want: "a: 1\nc: 3\n",
		},
		{
			name: "a string keeps the quotes of the one before", text: "a: \"1\"\nb: 'x'\nc: plain\nd: \"x\"\n",
			value: "{a: two, b: 'y', c: \"other\", d: 4}", want: "a: \"two\"\nb: 'y'\nc: other\nd: 4\n",
		},
		{
			name: "a string is quoted where it must be", text: "a: plain\nb: plain\n", value: "{a: \"yes\", b: \"1\"}",
			want: "a: \"yes\"\nb: \"1\"\n",
		},
		{
			name: "a block of text stays one", text: "a: |\n  x\n  y\nb: 1\n", value: "{a: \"x\\nz\\n\", b: 1}",
			want: "a: |\n  x\n  z\nb: 1\n",
		},
		{
			name: "an element is inserted", text: "l:\n- a # 1\n- b # 2\n", value: "{l: [a, x, b]}",
			want: "l:\n- a # 1\n- x\n- b # 2\n",
		},
		{
			name: "an element is put first", text: "l:\n- a # 1\n- b # 2\n", value: "{l: [x, a, b]}",
			want: "l:\n- x\n- a # 1\n- b # 2\n",
		},
		{
			name: "elements go", text: "l:\n- a # 1\n- b # 2\n- c # 3\n- d # 4\n", value: "{l: [b, d]}",
			want: "l:\n- b # 2\n- d # 4\n",
		},
		{
			name: "a scalar of a list is replaced in its place", text: "l:\n- \"--port=80\" # port\n- --v\n",
			value: "{l: [--port=81, --v]}", want: "l:\n- \"--port=81\" # port\n- --v\n",
		},
		{
			name:  "elements are paired by name",
			text:  "c:\n- name: app # first\n  image: web:1\n  tty: true\n- name: log # second\n  image: log:1\n",
			value: "{c: [{name: log, image: log:2}]}",
			want:  "c:\n- name: log # second\n  image: log:2\n",
		},
		{
			name:  "elements are paired by what they have in common",
			text:  "p:\n- port: 80 # web\n  protocol: TCP\n  app: x\n- port: 53 # dns\n  protocol: UDP\n  app: y\n",
			value: "{p: [{port: 54, protocol: UDP, app: y}]}",
			want:  "p:\n- port: 54 # dns\n  protocol: UDP\n  app: y\n",
		},
		{
			name:  "an element with another name and value does not inherit the comment",
			text:  "e:\n- name: A # about A\n  value: a\n- name: B\n  value: b\n",
			value: "e:\n- name: C\n  value: c\n- name: B\n  value: b\n",
			want:  "e:\n- name: C\n  value: c\n- name: B\n  value: b\n",
		},
		{
			name: "lists in lists", text: "l:\n- - a\n  - b\n- - c\n", value: "{l: [[a, x], [c]]}",
			want: "l:\n- - a\n  - x\n- - c\n",
		},
		{
			name: "another type", text: "a: {b: 1}\nc: [1]\nd: x\n", value: "{a: [1], c: {e: 2}, d: {f: 3}}",
			want: "a: [1]\nc: {e: 2}\nd: {f: 3}\n",
		},
		{
			name: "emptied collections", text: "a:\n  b: 1\nc:\n- 1\nd: 1\n", value: "{a: {}, c: [], d: 1}",
			want: "a: {}\nc: []\nd: 1\n",
		},
		{
			name: "a collection that was empty takes the new style", text: "a: {}\nb: []\n",
			value: "a:\n  c: 1\nb:\n- 2\n", want: "a:\n  c: 1\nb:\n- 2\n",
		},
		{
			name: "an alias stays", text: "a: &a\n  x: 1\nb: *a\nc: 1\n", value: "{a: {x: 1}, b: {x: 1}, c: 2}",
			want: "a: &a\n  x: 1\nb: *a\nc: 2\n",
		},
		{
			name: "an alias whose data changes gives way to a copy", text: "a: &a\n  x: 1\n  y: 1\nb: *a\n",
			value: "{a: {x: 1, y: 1}, b: {x: 2, y: 1}}", want: "a: &a\n  x: 1\n  y: 1\nb:\n  x: 2\n  y: 1\n",
		},
		{
			name: "an anchored map changes alone", text: "a: &a\n  x: 1\nb: *a\n", value: "{a: {x: 2}, b: {x: 1}}",
			want: "a: &a\n  x: 2\nb:\n  x: 1\n",
		},
		{
			name: "a merge key stays", text: "a: &a\n  x: 1\nb:\n  <<: *a\n  z: 3\n",
			value: "{a: {x: 1}, b: {x: 1, z: 4, w: 5}}", want: "a: &a\n  x: 1\nb:\n  <<: *a\n  z: 4\n  w: 5\n",
		},
		{
			name: "a merge key stays beside a member of it that changes", text: "a: &a\n  x: \"1\"\n  w: 2\nb:\n  <<: *a # c\n  z: 3\n",
			value: "{a: {x: \"1\", w: 2}, b: {x: \"9\", w: 2, z: 3}}", want: "a: &a\n  x: \"1\"\n  w: 2\nb:\n  <<: *a # c\n  z: 3\n  x: \"9\"\n",
		},
		{
			name: "a merge key gives way where all of its members change", text: "a: &a\n  x: 1\nb:\n  <<: *a\n  z: 3\n",
			value: "{a: {x: 1}, b: {x: 9, z: 3}}", want: "a: &a\n  x: 1\nb:\n  z: 3\n  x: 9\n",
		},
		{
			name: "a merge key gives way where one of its members goes", text: "a: &a\n  x: 1\n  w: 2\nb:\n  <<: *a\n  z: 3\n",
			value: "{a: {x: 1, w: 2}, b: {w: 2, z: 3}}", want: "a: &a\n  x: 1\n  w: 2\nb:\n  z: 3\n  w: 2\n",
		},
		{
			name: "a merge key gives way where it would bring a member back", text: "a: &a\n  x: 1\nb:\n  <<: *a\n  x: 3\n  y: 2\n",
			value: "{a: {x: 1}, b: {y: 2}}", want: "a: &a\n  x: 1\nb:\n  y: 2\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o, err := object.ParseDocument([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			value := node(t, test.value)
			o.ReplaceData(value)
			if !tree.Equal(o.Root(), value) {
				t.Errorf("the data must be the replacement")
			}
			checkText(t, o, test.want)
		})
	}
}

func TestLayAgain(t *testing.T) {
	text := "spec:\n  replicas: 1 # few\n  paused: false\n"
	o, err := object.ParseDocument([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	o.ReplaceData(node(t, "{spec: {replicas: 2, paused: false}}"))
	o.ReplaceData(node(t, "{spec: {replicas: 3, paused: false, extra: x}}"))
	checkText(t, o, "spec:\n  replicas: 3 # few\n  paused: false\n  extra: x\n")
	o.ReplaceData(node(t, "{spec: {replicas: 1, paused: false}}"))
	checkText(t, o, text)
	o.Reset()
	if o.Changed() {
		t.Error("after Reset the object must be unchanged")
	}
}

// TestLayShared lays a value that shares nodes with the edited data.
func TestLayShared(t *testing.T) {
	o, err := object.ParseDocument([]byte("p:\n  a: 1 # in p\n  b: 1\nq:\n  a: 2 # in q\n  b: 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	o.ReplaceData(node(t, "{p: {a: 3, b: 1}, q: {a: 4, b: 2}}"))
	p, q := tree.Get(o.Root(), "p"), tree.Get(o.Root(), "q")
	o.ReplaceData(&tree.Node{Kind: tree.MappingNode, Content: []*tree.Node{tree.NewString("p"), q, tree.NewString("q"), p}})
	checkText(t, o, "p:\n  a: 4 # in p\n  b: 2\nq:\n  a: 3 # in q\n  b: 1\n")
}

func TestLayOnNothing(t *testing.T) {
	o, err := object.ParseDocument([]byte("# nothing\n"))
	if err != nil {
		t.Fatal(err)
	}
	o.ReplaceData(node(t, "a: 1\n"))
	if !tree.Equal(o.Root(), node(t, "a: 1\n")) {
		t.Error("the data must be the replacement")
	}
}

// TestLayLongLists pairs by index beyond the size up to which the best pairs are looked for.
func TestLayLongLists(t *testing.T) {
	long := func(first, last string) string {
		return "l:\n- " + first + "\n" + strings.Repeat("- same\n- other # x\n", 150) + "- " + last + "\n"
	}
	o, err := object.ParseDocument([]byte(long("a", "b")))
	if err != nil {
		t.Fatal(err)
	}
	o.ReplaceData(node(t, long("c", "d")))
	checkText(t, o, long("c", "d"))
}

func FuzzReplaceData(f *testing.F) {
	f.Add("a: 1\n", "a: 2\n")
	f.Add("a: &a\n  x: 1\n  y: 2\nb:\n  <<: *a\n  z: 3\n", "b: {x: 1}\nc: [{name: a}, {name: b}]\n")
	f.Add("l:\n- name: a # x\n  v: |\n    t\n- [1, 2]\n", "l:\n- [2]\n- name: a\n  v: \"u\\n\\n v\"\n")
	f.Add("0\n", "0: {0:y0}")
	f.Add("l:\n- name:\n  v:\n- [0]", "l:")
	f.Add("a: b\n", "a: <<\n")
	f.Add("a: {}\nb: >-\n  folded\n  text\nc: \"x\" # y\n", "b: \" lead\\ntail \\n\"\nc: ''\na: []\n")
	f.Fuzz(func(t *testing.T, text, other string) {
		o, err := object.ParseDocument([]byte(text))
		if err != nil || o.Root() == nil {
			return
		}
		value, err := tree.Parse([]byte(other))
		if err != nil || value == nil {
			return
		}
		o.ReplaceData(value)
		if !tree.Equal(o.Root(), value) {
			t.Fatalf("the data must be the replacement")
		}
		replaced, err := o.Text()
		if err != nil {
			t.Fatalf("the object can't be written: %v", err)
		}
		parsed, err := tree.Parse(replaced)
		if err != nil {
			t.Fatalf("the text does not parse: %v\n%s", err, replaced)
		}
		if !tree.Equal(parsed, value) {
			t.Fatalf("the text has other data than the replacement:\n%s", replaced)
		}
		o.ReplaceData(o.Original())
		if !tree.Equal(o.Root(), o.Original()) {
			t.Fatalf("the data that came in, put back, must be there again")
		}
	})
}
