package applyoperations

import "github.com/krm-fields/krm-fields/fn/report"

// cascades are what kubectl delete takes as --cascade.
var cascades = map[string]string{
	opDelete: "foreground", opDeleteInBackground: "background", opDeleteNonCascading: "orphan",
}

// delete compiles Delete, DeleteInBackground and DeleteNonCascading.
func (c *compiler) delete(op *operation, o Operation, name string) {
	c.noStatus(o, name, op.path)
	c.payload(o, name, op.path)
	c.named(o, op.path)
	op.cascade = cascades[name]
	remove := deleteCascading
	if name == opDeleteNonCascading {
		remove = deleteOrphaning
	}
	op.act = deleteWith(remove, op.target)
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

// deleteCascading removes the object, and then each dependent that has no owner
// left in the store. The others of its dependents lose the references to what
// went.
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

// deleteOrphaning removes the object; its dependents stay and lose the
// reference to it.
func deleteOrphaning(s *store, target *entry) {
	all := s.whoOwns()
	s.remove(target, "deleted")
	s.disown(all)
}
