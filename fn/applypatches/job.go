package applypatches

import (
	"math"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/cel"
	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/quota"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// job is the work on one object.
type job struct {
	run    *run
	object *object.Object
	ref    report.Ref
	file   report.File
	// identity and base belong to the object as it stands; nil where they have
	// to be made anew.
	identity *match.Object
	base     map[string]any
	changes  []fieldChange
	// made are the texts that expressions in paths made of the object.
	made []string
	// account is what the operations on the object may make and do.
	account *quota.Object
	// isHeavy is true once the job has the lock run.heavy.
	isHeavy bool
	// indexes are those of the lists that operations `ensure` were about.
	indexes []*listIndex
}

// operationSteps are those of an operation on an object beside all that it makes and
// looks at.
const operationSteps = 10

const (
	// valueSteps are those to make data of a node.
	valueSteps = 3
	// looksPerStep is how many members of maps a step looks at.
	looksPerStep = 4
)

// fieldChange is a field that an operation has changed.
type fieldChange struct {
	change
	by string // patches[0].operations[2]
}

func newJob(r *run, item *object.Object) *job {
	return &job{run: r, object: item, ref: report.RefOf(item.Root()), file: item.File(), account: r.quota.Object()}
}

// identify returns what selectors look at.
func (j *job) identify() *match.Object {
	if j.identity == nil {
		j.identity = match.Of(j.object.Root())
	}
	return j.identity
}

// variables returns those of expressions, without the loop variable. Most
// expressions do not look at the object, so its data is made when one does.
func (j *job) variables() map[string]any {
	if j.base == nil {
		resource := sync.OnceValue(func() any { return j.resource() })
		j.base = map[string]any{cel.Resource: resource, cel.Parameters: j.run.parameters, cel.Quota: j.account}
	}
	return j.base
}

// resource returns the object's data as it stands. The limit on steps ends the
// evaluation that asks for it afterwards.
func (j *job) resource() any {
	root := j.object.Root()
	_ = j.account.Step(valueSteps * quota.SizeOf(root, math.MaxInt64) / quota.NodeSize)
	return tree.Value(root)
}

// work runs all patches, up to the first failure, and tells whether the object
// leaves the list. The error is a *failure.
func (j *job) work() (removed bool, err error) {
	for i, p := range j.run.patches {
		if err := j.patch(p); err != nil {
			j.accept(j.run.targets()[i+1:])
			return false, err
		}
	}
	for i, t := range j.run.removes {
		chosen, err := t.chosen(j)
		if err != nil {
			j.accept(j.run.removes[i+1:])
			return false, err
		}
		removed = removed || len(chosen) > 0
	}
	return removed, nil
}

// accept takes the object for one that the targets choose, which are not asked
// any more after a failure.
func (j *job) accept(targets []*target) {
	for _, t := range targets {
		t.accept(j.identify())
	}
}

func (j *job) patch(p patch) error {
	chosen, err := p.target.chosen(j)
	if err != nil {
		return err
	}
	for _, element := range chosen {
		for _, o := range p.operations {
			if err := j.operate(o, p.target, element); err != nil {
				return p.target.failure(o.at, element, err)
			}
		}
	}
	return nil
}

// operate carries out one operation, and keeps account of what it changes.
func (j *job) operate(o operation, t *target, element int) error {
	j.account.Begin()
	if err := j.account.Step(operationSteps); err != nil {
		return err
	}
	var variables map[string]any
	if !o.isLiteral {
		variables = t.variables(j.variables(), element)
	}
	bound, made, err := o.path.bind(variables)
	if err != nil {
		return err
	}
	if err := j.noteMade(made); err != nil {
		return err
	}
	places, looked, err := o.places(bound, j.object.Root())
	if err := j.account.Step(int64(looked / looksPerStep)); err != nil {
		return err
	}
	if err != nil || o.ignoresMissing && len(places) == 0 {
		return err
	}
	var value *yaml.Node
	if o.value != nil {
		if value, err = o.value.Eval(variables); err != nil {
			return err
		}
	}
	e := &editor{job: j, object: j.object, path: bound, isLiteral: o.isLiteral, reach: int64(looked / max(len(places), 1) / looksPerStep)}
	err = e.act(o, places, argument{value: value, keys: o.keys})
	j.forget(e.changes, e.kept)
	j.note(e.changes, o.at)
	return err
}

// heavySize is from which size on what was made of an object is worked on alone.
const heavySize = 1 << 20

// weigh waits for the end of the work on another heavy object. Each may take a hundred
// megabytes, and there may be many cores.
func (j *job) weigh() {
	if !j.isHeavy && j.account.Size() > heavySize {
		j.run.heavy.Lock()
		j.isHeavy = true
	}
}

// end ends the work on the object.
func (j *job) end() {
	if j.isHeavy {
		j.run.heavy.Unlock()
	}
}

// noteMade keeps account of the texts that expressions in a path made of the object.
func (j *job) noteMade(made []string) error {
	for _, text := range made {
		if err := j.account.Make(quota.NodeSize + int64(len(text))); err != nil {
			return err
		}
	}
	j.made = append(j.made, made...)
	return nil
}

// note keeps account of changes, in the order of their places.
func (j *job) note(changes []change, by string) {
	if len(changes) == 0 {
		return
	}
	j.identity, j.base = nil, nil
	slices.SortStableFunc(changes, func(a, b change) int { return locate.Compare(a.location, b.location) })
	for _, c := range changes {
		j.changes = append(j.changes, fieldChange{change: c, by: by})
	}
}

// resetUnchanged takes the edits back where one has undone the other, so that
// the object keeps its bytes.
func (j *job) resetUnchanged() {
	if len(j.changes) > 0 && tree.Equal(j.object.Original(), j.object.Root()) {
		j.object.Reset()
		j.changes = nil
	}
}
