package object

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// placesText has the forms in which an entry can stand.
const placesText = `# A head.
apiVersion: v1
kind: "Thing" # why
base: &base {a: 1, "b": [x, {c: 'it''s'}, {d: e}], f: ~}
merged:
  <<: *base
  own: 2
alias: *base
empty:
plain: one
  two
quoted: "a
  b"
folded: >-
  x
  y

literal: |
  z
list:
- a
-
  b: 1
- - c
  - d: |
      e
- &f g
dashes:
  - h # i
  - []
`

// TestPlaces reads each place of an object by itself: it must have the data of its entry.
func TestPlaces(t *testing.T) {
	texts := map[string]string{
		"forms": placesText,
		"json":  `{"a": {"b": [1, {"c": null}], "d e": "f\"g"}, "h": []}`,
	}
	paths, err := filepath.Glob("../../../testdata/golden/objects/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("there must be objects, found %d, %v", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(path)] = string(text)
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			o, err := ParseDocument([]byte(text))
			if name == "json" {
				o, err = ParseJSON([]byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
			checkPlaces(t, o, o.Original(), nil)
		})
	}
}

// checkPlaces checks the places of the entries of n, which is at a location.
func checkPlaces(t *testing.T, o *Object, n *tree.Node, at location.Location) {
	t.Helper()
	switch n.Kind {
	case tree.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key := n.Content[i]; !tree.IsMergeKey(key) {
				checkPlace(t, o, n.Content[i+1], at.With(location.Key(tree.Deref(key).Text())))
			}
		}
	case tree.SequenceNode:
		for i, element := range n.Content {
			checkPlace(t, o, element, at.With(location.Index(i)))
		}
	}
}

func checkPlace(t *testing.T, o *Object, value *tree.Node, at location.Location) {
	t.Helper()
	start, end, ok := o.Place(at)
	if !ok || start < 0 || end < start || end > len(o.Source()) {
		t.Errorf("%s: the place must be known, is %d to %d, %v", at, start, end, ok)
		return
	}
	text := string(o.Source()[start:end])
	depth := start - (bytes.LastIndexByte(o.Source()[:start], '\n') + 1)
	alone := strings.Repeat(" ", depth) + text + "\n" // without which a block scalar at the end is another
	if isFlow := depth > 0 && strings.TrimSpace(string(o.Source()[start-depth:start])) != ""; isFlow && !strings.Contains(text, "\n") {
		alone = text
	}
	if strings.Contains(alone, "*base") { // which stands elsewhere
		checkPlaces(t, o, value, at)
		return
	}
	root, err := tree.Parse([]byte(alone))
	if err != nil || root == nil {
		t.Errorf("%s: the place must be an entry, is %q: %v", at, text, err)
		return
	}
	last := root
	if n := len(root.Content); n > 0 && (root.Kind == tree.SequenceNode && text[0] == '-' || root.Kind == tree.MappingNode && !at[len(at)-1].IsIndex) {
		last = root.Content[n-1]
	}
	if !tree.Equal(last, value) {
		t.Errorf("%s: the place must have the data of its entry, is %q", at, text)
	}
	checkPlaces(t, o, value, at)
}

func TestPlaceOfWhatIsMerged(t *testing.T) {
	o, err := ParseDocument([]byte(placesText))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		at   location.Location
		want string
	}{
		{location.Location{location.Key("merged"), location.Key("a")}, "<<: *base"},
		{location.Location{location.Key("alias"), location.Key("a")}, "alias: *base"},
	} {
		start, end, ok := o.Place(test.at)
		if !ok || placesText[start:end] != test.want {
			t.Errorf("%s: got %q, %v, want %q", test.at, placesText[start:end], ok, test.want)
		}
	}
	for _, missing := range []location.Location{{location.Key("x")}, {location.Key("list"), location.Index(9)}, {location.Key("list"), location.Key("a")}} {
		if start, end, ok := o.Place(missing); ok {
			t.Errorf("%s must have no place, has %d to %d", missing, start, end)
		}
	}
}

// TestShare edits copies of an object, each in another way: the others must not change.
func TestShare(t *testing.T) {
	o, err := ParseDocument([]byte(placesText))
	if err != nil {
		t.Fatal(err)
	}
	before := tree.Copy(o.Original())
	edits := []func(c *Object) error{
		func(c *Object) error {
			c.Remove([]location.Location{{location.Key("list"), location.Index(0)}})
			return nil
		},
		func(c *Object) error {
			return c.Set(location.Location{location.Key("base"), location.Key("a")}, tree.NewString("x"))
		},
		func(c *Object) error {
			c.Remove([]location.Location{{location.Key("merged"), location.Key("a")}})
			return nil
		},
		func(c *Object) error { c.ReplaceData(tree.FromValue(map[string]any{"kind": "Thing"})); return nil },
	}
	for i, edit := range edits {
		c := o.Share()
		var err error
		if flushed := c.Use(func() { err = edit(c) }); err != nil || flushed != nil {
			t.Fatal(err, flushed)
		}
		text, err := c.Text()
		if err != nil || string(text) == placesText {
			t.Errorf("edit %d must change the copy, it has %q, %v", i, text, err)
		}
		c.Reset()
		if text, err := c.Text(); err != nil || string(text) != placesText {
			t.Errorf("edit %d must be undone, the copy has %q, %v", i, text, err)
		}
		if !tree.Equal(before, o.Original()) || !tree.Equal(before, o.Share().Root()) {
			t.Fatalf("edit %d must change nothing but the copy", i)
		}
	}
}
