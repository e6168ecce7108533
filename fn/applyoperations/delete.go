package applyoperations

var deleteInForeground = Spec{
	Name: "Delete", Doc: "removes the object and its dependents",
	Cascade: "foreground", compile: deleting(deleteCascading),
}

// deleting returns a compile function for a deletion.
func deleting(remove func(s *store, target *storedObject)) func(*compiler, *operation, Operation, payload) {
	return func(_ *compiler, op *operation, _ Operation, _ payload) {
		op.act = func(s *store, target *storedObject) error {
			if target == nil {
				s.noteAbsence()
				return nil
			}
			remove(s, target)
			return nil
		}
	}
}

// deleteCascading removes the object, and then each dependent without another owner in the store.
// The remaining dependents lose their references to removed objects.
func deleteCascading(s *store, target *storedObject) {
	all := s.resolveOwners()
	s.remove(target, "deleted")
	for queue := []*storedObject{target}; len(queue) > 0; queue = queue[1:] {
		for _, dependent := range all.dependents[queue[0]] {
			if !dependent.gone && all.allGone(dependent) {
				s.remove(dependent, "deleted, as a dependent of "+target.ref.String())
				queue = append(queue, dependent)
			}
		}
	}
	s.disown(all)
}

// deleteInBackground has the same outcome as Delete, since nobody waits for it here.
var deleteInBackground = Spec{
	Name: "DeleteInBackground", Doc: "has the same outcome as Delete",
	Cascade: "background", compile: deleting(deleteCascading),
}

// deleteNonCascading removes the object; its dependents stay and lose their reference to it.
var deleteNonCascading = Spec{
	Name: "DeleteNonCascading", Doc: "removes the object but not its dependents, which lose their owner reference to it",
	Cascade: "orphan", compile: deleting(func(s *store, target *storedObject) {
		all := s.resolveOwners()
		s.remove(target, "deleted")
		s.disown(all)
	}),
}
