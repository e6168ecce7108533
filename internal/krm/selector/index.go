package selector

import (
	"iter"
	"slices"

	"github.com/krm-fields/krm-fields/internal/lists"
)

// Index finds which of many selections, or of their entries, may be about an object: those that
// require its name, and those that require none. It keeps their numbers.
type Index struct {
	unnamed []int
	named   map[string][]int
}

// NewIndex returns an index of n selections.
func NewIndex(n int, selection func(i int) *Selection) Index {
	var index Index
	for i := range n {
		s := selection(i)
		names := s.selectors.names()
		if len(s.exclude.all) > 0 {
			names = []string{""} // each object shows which entries of exclude match something
		}
		index.add(i, names...)
	}
	return index
}

// add adds a number by names, of which "" is any.
func (x *Index) add(number int, names ...string) {
	if slices.Contains(names, "") || len(names) == 0 {
		x.unnamed = append(x.unnamed, number)
		return
	}
	if x.named == nil {
		x.named = map[string][]int{}
	}
	for _, name := range names {
		if numbers := x.named[name]; len(numbers) == 0 || numbers[len(numbers)-1] != number {
			x.named[name] = append(numbers, number)
		}
	}
}

// About returns the numbers of those that may be about an object, in order.
func (x *Index) About(o *Candidate) []int {
	named := x.named[o.Name]
	switch {
	case len(named) == 0:
		return x.unnamed
	case len(x.unnamed) == 0:
		return named
	}
	both := slices.Concat(x.unnamed, named)
	slices.Sort(both)
	return both
}

// entryList is the entries of selectors or exclude.
type entryList struct {
	all   []compiledSelector
	index Index
}

func newEntryList(all []compiledSelector) entryList {
	l := entryList{all: all}
	for i, e := range all {
		l.index.add(i, e.name)
	}
	return l
}

// names are the names that the entries require; "" for one that requires none.
func (l entryList) names() []string {
	return lists.Map(l.all, func(e compiledSelector) string { return e.name })
}

// about yields the entries that may match the object.
func (l entryList) about(o *Candidate) iter.Seq[*compiledSelector] {
	return func(yield func(*compiledSelector) bool) {
		for _, i := range l.index.About(o) {
			if !yield(&l.all[i]) {
				return
			}
		}
	}
}

// first is the first entry that matches the object; nil for none.
func (l entryList) first(o *Candidate, matches func(e *compiledSelector, o *Candidate) bool) *compiledSelector {
	for e := range l.about(o) {
		if matches(e, o) {
			return e
		}
	}
	return nil
}
