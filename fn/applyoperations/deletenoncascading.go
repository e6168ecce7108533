package applyoperations

// deleteNonCascading removes the object; its dependents stay and lose their reference to it.
var deleteNonCascading = Spec{
	Name: "DeleteNonCascading", Doc: "removes the object but not its dependents, which lose their owner reference to it",
	Cascade: "orphan", compile: deleting(func(s *store, target *entry) {
		all := s.resolveOwners()
		s.remove(target, "deleted")
		s.disown(all)
	}),
}
