package object

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// TestView edits a view, which the object adopts or not.
func TestView(t *testing.T) {
	const text = "a: 1 # one\nb: [1, 2]\nc: |\n  x: 1\n  y: 2\n"
	for name, test := range map[string]struct {
		adopt bool
		want  string
	}{
		"left":    {false, text},
		"adopted": {true, "b: [2]\nc: |\n  x: 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := ParseDocument([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			var view Object
			o.View(&view)
			view.Remove([]location.Location{{location.Key("a")}, {location.Key("b"), location.Index(0)}})
			if !view.SpliceString(location.Location{location.Key("c")}, []Splice{{Start: 5, End: 10}}, "x: 1\n") {
				t.Error("the string must be edited")
			}
			if l, ok := view.OriginalLocation(location.Location{location.Key("b"), location.Index(0)}); !ok || l.String() != "b[1]" {
				t.Errorf("b[0] of the view must be b[1] of the object, found %s, %v", l, ok)
			}
			if o.Changed() {
				t.Error("the edits of the view must not be those of the object")
			}
			if test.adopt {
				o.Adopt(&view)
			}
			checkText(t, o, test.want)
			if test.adopt && o.Reformatted() != nil {
				t.Errorf("the edits must be made in place: %+v", o.Reformatted())
			}
		})
	}
}
