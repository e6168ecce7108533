package kubectl

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// batch is the objects of one call. It parses what kubectl apply prints: a line for each object,
// with its kind and name alone.
type batch struct {
	*Applier
	group  Group
	byName map[string][]*object.Object
	lines  map[string]int
	told   map[*object.Object]bool
}

func newBatch(a *Applier, group Group) *batch {
	b := &batch{
		Applier: a, group: group,
		byName: map[string][]*object.Object{}, lines: map[string]int{}, told: map[*object.Object]bool{},
	}
	for _, o := range group.Objects {
		name := printedName(o)
		b.byName[name] = append(b.byName[name], o)
	}
	return b
}

// apply applies the objects.
func (b *batch) apply(ctx context.Context) {
	if err := b.call(ctx, nil); err != nil && len(b.group.Objects) == 1 {
		b.failed(b.group.Objects[0], err)
	} else if err != nil {
		b.oneByOne(ctx)
	}
	b.leaveRestOut()
}

// prune applies the objects and prunes. Where kubectl refuses that, the objects are applied all the
// same.
func (b *batch) prune(ctx context.Context) {
	err := b.call(ctx, b.Prune)
	if err != nil {
		unsent := len(b.rest())
		failed := b.oneByOne(ctx)
		switch {
		case !b.mayGoOn(ctx):
		case unsent > 0 && failed == unsent:
			b.failures = append(b.failures, failure("nothing is pruned, since objects could not be applied"))
		default: // the call has failed for another reason than they
			b.failures = append(b.failures, failure("the prune failed: "+err.Error()))
		}
	}
	b.leaveRestOut()
}

// call applies the objects by one call of kubectl, and returns the error of one that has run.
func (b *batch) call(ctx context.Context, flags []string) error {
	if !b.mayGoOn(ctx) {
		return nil
	}
	err := b.send(b.group, flags, b.line)
	switch {
	case err == nil:
		for _, o := range b.rest() {
			b.done(o)
		}
	case !IsExit(err):
		b.stop(stoppedBy(err))
		err = nil
	}
	return err
}

func (b *batch) leaveRestOut() {
	for _, o := range b.rest() {
		b.leaveOut(report.RefOf(o.Root()))
	}
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
		b.tell(Outcome{Ref: report.Ref{Kind: kind, Name: name}, Outcome: Pruned})
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
	outcome := Applied
	if b.Live(o) == nil {
		outcome = Created
		b.define(o)
	}
	b.tell(Outcome{Ref: report.RefOf(o.Root()), Outcome: outcome})
}

// AlikeError is the error of an object that failed with others.
type AlikeError struct{ first error }

func (e *AlikeError) Error() string {
	return fmt.Sprintf("failed with others, of which %d in a row had the same error: %s", manyAlike, e.first)
}

// Unwrap returns the error of the last of the others.
func (e *AlikeError) Unwrap() error { return e.first }

// nameless is the text of an error of an object without its name.
func nameless(o *object.Object, err error) string {
	return strings.ReplaceAll(err.Error(), strconv.Quote(report.RefOf(o.Root()).Name), "")
}

// failed reports an object that failed, and asks whether the API server is still there.
func (b *batch) failed(o *object.Object, err error) {
	b.told[o] = true
	b.Fail(o, err)
	if !b.Kubectl.isReachable() {
		b.stop(serverGone)
	}
}

// rest are the objects that may not have been applied.
func (b *batch) rest() []*object.Object {
	return slices.DeleteFunc(slices.Clone(b.group.Objects), func(o *object.Object) bool { return b.told[o] })
}

// oneByOne applies the rest, and returns how many have failed.
func (b *batch) oneByOne(ctx context.Context) (failed int) {
	b.waitForDefinitions()
	alike, last := 0, ""
	for _, o := range b.rest() {
		if b.told[o] {
			continue
		}
		if !b.mayGoOn(ctx) {
			return failed
		}
		err := b.send(b.Kubectl.groups([]*object.Object{o}, 1)[0], nil, func(string) {})
		if err == nil {
			b.done(o)
			alike = 0
			continue
		}
		failed++
		if alike > 0 && nameless(o, err) == last { // the API server has answered
			b.told[o] = true
			b.Fail(o, err)
		} else {
			b.failed(o, err)
			alike, last = 0, nameless(o, err)
		}
		if alike++; alike == manyAlike {
			failed += b.together(ctx, err)
			alike = 0
		}
	}
	return failed
}

// together sends the rest again, after others have failed alike. kubectl goes on after an object
// that fails, so where none is applied all have failed, and they are not asked one by one, which
// would take a call for each. It returns how many have.
func (b *batch) together(ctx context.Context, alike error) (failed int) {
	again := newBatch(b.Applier, Group{Objects: b.rest(), Args: b.group.Args})
	if len(again.group.Objects) == 0 {
		return 0
	}
	if err := again.call(ctx, nil); err != nil && len(again.lines) == 0 {
		for _, o := range again.group.Objects {
			again.told[o] = true
			b.Fail(o, &AlikeError{alike})
			failed++
		}
	}
	maps.Copy(b.told, again.told)
	return failed
}
