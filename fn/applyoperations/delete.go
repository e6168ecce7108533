package applyoperations

import "github.com/krm-fields/krm-fields/internal/krm/report"

var deleteInForeground = Spec{
	Name: "Delete", Doc: "removes the object and then its dependents",
	Cascade: "foreground", compile: deleting(deleteCascading),
}

// deleting returns what compiles a deletion.
func deleting(remove func(s *store, target *entry)) func(*compiler, *operation, Operation, payload) {
	return func(_ *compiler, op *operation, _ Operation, _ payload) { op.act = deleteWith(remove, op.target) }
}

// deleteWith deletes the object; one that is not there needs no deletion.
func deleteWith(remove func(s *store, target *entry), ref report.Ref) action {
	return func(s *store, target *entry) error {
		if target == nil {
			s.noteAbsence(ref)
			return nil
		}
		remove(s, target)
		return nil
	}
}

// deleteCascading removes the object, and then each dependent that has no owner left in the store.
// The others of its dependents lose the references to what went.
func deleteCascading(s *store, target *entry) {
	all := s.whoOwns()
	s.remove(target, "deleted")
	for queue := []*entry{target}; len(queue) > 0; queue = queue[1:] {
		for _, dependent := range all.dependents[queue[0]] {
			if !dependent.gone && all.allGone(dependent) {
				s.remove(dependent, "deleted, as a dependent of "+target.ref.String())
				queue = append(queue, dependent)
			}
		}
	}
	s.disown(all)
}
