package location

// Set is a set of locations, which finds what is around a location and in it at once.
type Set struct{ members, above map[string]bool }

// NewSet returns a set of locations.
func NewSet(locations ...Location) Set {
	s := Set{map[string]bool{}, map[string]bool{}}
	for _, l := range locations {
		s.Add(l)
	}
	return s
}

// Add adds a location.
func (s Set) Add(l Location) {
	for i := range l {
		s.above[l[:i].key()] = true
	}
	s.members[l.key()] = true
}

// HasAround tells whether the set has the location, or one that contains it.
func (s Set) HasAround(l Location) bool {
	for i := range len(l) + 1 {
		if s.members[l[:i].key()] {
			return true
		}
	}
	return false
}

// HasIn tells whether the set has something in the location.
func (s Set) HasIn(l Location) bool { return s.above[l.key()] }

// key tells an index of a list from a key that is a number.
func (l Location) key() string {
	key := l.Pointer()
	for i, step := range l {
		if step.IsIndex {
			key += "\x00" + string(rune(i))
		}
	}
	return key
}
