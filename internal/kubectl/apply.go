package kubectl

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Outcomes of an object.
const (
	Created   = "created"
	Applied   = "applied"
	Patched   = "patched"
	Deleted   = "deleted"
	Pruned    = "pruned"
	Unchanged = "unchanged"
	NotThere  = "not there"
	NotSent   = "not sent"
	Failed    = "failed"
)

// Kinds of dry runs.
const (
	Client = "client"
	Server = "server"
)

// Outcome is the outcome for one object.
type Outcome struct {
	Ref     report.Ref
	Outcome string
}

// Applier applies objects: a package by server-side apply, and operations by kubectl's create,
// delete and patch. Failures are reported, and the rest is applied.
type Applier struct {
	Kubectl Kubectl
	// FieldManager is the field manager of the applies; "" for kubectl's default.
	FieldManager string
	// ForceConflicts takes over fields that other managers own.
	ForceConflicts bool
	// DryRun is Server if the API server validates everything and stores nothing, Client if nothing
	// is sent.
	DryRun string
	// Live returns the live object for one of the package; nil if the cluster has none.
	Live func(*object.Object) *object.Object
	// Prune are kubectl's flags for pruning.
	Prune []string
	// Tell is called with the outcome of each object as soon as it is known.
	Tell func(Outcome)

	// RetryTimeout is how long an operation is tried again after conflicts.
	RetryTimeout time.Duration
	// Metrics counts the operations.
	Metrics Metrics
	// Timeout is how long a deletion in the foreground may take, in kubectl's notation; "" for
	// kubectl's default.
	Timeout string

	// isGone is true if the API server no longer answers, and notSent counts what was left out.
	isGone  bool
	notSent int
	// definitions are the CustomResourceDefinitions that were applied, as kubectl names them.
	definitions []string
	// failures are the errors, notes the operations without an object.
	failures, notes []report.Result
	// mask hides the Secret of the current operation.
	mask redact.Mask
}

// Results are what is to be told beside the outcomes: the operations whose object does not exist,
// which is no error for them, then the errors, one for each object, and one for what was not sent.
func (a *Applier) Results() []report.Result { return slices.Concat(a.notes, a.errors()) }

func (a *Applier) errors() []report.Result {
	if a.notSent == 0 {
		return a.failures
	}
	why := "interrupted"
	if a.isGone {
		why = "the API server no longer answers"
	}
	return append(slices.Clip(a.failures), report.New(report.SeverityError, report.ReasonApplyError, fmt.Sprintf("%s: not sent: %d", why, a.notSent)))
}

// Fail reports an object that failed.
func (a *Applier) Fail(o *object.Object, err error) {
	roots := []*tree.Node{o.Original(), o.Root()}
	if live := a.Live(o); live != nil {
		roots = append(roots, live.Root())
	}
	ref := report.RefOf(o.Root())
	first, rest, _ := strings.Cut(strings.TrimSpace(redact.New(roots...).Error(err)), "\n")
	a.failures = append(a.failures, report.Result{
		Message: first, Detail: rest, Severity: report.SeverityError, Ref: ref, File: o.File(),
		Tags: map[string]string{"reason": report.ReasonApplyError},
	})
	a.Tell(Outcome{Ref: ref, Outcome: Failed})
}

// Apply applies the objects, many at once; the remaining ones of a call that fails are applied one
// by one, so that each has its own error. It ends early if ctx is done or the API server is gone.
// The error is that of a kubectl that can't be run.
func (a *Applier) Apply(ctx context.Context, objects []*object.Object) error {
	groups := a.Kubectl.Groups(objects)
	if len(a.Prune) > 0 && len(objects) > 0 { // kubectl would delete the objects of another group
		groups = []Group{{Objects: objects, Args: Option("--namespace=", a.Kubectl.Namespace)}}
	}
	for _, group := range groups {
		b := newBatch(a, group.Objects)
		if a.mayGoOn(ctx) {
			err := a.send(group, a.Prune, b.line)
			switch {
			case err == nil:
				for _, o := range b.rest() {
					b.done(o)
				}
			case !IsExit(err):
				return err
			case len(group.Objects) == 1:
				b.failed(group.Objects[0], err)
			default:
				b.oneByOne(ctx)
			}
		}
		for _, o := range b.rest() {
			a.leaveOut(report.RefOf(o.Root()))
		}
	}
	return nil
}

func (a *Applier) mayGoOn(ctx context.Context) bool { return ctx.Err() == nil && !a.isGone }

// leaveOut reports that something is not sent.
func (a *Applier) leaveOut(ref report.Ref) {
	a.Tell(Outcome{Ref: ref, Outcome: NotSent})
	a.notSent++
}

// common are the flags of every kubectl command that changes something.
func (a *Applier) common() []string {
	return append(a.dryRun(), Option("--field-manager=", a.FieldManager)...)
}

func (a *Applier) dryRun() []string {
	if a.DryRun != Server {
		return nil
	}
	return []string{"--dry-run=server"}
}

