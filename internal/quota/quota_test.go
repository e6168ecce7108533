package quota

import (
	"errors"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func TestLimits(t *testing.T) {
	limits := Limits{ObjectSize: 1 << 20, TotalSize: 1 << 20, Steps: 1_000_000}
	for _, test := range []struct {
		name string
		do   func(r *Run) error
		want string // "" where there is none
	}{
		{"one object", func(r *Run) error { return r.Object().Make(1 << 20) }, ""},
		{
			"too much of one object", func(r *Run) error { return r.Object().Make(1<<20 + 1) },
			"the operations of a run must add at most 1Mi to one object, found more; " +
				"`limits: {objectSize: 2Mi}` in the functionConfig allows it",
		},
		{
			"too much of two", func(r *Run) error { return errors.Join(r.Object().Make(1<<20), r.Object().Make(1)) },
			"the operations of a run must add at most 1Mi to all objects together, found more; " +
				"`limits: {totalSize: 2Mi}` in the functionConfig allows it",
		},
		{"as many steps as objects add", func(r *Run) error { return r.Object().Step(1_002_000) }, ""},
		{
			"too many steps", func(r *Run) error { return r.Object().Step(1_002_001) },
			"the operations of a run must take at most 1M steps, and 1000 more for each object, found more; " +
				"`limits: {steps: 2M}` in the functionConfig allows it",
		},
		{
			"too large a draft", func(r *Run) error {
				o := r.Object()
				return errors.Join(o.Make(1<<19), o.Draft(1<<19), o.Draft(1))
			},
			"the operations of a run must add at most 1Mi to one object, found more; " +
				"`limits: {objectSize: 2Mi}` in the functionConfig allows it",
		},
		{"drafts of two operations", func(r *Run) error {
			o := r.Object()
			first := o.Draft(1 << 20)
			o.Begin()
			return errors.Join(first, o.Draft(1<<20))
		}, ""},
		{"elements of loops as large as all objects", func(r *Run) error { return r.Elements().Make(1 << 20) }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.do(NewRun(limits, 2))
			if err == nil && test.want == "" {
				return
			}
			if _, ok := errors.AsType[*Error](err); !ok || err.Error() != test.want {
				t.Errorf("got the error %v, want %s", err, test.want)
			}
		})
	}
}

func TestAnErrorComesAgain(t *testing.T) {
	o := NewRun(Limits{ObjectSize: 1, TotalSize: 1, Steps: 1}, 0).Object()
	first := o.Step(2)
	for _, err := range []error{o.Make(0), o.Draft(0), o.Step(0), o.Err()} {
		if err == nil || !errors.Is(err, first) {
			t.Errorf("got the error %v, want %v", err, first)
		}
	}
}

// TestSizeOfEndsEarly has a node of 9^40 values.
func TestSizeOfEndsEarly(t *testing.T) {
	n := tree.NewScalar(tree.NoTag, "x")
	for range 40 {
		list := &tree.Node{Kind: tree.SequenceNode}
		for range 9 {
			alias := &tree.Node{Kind: tree.AliasNode}
			alias.SetAlias(n)
			list.Content = append(list.Content, alias)
		}
		n = list
	}
	const most = 1 << 20
	if size := SizeOf(n, most); size <= most || size > most+50*NodeSize {
		t.Errorf("got the size %d, want a little more than %d", size, most)
	}
}

func TestSizes(t *testing.T) {
	n, err := tree.Parse([]byte("{a: [bc, 1], d: &x {}, e: *x}"))
	if err != nil {
		t.Fatal(err)
	}
	const want = 9*NodeSize + int64(len("a"+"bc"+"1"+"d"+"e"))
	if size := SizeOf(n, 1<<20); size != want {
		t.Errorf("got the size %d of a node, want %d", size, want)
	}
	data := map[string]any{"a": []any{"bc", 1}, "d": map[string]any{}, "e": map[string]any{}}
	if size := SizeOfValue(data, 1<<20); size != want-int64(len("1")) {
		t.Errorf("got the size %d of data, want %d", size, want-1)
	}
}

// FuzzCompilation spends in any portions: what is granted is never more than there is.
func FuzzCompilation(f *testing.F) {
	f.Add([]byte("\x00\xff\x80"))
	f.Fuzz(func(t *testing.T, portions []byte) {
		var c Compilation
		granted := int64(0)
		for _, p := range portions {
			if units := int64(p) << 16; c.Spend(units) == nil {
				granted += units
			}
		}
		if granted > CompilationUnits {
			t.Errorf("%d units were granted, there are %d", granted, CompilationUnits)
		}
		if err := c.Spend(CompilationUnits + 1); err == nil || !strings.Contains(err.Error(), "20000000 steps") {
			t.Errorf("got the error %v", err)
		}
	})
}
