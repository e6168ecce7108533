package kubectl

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// stdinFile is the name of stdin as a file, on systems that have one.
var stdinFile = "/dev/stdin"

// patchFile returns the file from which kubectl patch reads a patch, and its stdin: an argument
// would show the patch to all users of the machine. If stdin is not a file, it is a file that only
// this user may read, which remove deletes.
func patchFile(patch []byte) (path string, stdin []byte, remove func(), err error) {
	if _, err := os.Stat(stdinFile); err == nil {
		return stdinFile, patch, func() {}, nil
	}
	file, err := os.CreateTemp("", "krm-fields-*.json") // with mode 0600
	if err != nil {
		return "", nil, nil, err
	}
	remove = func() { _ = os.Remove(file.Name()) } // it is a temporary file in any case
	_, err = file.Write(patch)
	if err := errors.Join(err, file.Close()); err != nil {
		remove()
		return "", nil, nil, err
	}
	return file.Name(), nil, remove, nil
}

var (
	managedFieldsAt = location.Location{location.Key("metadata"), location.Key("managedFields")}
	namespaceAt     = location.Location{location.Key("metadata"), location.Key("namespace")}
)

// Operations runs operations on the cluster, in order. It ends early if ctx is done or the API
// server is gone. The error is that of a kubectl that can't be run.
func (a *Applier) Operations(ctx context.Context, operations []applyoperations.Single) error {
	for _, op := range operations {
		if !a.mayGoOn(ctx) {
			a.leaveOut(op.Target)
			continue
		}
		began := time.Now()
		done, err := a.operation(ctx, op)
		if err != nil {
			_, isUnknown := errors.AsType[*UnknownKindError](err)
			_, hasFailed := errors.AsType[*resultsError](err)
			if !isUnknown && !hasFailed && !isConflict(err) && !IsExit(err) {
				return err // others can't go on either
			}
			done.Outcome = Failed
			a.failOperation(op.Path, done.Ref, err)
			a.isGone = IsExit(err) && !isConflict(err) && !a.Kubectl.IsReachable()
		}
		a.Metrics.add(op.Name, done.Outcome, isConflict(err), time.Since(began))
		a.Tell(done)
	}
	return nil
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

// operation runs one operation, and again after a conflict unless it asks for a resourceVersion.
func (a *Applier) operation(ctx context.Context, op applyoperations.Single) (Outcome, error) {
	last := time.Now().Add(a.RetryTimeout)
	for longest := firstPause; ; longest = min(2*longest, longestPause) {
		done, err := a.try(op)
		pause := longest/2 + rand.N(longest/2)
		if !isConflict(err) || op.ResourceVersion != "" || time.Now().Add(pause).After(last) {
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
	op = op.For(resolved)
	if len(targets) == 1 && op.Raw != nil {
		done.Outcome, err = a.patchRaw(op, targets[0])
		return done, err
	}
	before := map[*object.Object]*target{}
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
	for _, o := range out {
		t, isKnown := before[o]
		delete(before, o)
		switch {
		case !isKnown:
			done.Outcome = Created
			done.Ref.Name, err = a.create(o)
		case t != nil && o.Changed():
			done.Outcome = Patched
			err = a.patchRead(op, t)
		}
		if err != nil {
			return done, err
		}
	}
	for _, t := range before {
		done.Outcome = Deleted
		if err := a.delete(op, t); err != nil {
			return done, err
		}
	}
	return done, nil
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
	first, rest, _ := strings.Cut(strings.TrimSpace(a.mask.Error(err)), "\n")
	a.failures = append(a.failures, report.Result{
		Message: path + ": " + first, Detail: rest, Severity: report.SeverityError, Ref: ref,
		Field: report.Field{Path: path}, Tags: map[string]string{"reason": reason},
	})
}

// AreConflicts tells whether there are errors, and all are conflicts of operations.
func (a *Applier) AreConflicts() bool { return len(a.errors()) > 0 && areConflicts(a.errors()) }

// target is a live object that an operation names.
type target struct {
	object *object.Object
	before *tree.Node
	// kind and the rest name it for kubectl.
	kind, namespace, name, resourceVersion string
}

// targets reads the live objects of a name: one, none or, without apiVersion, one for each group.
// It also returns the name with the kind and apiVersion that the cluster has for it.
func (a *Applier) targets(ref report.Ref) ([]*target, report.Ref, error) {
	if ref.Name == "" {
		return nil, ref, nil // the API server makes it
	}
	live, kinds, err := a.Kubectl.GetNamed(ref)
	if len(kinds) == 1 {
		ref.APIVersion, ref.Kind = kinds[0].APIVersion, kinds[0].Kind
	}
	if err != nil {
		return nil, ref, err
	}
	var targets []*target
	for _, there := range live {
		t, err := newTarget(there, ref)
		if err != nil {
			return nil, ref, err
		}
		a.mask = redact.New(t.before)
		targets = append(targets, t)
	}
	if len(targets) > 0 {
		ref.Kind = report.RefOf(live[0].Root()).Kind
	}
	return targets, ref, nil
}

func newTarget(there *object.Object, ref report.Ref) (*target, error) {
	root := there.Root()
	named := report.RefOf(root)
	t := &target{
		kind: KindArg(named), namespace: named.Namespace, name: named.Name,
		resourceVersion: tree.GetString(root, "metadata", "resourceVersion"),
	}
	gone := []location.Location{managedFieldsAt}
	if ref.Namespace == "" {
		gone = append(gone, namespaceAt) // the operation names none, and means kubectl's
	}
	gone = slices.DeleteFunc(gone, func(l location.Location) bool { return location.At(root, l) == nil })
	o := object.NewDocument(tree.Copy(root))
	if len(gone) > 0 {
		o.Remove(gone)
	}
	text, err := o.Text()
	if err != nil {
		return nil, err
	}
	if t.object, err = object.ParseDocument(text); err != nil {
		return nil, err
	}
	t.before = tree.Copy(t.object.Root())
	return t, nil
}

// maxNeighbours bounds the names of the cluster that are compared with one that does not exist, as
// one of them may be meant.
const maxNeighbours = 10_000

func (a *Applier) hasStatus(ref report.Ref) bool {
	var known schema.Schemas
	if kind := known.Kind(schema.ParseGVK(ref.APIVersion, ref.Kind)); kind.Origin == schema.Kubernetes {
		return kind.StatusSubresource
	}
	return a.Kubectl.HasStatus(ref)
}

// args are those of a command on the object, whose name can't be taken for a flag.
func (t *target) args(command string, flags ...string) []string {
	return slices.Concat([]string{command}, flags, Option("--namespace=", t.namespace), []string{"--", t.kind, t.name})
}

// create creates an object and returns its name, which the API server may make.
func (a *Applier) create(o *object.Object) (name string, err error) {
	a.mask = redact.New(o.Root())
	text, err := tree.MarshalJSON(o.Root())
	if err != nil {
		return "", err
	}
	args := slices.Concat([]string{"create"}, a.common(), a.Kubectl.Groups([]*object.Object{o})[0].Args)
	if name = report.RefOf(o.Root()).Name; name != "" {
		_, err = a.change(text, append(args, "-f", "-"))
		return name, err
	}
	made, err := a.change(text, append(args, "-o", "jsonpath={.metadata.name}", "-f", "-"))
	return string(made), err
}

// delete deletes the object. A deletion in the foreground ends when the object is gone.
func (a *Applier) delete(op applyoperations.Single, t *target) error {
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
	return a.Kubectl.Run(stdin, args...)
}

// Foreground is the deletion that waits for the dependents.
const Foreground = "foreground"

// patchRaw sends a patch as it is written, so that it succeeds however often the object changes. A
// resourceVersion that the operation asks for is part of it.
func (a *Applier) patchRaw(op applyoperations.Single, t *target) (string, error) {
	if op.IsOfStatusAlone() && a.hasStatus(op.Target) {
		a.notes = append(a.notes, op.StatusAlone())
		return NotThere, nil
	}
	patch, version := tree.Value(op.Raw), op.ResourceVersion
	form := "merge"
	switch body := patch.(type) {
	case []any:
		form = "json"
		if version != "" {
			patch = append([]any{replaceVersion(version)}, body...)
		}
	case map[string]any:
		if version != "" {
			metadata, _ := body["metadata"].(map[string]any)
			body["metadata"] = maps.Collect(maps.All(metadata))
			body["metadata"].(map[string]any)["resourceVersion"] = version
		}
	}
	now, err := a.patch(op, t, form, patch)
	switch {
	case err != nil:
		return Failed, a.asConflict(err, t, version)
	case now == t.resourceVersion:
		return Unchanged, nil
	}
	return Patched, nil
}

func replaceVersion(version string) map[string]any {
	return map[string]any{"op": "replace", "path": "/metadata/resourceVersion", "value": version}
}

// patchRead sends changes that the API server refuses if the object has changed since it was read.
func (a *Applier) patchRead(op applyoperations.Single, t *target) error {
	a.mask = redact.New(t.before, t.object.Root())
	patch := append([]any{replaceVersion(t.resourceVersion)}, changes(t.before, t.object.Root(), "")...)
	_, err := a.patch(op, t, "json", patch)
	return a.asConflict(err, t, t.resourceVersion)
}

// patch sends a patch and returns the resourceVersion of the result.
func (a *Applier) patch(op applyoperations.Single, t *target, form string, patch any) (string, error) {
	text, err := tree.MarshalJSON(tree.FromValue(patch))
	if err != nil {
		return "", err
	}
	path, stdin, remove, err := patchFile(text)
	if err != nil {
		return "", err
	}
	defer remove()
	flags := append([]string{"--type=" + form, "--patch-file=" + path, "-o", "jsonpath={.metadata.resourceVersion}"}, a.common()...)
	if op.IsStatus {
		flags = append(flags, "--subresource=status")
	}
	now, err := a.change(stdin, t.args("patch", flags...))
	return string(now), err
}

// asConflict returns an error as a conflict where the object no longer has the resourceVersion.
func (a *Applier) asConflict(err error, t *target, version string) error {
	if err == nil || version == "" || !IsExit(err) {
		return err
	}
	// kubectl prints the reason of the API server (409) in brackets.
	if failed, ok := errors.AsType[*Error](err); ok && strings.Contains(failed.Stderr, "Error from server (Conflict)") {
		return &conflictError{cause: err}
	}
	now, _, getErr := a.Kubectl.GetNamed(report.RefOf(t.object.Root()))
	if getErr == nil && (len(now) == 0 || tree.GetString(now[0].Root(), "metadata", "resourceVersion") != version) {
		return &conflictError{cause: err}
	}
	return err
}

// changes returns the JSON Patch that turns one map into another.
func changes(before, after *tree.Node, at string) []any {
	was, is := maps.Collect(tree.Entries(before)), maps.Collect(tree.Entries(after))
	var operations []any
	for _, key := range slices.Sorted(maps.Keys(was)) {
		path := at + "/" + location.EscapePointer(key)
		now, ok := is[key]
		switch {
		case !ok:
			operations = append(operations, map[string]any{"op": "remove", "path": path})
		case tree.Equal(was[key], now):
		case tree.IsMap(was[key]) && tree.IsMap(now):
			operations = append(operations, changes(was[key], now, path)...)
		default:
			operations = append(operations, map[string]any{"op": "replace", "path": path, "value": tree.Value(now)})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(is)) {
		if _, ok := was[key]; !ok {
			path := at + "/" + location.EscapePointer(key)
			operations = append(operations, map[string]any{"op": "add", "path": path, "value": tree.Value(is[key])})
		}
	}
	return operations
}
