// Package apply applies objects to a cluster by kubectl: a package by server-side apply, and
// operations by kubectl's create, delete and patch. Failures are reported, and the rest is applied.
package apply

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
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

// Applier applies objects.
type Applier struct {
	Kubectl kubectl.Kubectl
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

// Notes returns the results about operations whose object does not exist, which is no error for
// them.
func (a *Applier) Notes() []report.Result { return a.notes }

// Failures are the errors so far, one for each object, and one for what was not sent.
func (a *Applier) Failures() []report.Result {
	if a.notSent == 0 {
		return a.failures
	}
	why := "interrupted"
	if a.isGone {
		why = "the API server no longer answers"
	}
	return append(slices.Clip(a.failures), report.Result{
		Message: fmt.Sprintf("%s: not sent: %d", why, a.notSent), Severity: report.SeverityError,
		Tags: map[string]string{"reason": report.ReasonApplyError},
	})
}

// Fail reports an object that failed.
func (a *Applier) Fail(o *object.Object, err error) {
	ref := report.RefOf(o.Root())
	mask := redact.New(o.Root(), o.Original())
	if live := a.Live(o); live != nil {
		mask = redact.New(o.Root(), o.Original(), live.Root())
	}
	message := mask.Error(err)
	first, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
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
	for _, group := range a.groups(objects) {
		b := newBatch(a, group.Objects)
		if !a.mayGoOn(ctx) {
			a.leaveOut(b)
			continue
		}
		err := a.send(group.Objects, group.Args, append(a.flags(), a.Prune...), b.line)
		switch {
		case err == nil:
			b.allDone()
		case !kubectl.IsExit(err):
			return err
		case len(group.Objects) == 1:
			a.failed(b, group.Objects[0], err)
		default:
			a.oneByOne(ctx, b)
		}
	}
	return nil
}

// mayGoOn tells whether to call kubectl again.
func (a *Applier) mayGoOn(ctx context.Context) bool { return ctx.Err() == nil && !a.isGone }

// failed reports an object that failed, and asks whether the API server is still there.
func (a *Applier) failed(b *batch, o *object.Object, err error) {
	b.told[o] = true
	a.Fail(o, err)
	a.isGone = a.isGone || !a.Kubectl.IsReachable()
}

// leaveOut reports that the rest of a batch is not sent.
func (a *Applier) leaveOut(b *batch) {
	for _, o := range b.rest() {
		b.told[o] = true
		a.Tell(Outcome{Ref: report.RefOf(o.Root()), Outcome: NotSent})
		a.notSent++
	}
}

// groups are the objects of each call of kubectl: a single group if it prunes, since it would
// delete the objects of another call.
func (a *Applier) groups(objects []*object.Object) []kubectl.Group {
	if len(a.Prune) == 0 || len(objects) == 0 {
		return a.Kubectl.Groups(objects)
	}
	all := kubectl.Group{Objects: objects}
	if a.Kubectl.Namespace != "" {
		all.Args = []string{"--namespace=" + a.Kubectl.Namespace}
	}
	return []kubectl.Group{all}
}

// oneByOne applies the rest of a batch.
func (a *Applier) oneByOne(ctx context.Context, b *batch) {
	a.awaitDefinitions()
	for _, group := range a.Kubectl.Groups(b.rest()) {
		a.eachOf(ctx, group, b)
	}
	a.leaveOut(b)
}

func (a *Applier) eachOf(ctx context.Context, group kubectl.Group, b *batch) {
	for _, o := range group.Objects {
		if !a.mayGoOn(ctx) {
			return
		}
		if err := a.send([]*object.Object{o}, group.Args, a.flags(), func(string) {}); err != nil {
			a.failed(b, o, err)
			continue
		}
		b.done(o)
	}
}

// flags are those of every kubectl apply.
func (a *Applier) flags() []string {
	flags := []string{"--server-side"}
	flags = append(flags, a.common()...)
	if a.ForceConflicts {
		flags = append(flags, "--force-conflicts")
	}
	return flags
}

// common are the flags of every kubectl command that changes something.
func (a *Applier) common() []string {
	flags := a.dryRun()
	if a.FieldManager != "" {
		flags = append(flags, "--field-manager="+a.FieldManager)
	}
	return flags
}

func (a *Applier) dryRun() []string {
	if a.DryRun != Server {
		return nil
	}
	return []string{"--dry-run=server"}
}

// send runs kubectl apply, and calls line with each line that it prints.
func (a *Applier) send(objects []*object.Object, args, flags []string, line func(string)) error {
	if a.DryRun == Client {
		return nil
	}
	var text bytes.Buffer
	text.WriteString("---\n") // a stream that begins with JSON is one of JSON alone to kubectl
	if err := manifests.WriteStream(&text, objects); err != nil {
		return err
	}
	all := append([]string{"apply"}, flags...)
	all = append(all, args...)
	return a.Kubectl.RunLines(text.Bytes(), line, append(all, "-f", "-")...)
}

// batch parses what kubectl apply prints about several objects: one line for each applied one, with
// its kind and name and without its namespace.
type batch struct {
	applier *Applier
	objects []*object.Object
	byName  map[string][]*object.Object
	lines   map[string]int
	told    map[*object.Object]bool
}

func newBatch(a *Applier, objects []*object.Object) *batch {
	b := &batch{
		applier: a, objects: objects,
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
	if isPruned := did == Pruned || strings.HasPrefix(did, Pruned+" "); isPruned {
		kind, name, _ := strings.Cut(name, "/")
		b.applier.Tell(Outcome{Ref: report.Ref{Kind: kind, Name: name}, Outcome: Pruned})
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
		b.applier.definitions = append(b.applier.definitions, name)
	}
	outcome := Created
	if b.applier.Live(o) != nil {
		outcome = Applied
	}
	b.applier.Tell(Outcome{Ref: report.RefOf(o.Root()), Outcome: outcome})
}

func (b *batch) allDone() {
	for _, o := range b.objects {
		b.done(o)
	}
}

// rest are the objects that may not have been applied.
func (b *batch) rest() []*object.Object {
	var rest []*object.Object
	for _, o := range b.objects {
		if !b.told[o] {
			rest = append(rest, o)
		}
	}
	return rest
}

// definitionsLimit is how long the API server may take to serve a new kind.
const definitionsLimit = "30s"

// awaitDefinitions waits until the API server serves the CustomResourceDefinitions that were
// applied, of which the rest may have objects.
func (a *Applier) awaitDefinitions() {
	if len(a.definitions) == 0 || a.DryRun == Server {
		return
	}
	args := append([]string{"wait", "--for=condition=Established", "--timeout=" + definitionsLimit, "--"}, a.definitions...)
	a.definitions = nil
	_, _ = a.Kubectl.Run(nil, args...) // an object of a kind that is not served has its own error
}
