package jq

import (
	"reflect"
	"testing"
)

// FuzzWriter writes a path of a key, an index and a key, and parses it again.
func FuzzWriter(f *testing.F) {
	f.Add("spec", "a.b/c")
	f.Add("", `"\(1)`)
	f.Add("if", "\u2028\\")
	f.Fuzz(func(t *testing.T, first, last string) {
		w := &Writer{}
		w.Key(first)
		w.Index("0")
		w.Key(last)
		w.Stage("select(true)")
		w.Key(first)
		query, err := parse(w.String())
		if err != nil {
			t.Fatalf("%s: %v", w, err)
		}
		steps, isSimple := simpleSteps(query.Left)
		want := []Step{{Text: clean(first)}, {Kind: IndexStep}, {Text: clean(last)}}
		if query.Left.Left != nil {
			steps, isSimple = simpleSteps(query.Left.Left)
		}
		if !isSimple || !reflect.DeepEqual(steps, want) {
			t.Errorf("%s: %v, want %v", w, steps, want)
		}
	})
}

// clean is a text as JSON can write it.
func clean(text string) string { return string([]rune(text)) }
