package applypatches

import (
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/quota"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// job is the work on one object.
type job struct {
	run    *run
	object *object.Object
	ref    report.Ref
	file   report.File
	// identity and base are cached from the object; nil after a change.
	identity *selector.Candidate
	base     map[string]any
	changes  []fieldChange
	// made are the texts that expressions in paths derived from the object.
	made []string
	// account counts what the operations make and do on the object.
	account *quota.Account
	// reader looks other objects up.
	reader *reader
	// removed is true if the object leaves the list, err is why the job has ended.
	removed bool
	err     error
	// isHeavy is true once the job has the lock run.heavy.
	isHeavy bool
	// strings are those whose documents operations edited.
	strings embedded.Opener
	// indexes are those of the lists that `ensure` searched.
	indexes []*listIndex
}

// operationSteps is what an operation costs besides what it makes and visits.
const operationSteps = 10

const (
	// valueSteps is the cost of converting a node to data.
	valueSteps = 3
	// looksPerStep is how many members of maps count as one step.
	looksPerStep = 4
)

// fieldChange is a field that an operation has changed.
type fieldChange struct {
	change
	by string // patches[0].operations[2]
	// path is that of the operation as written, for a field in a string.
	path string
}

func newJob(r *run, item *object.Object) *job {
	j := &job{run: r, object: item, ref: report.RefOf(item.Root()), file: item.File(), account: r.quota.Object()}
	j.reader = &reader{
		objects: r.objects, account: j.account, namespace: func() string { return report.RefOf(item.Root()).Namespace },
	}
	return j
}

// identify returns the identity that selectors match.
func (j *job) identify() *selector.Candidate {
	if j.identity == nil {
		j.identity = selector.Of(j.object.Root())
	}
	return j.identity
}

// variables returns the variables of expressions, without the loop variable. Most expressions do
// not read the object, so its data is made on demand.
func (j *job) variables() map[string]any {
	if j.base == nil {
		resource := sync.OnceValue(func() any { return j.data(j.object.Root()) })
		j.base = map[string]any{
			cel.Resource: resource, cel.Parameters: j.run.parameters, cel.Quota: j.account,
			cel.Objects: cel.ObjectLookup(j.reader.lookup),
		}
	}
	return j.base
}

// data returns the current data of n. The limit on steps ends the evaluation that asks for it
// afterwards.
func (j *job) data(n *tree.Node) any {
	_ = j.account.Step(valueSteps * quota.SizeOf(n, math.MaxInt64) / quota.NodeSize)
	return tree.Value(n)
}

// step runs one patch, or evaluates one target of removes, unless the job has failed. Its error is
// a *failure.
func (j *job) step(step int) {
	if j.err != nil {
		return
	}
	if step < len(j.run.patches) {
		j.err = j.patch(j.run.patches[step])
	} else {
		var chosen []int
		chosen, j.err = j.run.removes[step-len(j.run.patches)].chosen(j)
		j.removed = j.removed || len(chosen) > 0
	}
	if j.err != nil {
		j.accept(j.run.targets()[step+1:])
	}
}

// accept counts the object as selected by the targets, which are not evaluated after a failure.
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

// operate runs one operation, and records its changes.
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
	if len(o.within) > 0 {
		return j.inside(o, bound, variables)
	}
	return j.operateIn(o, bound, variables, document{object: j.object})
}

// operateIn runs an operation in the object, or in a document in one of its strings.
func (j *job) operateIn(o operation, bound *patchpath.Path, variables map[string]any, d document) error {
	places, looked, err := o.places(bound, d.object.Root())
	if err := j.account.Step(int64(looked / looksPerStep)); err != nil {
		return err
	}
	if err != nil || o.ignoresMissing && len(places) == 0 {
		return err
	}
	e := &editor{
		job: j, object: d.object, isInside: d.isInside, operation: o, path: bound, variables: variables,
		reach: int64(looked / max(len(places), 1) / looksPerStep),
	}
	err = e.act(places)
	for i, c := range e.changes {
		e.changes[i] = d.change(c)
	}
	j.invalidate(e.changes, e.kept)
	j.note(e.changes, o)
	return err
}

// heavySize is the size of an object from which it is processed alone.
const heavySize = 1 << 20

// waitIfHeavy waits until no other heavy object is processed: each may take a hundred megabytes, on
// many cores.
func (j *job) waitIfHeavy() {
	if !j.isHeavy && j.account.Size() > heavySize {
		j.run.heavy.Lock()
		j.isHeavy = true
	}
}

// end ends the job.
func (j *job) end() {
	if j.isHeavy {
		j.run.heavy.Unlock()
		j.isHeavy = false
	}
}

// noteMade records the texts that expressions in a path derived from the object.
func (j *job) noteMade(made []string) error {
	for _, text := range made {
		if err := j.account.Make(quota.NodeSize + int64(len(text))); err != nil {
			return err
		}
	}
	j.made = append(j.made, made...)
	return nil
}

// note records changes, in the order of their places.
func (j *job) note(changes []change, o operation) {
	if len(changes) == 0 {
		return
	}
	j.identity, j.base = nil, nil
	if slices.ContainsFunc(changes, touchesIdentity) {
		j.run.objects.renamed()
	}
	sort.SliceStable(changes, func(i, j int) bool { return location.Compare(changes[i].location, changes[j].location) < 0 })
	for _, c := range changes {
		f := fieldChange{change: c, by: o.at}
		if len(c.inside) > 0 {
			f.path = o.path.String()
		}
		j.changes = append(j.changes, f)
	}
}

// resetUnchanged takes the edits back if later ones undid earlier ones, so that the object keeps
// its bytes.
func (j *job) resetUnchanged() {
	if len(j.changes) > 0 && tree.Equal(j.object.Original(), j.object.Root()) {
		j.object.Reset()
		j.changes = nil
	}
}
