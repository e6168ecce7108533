package apply

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxTries is how often a patch is computed for an object that changes meanwhile.
const maxTries = 5

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

// Operations runs operations on the cluster, in order. The error is that of a kubectl that can't be
// run.
func (a *Applier) Operations(operations []applyoperations.Single) error {
	for _, op := range operations {
		if err := a.operation(op); err != nil {
			if !kubectl.IsExit(err) && !isConflict(err) {
				return err
			}
			a.failOperation(op, err)
		}
	}
	return nil
}

// conflictError is an object that was changed while it was patched.
type conflictError struct {
	cause error
}

func (e *conflictError) Error() string {
	return "conflict: the object was changed meanwhile: " + e.cause.Error()
}

func (e *conflictError) Unwrap() error { return e.cause }

func isConflict(err error) bool {
	_, ok := errors.AsType[*conflictError](err)
	return ok
}

// operation runs one operation on the live object, and sends the changes by kubectl.
func (a *Applier) operation(op applyoperations.Single) error {
	for try := 1; ; try++ {
		err := a.try(op)
		if err == nil || !isConflict(err) || op.IsLocked() || try == maxTries {
			return err
		}
	}
}

func (a *Applier) try(op applyoperations.Single) error {
	targets, err := a.targets(op.Target())
	if err != nil {
		return err
	}
	before := map[*object.Object]*target{}
	var items []*object.Object
	for _, t := range targets {
		before[t.object] = t
		items = append(items, t.object)
	}
	out, results := op.Run(items)
	if slices.ContainsFunc(results, func(r report.Result) bool { return r.Severity == report.SeverityError }) {
		a.failures = append(a.failures, results...)
		a.Tell(Outcome{Ref: op.Target(), Outcome: Failed})
		return nil
	}
	outcome := Unchanged
	for _, r := range results {
		if r.Tags["reason"] == report.ReasonNotThere {
			outcome = NotThere
			a.notes = append(a.notes, r)
		}
	}
	for _, o := range out {
		t := before[o]
		delete(before, o)
		switch {
		case t == nil:
			outcome = Created
			err = a.create(o)
		case o.Changed():
			outcome = Patched
			err = a.patch(op, t)
		}
		if err != nil {
			return err
		}
	}
	for _, t := range before {
		outcome = Deleted
		if err := a.delete(op, t); err != nil {
			return err
		}
	}
	a.Tell(Outcome{Ref: op.Target(), Outcome: outcome})
	return nil
}

// failOperation reports an operation that kubectl could not run.
func (a *Applier) failOperation(op applyoperations.Single, err error) {
	reason := report.ReasonOperationError
	if isConflict(err) {
		reason = report.ReasonOperationConflict
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(a.mask.Error(err)), "\n")
	a.failures = append(a.failures, report.Result{
		Message: op.Path() + ": " + first, Detail: rest, Severity: report.SeverityError, Ref: op.Target(),
		Field: report.Field{Path: op.Path()}, Tags: map[string]string{"reason": reason},
	})
	a.Tell(Outcome{Ref: op.Target(), Outcome: Failed})
}

// target is a live object that an operation names.
type target struct {
	object *object.Object
	before *tree.Node
	// kind and the rest name it for kubectl.
	kind, namespace, name, resourceVersion string
}

// targets reads the live objects of a name: one, none or, without apiVersion, one for each group.
func (a *Applier) targets(ref report.Ref) ([]*target, error) {
	live, err := a.Kubectl.GetNamed(ref)
	if err != nil {
		return nil, err
	}
	var targets []*target
	for _, there := range live {
		root := there.Root()
		named := report.RefOf(root)
		t := &target{
			kind: kindArg(named), namespace: named.Namespace, name: named.Name,
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
		a.mask = redact.New(t.before)
		targets = append(targets, t)
	}
	return targets, nil
}

// kindArg names a kind for kubectl: `Deployment.v1.apps`, `ConfigMap.v1.`.
func kindArg(ref report.Ref) string {
	group, version, found := strings.Cut(ref.APIVersion, "/")
	if !found {
		group, version = "", ref.APIVersion
	}
	return ref.Kind + "." + version + "." + group
}

// args are the arguments of a command on the object. Its name comes last, and can't be taken for a
// flag.
func (t *target) args(command string, flags ...string) []string {
	args := append([]string{command}, flags...)
	if t.namespace != "" {
		args = append(args, "--namespace="+t.namespace)
	}
	return append(args, "--", t.kind, t.name)
}

func (a *Applier) create(o *object.Object) error {
	a.mask = redact.New(o.Root())
	text, err := tree.MarshalJSON(o.Root())
	if err != nil {
		return err
	}
	args := append([]string{"create"}, a.common()...)
	if report.RefOf(o.Root()).Namespace == "" && a.Kubectl.Namespace != "" {
		args = append(args, "--namespace="+a.Kubectl.Namespace)
	}
	return a.change(text, append(args, "-f", "-"))
}

// delete deletes the object. A deletion in the foreground ends when the object is gone.
func (a *Applier) delete(op applyoperations.Single, t *target) error {
	flags := append([]string{"--cascade=" + op.Cascade(), "--ignore-not-found"}, a.dryRun()...)
	if op.Cascade() != Foreground {
		flags = append(flags, "--wait=false")
	} else if a.Timeout != "" {
		flags = append(flags, "--timeout="+a.Timeout)
	}
	return a.change(nil, t.args("delete", flags...))
}

// change runs kubectl to change something, unless nothing is to be sent.
func (a *Applier) change(stdin []byte, args []string) error {
	if a.DryRun == Client {
		return nil
	}
	_, err := a.Kubectl.Run(stdin, args...)
	return err
}

// Foreground is the deletion that waits for the dependents.
const Foreground = "foreground"

// patch sends the changes to the object as it was read: the API server refuses them if the object
// has changed since.
func (a *Applier) patch(op applyoperations.Single, t *target) error {
	a.mask = redact.New(t.before, t.object.Root())
	operations := append([]any{map[string]any{
		"op": "replace", "path": "/metadata/resourceVersion", "value": t.resourceVersion,
	}}, changes(t.before, t.object.Root(), "")...)
	text, err := tree.MarshalJSON(tree.FromValue(operations))
	if err != nil {
		return err
	}
	path, stdin, remove, err := patchFile(text)
	if err != nil {
		return err
	}
	defer remove()
	flags := append([]string{"--type=json", "--patch-file=" + path}, a.common()...)
	if op.IsStatus() {
		flags = append(flags, "--subresource=status")
	}
	err = a.change(stdin, t.args("patch", flags...))
	if err == nil || !kubectl.IsExit(err) {
		return err
	}
	now, getErr := a.Kubectl.GetNamed(report.RefOf(t.object.Root()))
	if getErr == nil && (len(now) == 0 || tree.GetString(now[0].Root(), "metadata", "resourceVersion") != t.resourceVersion) {
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
