package applyoperations

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
)

// owners is the graph of owners and dependents in a store.
type owners struct {
	// referring are the objects with references, in the order of the store.
	referring []*storedObject
	// of has, for each dependent, the owners that each of its references names; none if the owner
	// is not in the store.
	of map[*storedObject][][]*storedObject
	// dependents has the dependents of each owner in the order of the store.
	dependents map[*storedObject][]*storedObject
}

// resolveOwners computes the graph of owners again if it has changed. An object is never its own
// owner.
func (s *store) resolveOwners() *owners {
	if s.ownersKnown {
		return &s.owners
	}
	if s.references == 0 {
		return &owners{}
	}
	byUID, byRef := map[string][]*storedObject{}, map[report.Ref][]*storedObject{}
	for _, e := range s.all {
		if !e.gone {
			byUID[e.uid] = append(byUID[e.uid], e)
			ref := e.ref
			ref.Namespace = ""
			byRef[ref] = append(byRef[ref], e)
		}
	}
	delete(byUID, "")
	s.owners, s.ownersKnown = owners{of: map[*storedObject][][]*storedObject{}, dependents: map[*storedObject][]*storedObject{}}, true
	for _, e := range s.all {
		if e.gone || len(e.owners) == 0 {
			continue
		}
		s.owners.referring = append(s.owners.referring, e)
		for _, reference := range e.owners {
			s.owners.add(e, reference, slices.Concat(byUID[reference.uid], byRef[reference.ref]))
		}
	}
	return &s.owners
}

// add records which of the candidates the next reference of an object names.
func (all *owners) add(dependent *storedObject, reference ownerReference, candidates []*storedObject) {
	var named []*storedObject
	for _, owner := range candidates {
		if owner == dependent || slices.Contains(named, owner) || !reference.names(owner, dependent) {
			continue
		}
		named = append(named, owner)
		if known := all.dependents[owner]; len(known) == 0 || known[len(known)-1] != dependent {
			all.dependents[owner] = append(known, dependent)
		}
	}
	all.of[dependent] = append(all.of[dependent], named)
}

// names tells whether a reference of dependent names owner, if the part that the index does not
// know agrees: by uid if both have one, else by kind and name. An owner in a namespace has
// dependents only there.
func (r ownerReference) names(owner, dependent *storedObject) bool {
	if owner.ref.Namespace != "" && owner.ref.Namespace != dependent.ref.Namespace {
		return false
	}
	return r.uid == owner.uid || r.uid == "" || owner.uid == ""
}

// allGone tells whether all owners of the dependent that the store had are gone.
func (all *owners) allGone(dependent *storedObject) bool {
	return !slices.ContainsFunc(all.of[dependent], func(named []*storedObject) bool {
		return slices.ContainsFunc(named, func(owner *storedObject) bool { return !owner.gone })
	})
}

// disown removes the references to removed objects, and the list of references once it is empty.
func (s *store) disown(all *owners) {
	for _, e := range all.referring {
		var lost []location.Location
		var names []string
		for i, named := range all.of[e] {
			at := slices.IndexFunc(named, func(owner *storedObject) bool { return owner.gone })
			if at >= 0 {
				lost = append(lost, ownerReferencesAt.With(location.Index(i)))
				names = append(names, named[at].ref.String())
			}
		}
		if len(lost) == 0 || e.gone {
			continue
		}
		s.ownersKnown = false
		if len(lost) == len(e.owners) {
			lost = []location.Location{ownerReferencesAt}
		}
		e.object.Remove(lost)
		s.read(e)
		s.note(e, report.ReasonUpdated, "owner reference to "+strings.Join(names, " and ")+" removed")
	}
}
