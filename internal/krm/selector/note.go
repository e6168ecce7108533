package selector

import "slices"

// Note records which entries match the object, for AllMatched. It may be called from several
// goroutines at once.
func (s *Selection) Note(o *Candidate) {
	note := func(entries []entry, matches func(e entry, o *Candidate) bool) {
		for _, e := range entries {
			if !e.matched.Load() && matches(e, o) {
				e.matched.Store(true)
			}
		}
	}
	note(s.selectors, entry.selects)
	note(s.exclude, entry.holds)
}

// SelectsNone tells whether there are selectors and none has matched a noted object.
func (s *Selection) SelectsNone() bool {
	return len(s.selectors) > 0 && !slices.ContainsFunc(s.selectors, func(e entry) bool { return e.matched.Load() })
}

// AllMatched tells whether each entry has matched a noted object. If so, Unmatched need not be
// called.
func (s *Selection) AllMatched() bool {
	for _, entries := range [][]entry{s.selectors, s.exclude} {
		for _, e := range entries {
			if !e.matched.Load() {
				return false
			}
		}
	}
	return true
}
