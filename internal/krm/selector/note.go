package selector

// Note keeps account of which entries match the object, for AllMatched. It may
// be called from several goroutines at once.
func (s *Selection) Note(o *Candidate) {
	note := func(entries []entry, matches func(e entry, o *Candidate) bool) {
		for _, e := range entries {
			if !e.matched.Load() && matches(e, o) {
				e.matched.Store(true)
			}
		}
	}
	note(s.selectors, entry.chooses)
	note(s.exclude, entry.holds)
}

// AllMatched tells whether each entry has matched an object that was noted. If
// so, Unmatched need not be asked.
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
