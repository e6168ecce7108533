package object_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestEditsBehindMergeKeys makes edits below members that merge keys bring in, and below a literal
// key <<.
func TestEditsBehindMergeKeys(t *testing.T) {
	for _, test := range []struct{ name, text, set, want string }{
		{
			"a copy overrides the member", "a: &a\n  k:\n    x: 1\n    y: 2\nb:\n  <<: *a # stays\n", "b k x",
			"a: &a\n  k:\n    x: 1\n    y: 2\nb:\n  <<: *a # stays\n  k:\n    x: new\n    y: 2\n",
		},
		{
			"a literal key is not a merge key", "a: &a\n  \"<<\": {k: 1}\nb:\n  <<: *a\n  q: 1\n", "b << k",
			"a: &a\n  \"<<\": {k: 1}\nb:\n  q: 1\n  \"<<\": {k: new}\n",
		},
		{
			"an alias of what an edit has changed inside gives way", "a: &a\n- w\nb: &b\n  k: *a\nc: *b\n", "b k 0",
			"a: &a\n- w\nb: &b\n  k:\n  - new\nc:\n  k:\n  - w\n",
		},
		{
			"a map that is merged in, and merges another, stays as it was", "a: &a {x: 1}\nb:\n  <<: {y: 1, <<: *a}\n", "a z",
			"a: &a {x: 1, z: new}\nb:\n  <<: {y: 1, <<: {x: 1}}\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, err := object.ParseDocument([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if err := o.Set(locationOf(test.set), tree.NewString("new")); err != nil {
				t.Fatal(err)
			}
			checkText(t, o, test.want)
		})
	}
}

func locationOf(steps string) (l location.Location) {
	for _, step := range strings.Fields(steps) {
		if location.IsDigits(step) {
			l = append(l, location.Index(0))
		} else {
			l = append(l, location.Key(step))
		}
	}
	return l
}

// TestEqualReplacementChangesNothing replaces what an alias and a merge key bring in by the same.
func TestEqualReplacementChangesNothing(t *testing.T) {
	const text = "a: &a {x: {y: 1}}\nb: *a\nc: {<<: *a}\n"
	o, err := object.ParseDocument([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"b", "b x", "c x"} {
		value := tree.Copy(location.At(o.Root(), locationOf(at)))
		if err := o.Replace(locationOf(at), value); err != nil {
			t.Fatal(err)
		}
	}
	checkText(t, o, text)
}

// TestManyMergedMembers edits each of many merged members, which takes no square of their number.
func TestManyMergedMembers(t *testing.T) {
	const count = 5000
	var text strings.Builder
	text.WriteString("a: &a\n")
	for i := range count {
		fmt.Fprintf(&text, "  k%d: {x: 1}\n", i)
	}
	text.WriteString("b:\n  <<: *a\n")
	o, err := object.ParseDocument([]byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range count {
		if err := o.Set(locationOf(fmt.Sprintf("b k%d x", i)), tree.NewString("new")); err != nil {
			t.Fatal(err)
		}
	}
	if got := location.At(o.Root(), locationOf("b k4999 x")); got == nil || got.Text() != "new" {
		t.Errorf("the last member must be new, found %v", got)
	}
}
