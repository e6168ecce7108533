package kubectl

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Foreground is the deletion that waits for the dependents.
const Foreground = "foreground"

// Operations runs operations on the cluster, in order.
func (a *Applier) Operations(ctx context.Context, operations []applyoperations.Single) {
	if a.refuse(operations) {
		return
	}
	for _, op := range operations {
		a.carryOut(ctx, task{
			ref: op.Target, name: op.Name, isOnce: op.ResourceVersion != "",
			try:  func() (Outcome, error) { return a.try(op) },
			fail: func(of report.Ref, err error) { a.failOperation(op.Path, of, err) },
		})
	}
}

// task is something that changes one object on the cluster: an operation or an edit.
type task struct {
	ref report.Ref
	// name is that of an operation.
	name string
	// isOnce is true for what is not tried again after a conflict.
	isOnce bool
	try    func() (Outcome, error)
	// fail reports the error.
	fail func(of report.Ref, err error)
}

// carryOut carries out a task, unless ctx is done, the API server is gone, or kubectl can't be run.
func (a *Applier) carryOut(ctx context.Context, t task) {
	if !a.mayGoOn(ctx) {
		a.leaveOutTask(t)
		return
	}
	began := time.Now()
	done, err := a.retry(ctx, t)
	if _, isInterrupt := errors.AsType[*InterruptError](err); isInterrupt {
		a.stopped = stoppedBy(err)
		a.leaveOutTask(t)
		return
	}
	if err != nil {
		done.Outcome = Failed
		t.fail(done.Ref, err)
		a.stopAfter(err)
	}
	a.Metrics.add(t.name, done.Outcome, isConflict(err), time.Since(began))
	a.Tell(done)
}

// stopAfter notes whether others can go on after the error of a task.
func (a *Applier) stopAfter(err error) {
	_, isUnknown := errors.AsType[*UnknownKindError](err)
	_, hasFailed := errors.AsType[*resultsError](err)
	_, isOfObject := errors.AsType[*editError](err)
	switch {
	case isUnknown, hasFailed, isOfObject, isConflict(err):
	case !IsExit(err):
		a.stopped = "kubectl can't be run" // so others can't go on either
	case !a.Kubectl.isReachable():
		a.stopped = serverGone
	}
}

func (a *Applier) leaveOutTask(t task) {
	a.Metrics.add(t.name, NotSent, false, 0)
	a.leaveOut(t.ref)
}

// refuse fails the operations on namespaced kinds that name no namespace, before anything is sent.
// It tells whether there are any; then the others are not sent.
func (a *Applier) refuse(operations []applyoperations.Single) bool {
	faults := make([]error, len(operations))
	var known []Resource
	for i, op := range operations {
		if op.Target.Namespace != "" || a.Kubectl.Namespace != "" {
			continue
		}
		if known == nil {
			known, _ = a.Kubectl.Resources() // a kind that can't be read fails later
		}
		for _, r := range known {
			if r.Namespaced && r.isMeant(op.Target) {
				faults[i] = &applyoperations.NamespaceError{Kind: r.GroupKind.Kind}
			}
		}
	}
	if !slices.ContainsFunc(faults, func(err error) bool { return err != nil }) {
		return false
	}
	a.stopped = "another operation names no namespace"
	for i, op := range operations {
		if faults[i] == nil {
			a.leaveOutTask(task{ref: op.Target, name: op.Name})
			continue
		}
		a.failOperation(op.Path, op.Target, faults[i])
		a.Metrics.add(op.Name, Failed, false, 0)
		a.Tell(Outcome{Ref: op.Target, Outcome: Failed})
	}
	return true
}

// conflictError is an object that was changed while it was patched.
type conflictError struct{ cause error }

func (e *conflictError) Error() string {
	return "conflict: the object was changed meanwhile: " + e.cause.Error()
}

func (e *conflictError) Unwrap() error { return e.cause }

// resultsError is an operation that failed on the object as it was read.
type resultsError struct{ results []report.Result }

func (e *resultsError) Error() string { return e.results[0].Message }

func isConflict(err error) bool {
	if failed, ok := errors.AsType[*resultsError](err); ok {
		return areConflicts(failed.results)
	}
	_, ok := errors.AsType[*conflictError](err)
	return ok
}

func areConflicts(results []report.Result) bool {
	return !slices.ContainsFunc(results, func(r report.Result) bool { return r.Tags["reason"] != report.ReasonOperationConflict })
}

// The pauses between the tries of an operation that conflicts: they double, and vary by half.
const (
	firstPause   = 20 * time.Millisecond
	longestPause = 500 * time.Millisecond
)

// retry tries a task again after each conflict, until the time for that is over.
func (a *Applier) retry(ctx context.Context, t task) (Outcome, error) {
	last := time.Now().Add(a.RetryTimeout)
	for longest := firstPause; ; longest = min(2*longest, longestPause) {
		done, err := t.try()
		pause := longest/2 + rand.N(longest/2)
		if t.isOnce || !isConflict(err) || time.Now().Add(pause).After(last) {
			return done, err
		}
		select {
		case <-ctx.Done():
			return done, err
		case <-time.After(pause):
			a.Metrics.retries++
		}
	}
}

