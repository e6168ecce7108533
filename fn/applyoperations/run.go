package applyoperations

import (
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// run is one run of the kind over a list.
type run struct {
	store *store
	// failed are the objects on which an operation failed. Later operations on them only check
	// their locks.
	failed    map[*storedObject]bool
	conflicts int
	errors    []report.Result
}

// Run runs the functionConfig on the items. It returns the items that come out and the results;
// where a result is an error, the items are of no use.
func Run(functionConfig *tree.Node, items []*object.Object, mask *redact.Mask) ([]*object.Object, []report.Result) {
	operations, limits, faults := compile(functionConfig, false, mask)
	if len(faults) > 0 {
		return items, report.FaultResults(faults, report.RefOf(functionConfig), report.FileOf(functionConfig))
	}
	r := newRun(items, false)
	left, results := r.all(operations, limits, items)
	if len(r.errors) == 0 {
		r.write(limits)
	}
	if len(r.errors) > 0 {
		return items, r.errorResults()
	}
	return left, results
}

func newRun(items []*object.Object, plainStatus bool) *run {
	r := &run{store: newStore(items), failed: map[*storedObject]bool{}}
	r.store.plainStatus = plainStatus
	return r
}

// all runs compiled operations.
func (r *run) all(operations []operation, limits guard.What, items []*object.Object) ([]*object.Object, []report.Result) {
	if r.runEach(operations, limits); len(r.errors) > 0 {
		return items, r.errorResults()
	}
	return r.store.objects(), r.store.results()
}

// write writes the changed objects, each within the limits of the operations.
func (r *run) write(limits guard.What) {
	failures := make([]error, len(r.store.changed))
	_ = parallel.Each(len(failures), func(i int) error { // each has its own error
		failures[i] = r.store.changed[i].write(limits)
		return nil
	})
	for i, err := range failures {
		if e := r.store.changed[i]; err != nil {
			r.fail(underWay{operation: e.last, object: e}, err)
		}
	}
}

// write writes the object, whose data must not be read meanwhile.
func (e *storedObject) write(limits guard.What) error {
	if e.gone {
		return nil
	}
	limits.Reporter = underWay{operation: e.last}
	work := guard.Enter(limits)
	defer work.Leave()
	err := e.object.Flush()
	if err == nil {
		_, err = e.object.Pieces() // a created object is not flushed
	}
	if limit := work.Check(); limit != nil {
		return limit
	}
	return err
}

// runEach runs the operations one after the other, and reports their failures. A limit ends it.
func (r *run) runEach(operations []operation, limits guard.What) {
	limits.Reporter = guard.ReporterFunc(func(err error) report.Result { return r.store.current.Load().Report(err) })
	work := guard.Enter(limits)
	defer work.Leave()
	for _, op := range operations {
		current := underWay{operation: op}
		r.store.current.Store(&current)
		target, err := r.store.find(op)
		if err == nil {
			current.object = target
			err = op.checkLock(target)
		}
		if err == nil && !r.failed[target] {
			err = op.act(r.store, target)
		}
		if err == nil && work.Done() != nil {
			err = work.Err()
		}
		if err != nil {
			r.fail(current, err)
		}
		if guard.IsLimit(err) {
			return
		}
	}
	if err := work.Check(); err != nil {
		r.fail(*r.store.current.Load(), err)
	}
}

// checkLock checks that the object has the operation's resourceVersion. The error is a
// *conflictError.
func (op operation) checkLock(target *storedObject) error {
	if op.ResourceVersion == "" || target == nil {
		return nil
	}
	found := tree.GetString(target.object.Root(), "metadata", "resourceVersion")
	if found == op.ResourceVersion || found == "" && op.isSnapshot {
		return nil
	}
	return &conflictError{target: target.ref, want: op.ResourceVersion, found: found}
}

// conflictError reports an object that has changed since the operation was written.
type conflictError struct {
	target      report.Ref
	want, found string
}

func (e *conflictError) Error() string {
	found := "found none"
	if e.found != "" {
		found = fmt.Sprintf("found %q", e.found)
	}
	return fmt.Sprintf("conflict: the resourceVersion of %s must be %q, %s", e.target, e.want, found)
}

// fail records a failure.
func (r *run) fail(current underWay, err error) {
	if _, ok := errors.AsType[*conflictError](err); ok {
		r.conflicts++
	}
	if current.object != nil {
		r.failed[current.object] = true
	}
	r.errors = append(r.errors, current.Report(err))
}

// underWay is an operation on an object, nil if it does not exist.
type underWay struct {
	operation
	object *storedObject
}

// Report implements guard.Reporter.
func (u underWay) Report(err error) report.Result {
	op, target := u.operation, u.object
	result := report.New(report.SeverityError, report.ReasonOperationError, "").Of(op.Target, report.File{}).At(op.Path)
	if _, ok := errors.AsType[*conflictError](err); ok {
		result.Tags["reason"] = report.ReasonOperationConflict
	}
	if e, ok := errors.AsType[*filterError](err); ok {
		maps.Copy(result.Tags, filterTags(e.filter))
	} else if e, ok := errors.AsType[*guard.LimitError](err); ok && op.hasFilter {
		maps.Copy(result.Tags, filterTags(e.Text))
	}
	mask, hasSecret := op.mask, false
	if target != nil {
		result.Ref, result.File = target.ref, target.object.File()
		mask = mask.With(target.object.Root())
		hasSecret = redact.Of(target.object.Original(), target.object.Root()).HasSecret()
	}
	result.Message = op.Path + ": " + mask.Error(err, hasSecret)
	return result.Redacted(mask)
}

// errorResults returns the errors; where there were conflicts, with their number.
func (r *run) errorResults() []report.Result {
	if r.conflicts > 0 {
		for _, result := range r.errors {
			result.Tags["conflicts"] = strconv.Itoa(r.conflicts)
		}
	}
	return r.errors
}