// send runs kubectl apply, and calls line with each line that it prints.
func (a *Applier) send(group Group, flags []string, line func(string)) error {
	if a.DryRun == Client {
		return nil
	}
	var text bytes.Buffer
	text.WriteString("---\n") // a stream that begins with JSON is one of JSON alone to kubectl
	if err := manifests.WriteStream(&text, group.Objects); err != nil {
		return err
	}
	args := append([]string{"apply", "--server-side"}, a.common()...)
	if a.ForceConflicts {
		args = append(args, "--force-conflicts")
	}
	args = slices.Concat(args, flags, group.Args, []string{"-f", "-"})
	return a.Kubectl.RunLines(text.Bytes(), line, args...)
}

// batch parses what kubectl apply prints: a line for each object, with its kind and name alone.
type batch struct {
	*Applier
	objects []*object.Object
	byName  map[string][]*object.Object
	lines   map[string]int
	told    map[*object.Object]bool
}

func newBatch(a *Applier, objects []*object.Object) *batch {
	b := &batch{
		Applier: a, objects: objects,
		byName: map[string][]*object.Object{}, lines: map[string]int{}, told: map[*object.Object]bool{},
	}
	for _, o := range objects {
		name := printedName(o)
		b.byName[name] = append(b.byName[name], o)
	}
	return b
}

// printedName is the name of an object in kubectl's output: `deployment.apps/web`.
func printedName(o *object.Object) string {
	identity := selector.Of(o.Root())
	name := strings.ToLower(identity.Kind)
	if identity.Group != "" {
		name += "." + identity.Group
	}
	return name + "/" + identity.Name
}

// line parses a line of kubectl: `deployment.apps/web serverside-applied`, `configmap/old pruned`.
// Of objects with one name in several namespaces, it is only known that all were applied, when
// there are as many lines.
func (b *batch) line(line string) {
	name, did, _ := strings.Cut(line, " ")
	if verb, _, _ := strings.Cut(did, " "); verb == Pruned {
		kind, name, _ := strings.Cut(name, "/")
		b.Tell(Outcome{Ref: report.Ref{Kind: kind, Name: name}, Outcome: Pruned})
		return
	}
	b.lines[name]++
	if objects := b.byName[name]; b.lines[name] == len(objects) {
		for _, o := range objects {
			b.done(o)
		}
	}
}

// done reports, once, that an object was applied.
func (b *batch) done(o *object.Object) {
	if b.told[o] {
		return
	}
	b.told[o] = true
	if name := printedName(o); strings.HasPrefix(name, "customresourcedefinition.apiextensions.k8s.io/") {
		b.definitions = append(b.definitions, name)
	}
	outcome := Created
	if b.Live(o) != nil {
		outcome = Applied
	}
	b.Tell(Outcome{Ref: report.RefOf(o.Root()), Outcome: outcome})
}

// failed reports an object that failed, and asks whether the API server is still there.
func (b *batch) failed(o *object.Object, err error) {
	b.told[o] = true
	b.Fail(o, err)
	b.isGone = b.isGone || !b.Kubectl.IsReachable()
}

// rest are the objects that may not have been applied.
func (b *batch) rest() []*object.Object {
	return slices.DeleteFunc(slices.Clone(b.objects), func(o *object.Object) bool { return b.told[o] })
}

// oneByOne applies the rest, once the API server serves the kinds that were just defined.
func (b *batch) oneByOne(ctx context.Context) {
	if len(b.definitions) > 0 && b.DryRun != Server {
		args := append([]string{"wait", "--for=condition=Established", "--timeout=30s", "--"}, b.definitions...)
		_, _ = b.Kubectl.Run(nil, args...) // an object of a kind that is not served has its own error
		b.definitions = nil
	}
	for _, o := range b.rest() {
		if !b.mayGoOn(ctx) {
			return
		}
		if err := b.send(b.Kubectl.Groups([]*object.Object{o})[0], nil, func(string) {}); err != nil {
			b.failed(o, err)
		} else {
			b.done(o)
		}
	}
}

// Ask has the API server check applies of objects, many at once, and those again, one by one, that
// are missing in the output. It returns for each object what would be stored, or why it is refused.
// The error is that of a kubectl that can't be run.
func (a *Applier) Ask(objects []*object.Object) (stored map[*object.Object]*object.Object, refused map[*object.Object]error, err error) {
	stored, refused = map[*object.Object]*object.Object{}, map[*object.Object]error{}
	groups := a.Kubectl.Groups(objects)
	for i := 0; i < len(groups); i++ {
		var text bytes.Buffer
		err := a.send(groups[i], []string{"-o", "json"}, func(line string) { text.WriteString(line + "\n") })
		if err != nil && !IsExit(err) {
			return nil, nil, err
		}
		answer, readErr := objectsIn(text.Bytes(), "apply")
		find := Finder(answer, a.Kubectl.Namespace)
		for _, o := range groups[i].Objects {
			switch found := find(o); {
			case found != nil:
				stored[o] = found
			case len(groups[i].Objects) > 1:
				groups = append(groups, Group{Objects: []*object.Object{o}, Args: groups[i].Args})
			default:
				refused[o] = cmp.Or(err, readErr, errors.New("kubectl apply must print the object, found nothing of it"))
			}
		}
	}
	return stored, refused, nil
}