// try runs an operation on the object as it is now, and sends the changes by kubectl.
func (a *Applier) try(op applyoperations.Single) (Outcome, error) {
	targets, resolved, err := a.targets(op.Target)
	done := Outcome{Ref: resolved, Outcome: Unchanged}
	if err != nil {
		return done, err
	}
	if len(targets) == 1 && targets[0].namespace == "" && resolved.Namespace != "" { // the kind is cluster-scoped
		if op.NeedsObject {
			targets = nil // the operation means none of the cluster
		} else {
			resolved.Namespace = "" // the API server ignores that of an object
		}
	}
	op = op.For(resolved)
	if len(targets) == 1 && op.Raw != nil {
		done.Outcome, err = a.patchRaw(op, targets[0])
		return done, err
	}
	before := map[*object.Object]*liveTarget{}
	var items []*object.Object
	for _, t := range targets {
		before[t.object] = t
		items = append(items, t.object)
	}
	if len(targets) == 0 && op.NeedsObject {
		for _, name := range a.Kubectl.Names(resolved, maxNeighbours) {
			if name != resolved { // else it was created meanwhile
				items = append(items, object.NewDocument(Named(name)))
				before[items[len(items)-1]] = nil
			}
		}
	}
	out, results, err := a.run(op, items, len(targets) > 0)
	if err != nil {
		return done, err
	}
	if slices.ContainsFunc(results, func(r report.Result) bool { return r.Tags["reason"] == report.ReasonNotThere }) {
		done.Outcome = NotThere
	}
	err = a.sendChanges(op, before, out, &done)
	return done, err
}

// sendChanges sends what an operation has done: before are the objects that went into it, and out
// those that came out.
func (a *Applier) sendChanges(op applyoperations.Single, before map[*object.Object]*liveTarget, out []*object.Object, done *Outcome) (err error) {
	for _, o := range out {
		t, isKnown := before[o]
		delete(before, o)
		switch {
		case !isKnown:
			done.Outcome = Created
			if done.Ref.Name, err = a.create(o); isRefused(err, "AlreadyExists") {
				err = &conflictError{cause: err} // it was created meanwhile
			}
		case t != nil && o.Changed():
			done.Outcome = Patched
			err = a.patchRead(op, t)
		}
		if err != nil {
			return err
		}
	}
	for _, t := range before {
		done.Outcome = Deleted
		if err := a.delete(op, t); err != nil {
			return err
		}
	}
	return nil
}

// run runs an operation on what was read, and notes what does not exist: for a patch of the status
// alone, that depends on whether the kind has it as a subresource.
func (a *Applier) run(op applyoperations.Single, items []*object.Object, isThere bool) ([]*object.Object, []report.Result, error) {
	out, results := op.Run(items, false)
	isNote := func(r report.Result) bool { return r.Tags["reason"] == report.ReasonNotThere }
	if isThere && slices.ContainsFunc(results, isNote) && !a.hasStatus(op.Target) {
		out, results = op.Run(items, true)
	}
	if slices.ContainsFunc(results, func(r report.Result) bool { return r.Severity == report.SeverityError }) {
		return nil, nil, &resultsError{results: results}
	}
	a.notes = append(a.notes, slices.DeleteFunc(slices.Clone(results), func(r report.Result) bool { return !isNote(r) })...)
	return out, results, nil
}

func (a *Applier) failOperation(path string, ref report.Ref, err error) {
	if failed, ok := errors.AsType[*resultsError](err); ok {
		a.failures = append(a.failures, failed.results...)
		return
	}
	reason := report.ReasonOperationError
	if isConflict(err) {
		reason = report.ReasonOperationConflict
	}
	result := failure(path+": "+strings.TrimSpace(err.Error())).Of(ref, report.File{}).At(path)
	result.Tags["reason"] = reason
	a.failures = append(a.failures, result)
}

// AreConflicts tells whether there are errors, and all are conflicts of operations.
func (a *Applier) AreConflicts() bool { return len(a.errors()) > 0 && areConflicts(a.errors()) }

// maxNeighbours bounds the names of the cluster that are compared with one that does not exist, as
// one of them may be meant.
const maxNeighbours = 10_000

// create creates an object and returns its name, which the API server may make.
func (a *Applier) create(o *object.Object) (name string, err error) {
	a.Kubectl.Mask.Add(o.Root())
	text, err := tree.MarshalJSON(o.Root())
	if err != nil {
		return "", err
	}
	args := slices.Concat([]string{"create"}, a.common(), a.Kubectl.groups([]*object.Object{o}, 1)[0].Args)
	if name = report.RefOf(o.Root()).Name; name != "" {
		_, err = a.change(text, append(args, "-f", "-"))
		return name, err
	}
	made, err := a.change(text, append(args, "-o", "jsonpath={.metadata.name}", "-f", "-"))
	return string(made), err
}

// delete deletes the object. A deletion in the foreground ends when the object is gone.
func (a *Applier) delete(op applyoperations.Single, t *liveTarget) error {
	flags := append([]string{"--cascade=" + op.Cascade, "--ignore-not-found"}, a.dryRun()...)
	if op.Cascade != Foreground {
		flags = append(flags, "--wait=false")
	} else {
		flags = append(flags, Option("--timeout=", a.Timeout)...)
	}
	_, err := a.change(nil, t.args("delete", flags...))
	return err
}

// change runs kubectl to change something, unless nothing is to be sent.
func (a *Applier) change(stdin []byte, args []string) ([]byte, error) {
	if a.DryRun == Client {
		return nil, nil
	}
	stdout, err := a.Kubectl.Run(stdin, args...)
	return stdout, unlessDone(err)
}
