package kubectl

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
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
	// Prune are kubectl's flags for pruning, and PruneStopped says why nothing is pruned all the
	// same, "" for no reason.
	Prune        []string
	PruneStopped string
	// Tell is called with the outcome of each object as soon as it is known, one after the other.
	Tell func(Outcome)

	// RetryTimeout is how long an operation is tried again after conflicts.
	RetryTimeout time.Duration
	// Metrics counts the operations.
	Metrics Metrics
	// Timeout is how long a deletion in the foreground may take, in kubectl's notation; "" for
	// kubectl's default.
	Timeout string

	mutex sync.Mutex // guards what follows, and Tell
	// stopped says why nothing more is sent, "" if nothing stopped it; notSent counts what was left
	// out.
	stopped string
	notSent int
	// definitions are the CustomResourceDefinitions that were created, as kubectl names them.
	definitions []string
	// failures are the errors, notes the operations without an object.
	failures, notes []report.Result
}

// Results are what is to be told beside the outcomes: the operations whose object does not exist,
// which is no error for them, then the errors, one for each object, and one for what was not sent.
func (a *Applier) Results() []report.Result { return slices.Concat(a.notes, a.errors()) }

func (a *Applier) errors() []report.Result {
	if a.notSent == 0 {
		return a.failures
	}
	why := cmp.Or(a.stopped, "interrupted")
	return append(slices.Clip(a.failures), report.New(report.SeverityError, report.ReasonApplyError, fmt.Sprintf("%s: not sent: %d", why, a.notSent)))
}

// Fail reports an object that failed.
func (a *Applier) Fail(o *object.Object, err error) {
	ref := report.RefOf(o.Root())
	result := failure(err.Error()).Of(ref, o.File())
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.failures = append(a.failures, result)
	a.Tell(Outcome{Ref: ref, Outcome: Failed})
}

// failure returns the result of an error, whose first line is the message.
func failure(text string) report.Result {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	result := report.New(report.SeverityError, report.ReasonApplyError, first)
	result.Detail = rest
	return result
}

// Apply applies the objects, many at once, and by several calls side by side where their order does
// not matter; the remaining ones of a call that fails are applied one by one, so that each has its
// own error. It ends early if ctx is done, the API server is gone, or kubectl can't be run. A prune
// is one call: kubectl deletes what it does not get.
func (a *Applier) Apply(ctx context.Context, objects []*object.Object) {
	if len(a.Prune) > 0 && a.PruneStopped == "" && len(objects) > 0 {
		newBatch(a, Group{Objects: objects, Args: Option("--namespace=", a.Kubectl.Namespace)}).prune(ctx)
		return
	}
	for _, stage := range stages(objects) {
		a.waitForDefinitions()
		groups, workers := a.Kubectl.groups(stage.objects, maxObjects), 1
		if stage.anyOrder {
			groups, workers = a.Kubectl.groups(stage.objects, max(worthACall, shareOf(len(stage.objects), maxObjects))), atOnce
		}
		_ = parallel.EachBy(workers, len(groups), func(i int) error { // an object has its own error
			newBatch(a, groups[i]).apply(ctx)
			return nil
		}, func() {})
	}
	if len(a.Prune) > 0 && a.PruneStopped != "" {
		a.failures = append(a.failures, failure("nothing is pruned: "+a.PruneStopped))
	}
}

// waitForDefinitions waits until the API server serves the kinds that were just defined.
func (a *Applier) waitForDefinitions() {
	if len(a.definitions) == 0 || a.DryRun == Client || a.DryRun == Server {
		return
	}
	args := append([]string{"wait", "--for=condition=Established", "--timeout=30s", "--"}, a.definitions...)
	_, _ = a.Kubectl.Run(nil, args...) // an object of a kind that is not served has its own error
	a.definitions = nil
}

// stoppedBy says why an error of kubectl stops all.
func stoppedBy(err error) string {
	if _, isInterrupt := errors.AsType[*InterruptError](err); isInterrupt {
		return "interrupted"
	}
	return err.Error()
}

// serverGone is why nothing more is sent to an API server that is gone.
const serverGone = "the API server no longer answers"

func (a *Applier) mayGoOn(ctx context.Context) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return ctx.Err() == nil && a.stopped == ""
}

// stop stops all for a reason, of which the first counts.
func (a *Applier) stop(why string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.stopped = cmp.Or(a.stopped, why)
}

// leaveOut reports that something is not sent.
func (a *Applier) leaveOut(ref report.Ref) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
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
	if len(a.Prune) > 0 && len(flags) == 0 {
		a.keepMembers(group.Objects)
	}
	var text bytes.Buffer
	text.WriteString("---\n") // a stream that begins with JSON is one of JSON alone to kubectl
	if err := manifests.WriteStream(&text, group.Objects); err != nil {
		return err
	}
	args := append([]string{"apply", "--server-side", withoutValidation}, a.common()...)
	if a.ForceConflicts {
		args = append(args, "--force-conflicts")
	}
	args = slices.Concat(args, flags, group.Args, []string{"-f", "-"})
	return unlessDone(a.Kubectl.RunLines(text.Bytes(), line, args...))
}

// withoutValidation turns off kubectl's own validation, for which it reads the OpenAPI document of
// a group for each object; the API server refuses unknown fields of a server-side apply anyway.
const withoutValidation = "--validate=false"

// keepMembers keeps the label that only an apply with a prune sets: one without would remove it.
func (a *Applier) keepMembers(objects []*object.Object) {
	for _, o := range objects {
		live := a.Live(o)
		if live == nil || tree.Get(o.Root(), "metadata", "labels", MemberLabel) != nil {
			continue
		}
		if label := tree.GetString(live.Root(), "metadata", "labels", MemberLabel); label != "" {
			at := location.Location{location.Key("metadata"), location.Key("labels"), location.Key(MemberLabel)}
			_ = ignorefields.SetAnnotation(o, at, label) // labels that are no map are refused by the API server
		}
	}
}

// worthACall is how many objects take longer to apply than kubectl takes to start.
const worthACall = 10

// define notes a CustomResourceDefinition that is created.
func (a *Applier) define(o *object.Object) {
	if !schema.IsCRD(gvkOf(o)) {
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.definitions = append(a.definitions, printedName(o))
}

func (a *Applier) tell(outcome Outcome) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.Tell(outcome)
}

// manyAlike is how many objects in a row fail in one way before the others are sent together again.
const manyAlike = 10

// Ask has the API server check applies of objects, many at once, and those again, one by one, that
// are missing in the output. It returns for each object what would be stored, or why it is refused.
// The error is that of a kubectl that can't be run.
func (a *Applier) Ask(objects []*object.Object) (stored map[*object.Object]*object.Object, refused map[*object.Object]error, err error) {
	stored, refused = map[*object.Object]*object.Object{}, map[*object.Object]error{}
	groups := a.Kubectl.groups(objects, maxObjects)
	for i := 0; i < len(groups); i++ {
		var text bytes.Buffer
		err := a.send(groups[i], []string{"-o", "json"}, func(line string) { text.WriteString(line + "\n") })
		if err != nil && !IsExit(err) {
			return nil, nil, err
		}
		answer, readErr := a.Kubectl.objectsIn(text.Bytes(), "apply")
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
