package applypatches

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
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
	base     *cel.Input
	// about are the numbers of the targets that may select the object; nil after another name.
	about   []int
	changes []fieldChange
	// made are the texts that expressions in paths have made.
	made []*tree.Node
	// reader looks other objects up.
	reader *reader
	// work is the patch under way, and place where in it the job is.
	work  *guard.Work
	place atomic.Pointer[patchPosition]
	// removedBy is the entry of removes that takes the object out of the list, and err why the job
	// has ended.
	removedBy string
	err       error
	warnings  []report.Result
	// strings are those whose documents operations edited.
	strings embedded.Opener
}

// patchTime is how long a patch, with all elements of its forEach, may take on one object.
const patchTime = 2 * time.Second

// fieldChange is a field that an operation has changed.
type fieldChange struct {
	change
	by string // patches[0].operations[2]
	// path is that of the operation as written, and isLiteral tells whether it has no expressions.
	path      string
	isLiteral bool
}

func newJob(r *run, item *object.Object) *job {
	j := &job{run: r, object: item, ref: report.RefOf(item.Root()), file: item.File()}
	j.reader = &reader{objects: r.objects, namespace: func() string { return report.RefOf(item.Root()).Namespace }}
	return j
}

// identify returns the identity that selectors match.
func (j *job) identify() *selector.Candidate {
	if j.identity == nil {
		j.identity = selector.Of(j.object.Root())
	}
	return j.identity
}

// next returns the number of the first target behind a step that may select the object as it is
// now.
func (j *job) next(step int) (int, bool) {
	if j.about == nil {
		j.about = j.run.byName.About(j.identify())
	}
	i, _ := slices.BinarySearch(j.about, step+1)
	if i == len(j.about) {
		return 0, false
	}
	return j.about[i], true
}

// input returns the input of expressions, without the loop variable. Most expressions do not read
// the object, so its data is made on demand.
func (j *job) input() cel.Input {
	if j.base == nil {
		resource := sync.OnceValue(func() any { return tree.Value(j.object.Root()) })
		j.base = &cel.Input{
			Variables: map[string]any{cel.Resource: resource, cel.Parameters: j.run.parameters}, Objects: j.reader.lookup, Reporter: j,
		}
	}
	return *j.base
}

// step runs one patch, or evaluates one target of removes, unless the job has failed.
func (j *job) step(step int) {
	if j.err != nil {
		return
	}
	t := j.run.targets[step]
	j.place.Store(&patchPosition{at: t.at, element: -1})
	j.work = guard.Enter(guard.What{
		Noun: "patch", Text: t.at, Timeout: patchTime, Memory: guard.DefaultMemory, Stop: j.run.stop, Reporter: j, HasParts: true,
	})
	defer j.work.Leave()
	chosen, err := t.chosen(j)
	if err == nil && step < len(j.run.patches) {
		err = j.patch(j.run.patches[step], chosen)
	} else if len(chosen) > 0 {
		j.removedBy = cmp.Or(j.removedBy, t.at)
	}
	if err == nil {
		err = j.work.Check()
	}
	if err == nil {
		return
	}
	j.err = &failure{*j.place.Load(), err}
	for _, later := range j.run.targets[step+1:] {
		later.accept(j.identify())
	}
}

func (j *job) patch(p patch, chosen []int) error {
	for _, element := range chosen {
		for _, o := range p.operations {
			if err := j.goTo(o.at, p.target, element); err != nil {
				return err
			}
			if err := j.operate(o, p.target, element); err != nil {
				return err
			}
		}
	}
	return nil
}

// goTo notes where the job is, for a failure. It returns the error of a limit that is passed.
func (j *job) goTo(at string, t *target, element int) error {
	if t.forEach == nil {
		element = -1
	}
	j.place.Store(&patchPosition{at: at, element: element})
	if j.work.Done() == nil {
		return nil
	}
	return j.work.Err()
}

// operate runs one operation, and records its changes.
func (j *job) operate(o operation, t *target, element int) error {
	var in cel.Input
	if !o.isLiteral {
		in = t.input(j.input(), element)
	}
	bound, made, err := o.path.bind(in)
	if err != nil {
		return err
	}
	j.made = append(j.made, made...)
	if len(o.within) > 0 {
		return j.inside(o, bound, in)
	}
	return j.operateIn(o, bound, in, embedded.Scope{Object: j.object})
}

// operateIn runs an operation in the object, or in a document in one of its strings.
func (j *job) operateIn(o operation, bound *patchpath.Path, in cel.Input, d embedded.Scope) error {
	places, err := o.places(bound, d.Object)
	if err != nil || o.ignoresMissing && len(places) == 0 {
		return about(d, err)
	}
	e := &editor{job: j, object: d.Object, isInside: d.IsInside, operation: o, path: bound, in: in}
	err = about(d, e.act(places))
	for i, c := range e.changes {
		if d.IsInside {
			e.changes[i].before = d.OriginalAt(c.location)
		}
		e.changes[i].location, e.changes[i].inside = d.Place(c.location)
	}
	j.note(e.changes, o)
	return err
}

// note records changes, in the order of their places.
func (j *job) note(changes []change, o operation) {
	if !o.isLiteral && j.readsSecret() {
		j.object.Copied = j.run.mask
	}
	if len(changes) == 0 {
		return
	}
	j.identity, j.base = nil, nil
	if slices.ContainsFunc(changes, touchesIdentity) {
		j.about = nil
		j.run.objects.renamed()
	}
	slices.SortStableFunc(changes, func(a, b change) int { return location.Compare(a.location, b.location) })
	for _, c := range changes {
		j.changes = append(j.changes, fieldChange{change: c, by: o.at, path: o.path.String(), isLiteral: o.isLiteral})
	}
	if !j.object.HideEdits {
		j.object.HideEdits = j.object.HidesEdits() || !o.isLiteral && j.seesSecret()
	}
}

// seesSecret tells whether a Secret is among the data of the expressions.
func (j *job) seesSecret() bool {
	return j.readsSecret() || redact.Of(j.object.Original()).HasSecret()
}

// readsSecret tells whether a Secret beside the object is among them.
func (j *job) readsSecret() bool { return j.run.sawSecret || j.reader.sawSecret }

// finish returns the outcome of the job. The error is that of a limit, or of run.stop.
func (j *job) finish() (itemOutcome, error) {
	if errors.Is(j.err, context.Canceled) {
		return itemOutcome{}, j.err
	}
	if j.err == nil && len(j.changes) > 0 && tree.Equal(j.object.Original(), j.object.Root()) {
		j.object.Reset() // later edits undid earlier ones: the object keeps its bytes
		j.changes = nil
	}
	if j.object.HideEdits {
		for _, c := range j.changes {
			j.object.EditText += c.path + "\n"
		}
	}
	results, derived := j.results(), j.derived()
	if j.err != nil {
		j.object.Reset() // its edits are of no use
	}
	err := j.write()
	if guard.IsLimit(err) {
		j.err = err
	}
	if err != nil {
		results = []report.Result{j.failed(err)}
	}
	o := itemOutcome{results: results, derived: derived, removed: j.removedBy != "" && j.err == nil}
	if o.ended = guard.IsLimit(j.err); o.ended {
		return o, j.err
	}
	return o, nil
}

// derived returns what expressions have made of Secrets.
func (j *job) derived() (values []*tree.Node) {
	if !j.object.HideEdits || j.err != nil {
		return nil
	}
	shown := j.shown()
	for _, c := range j.changes {
		if c.isLiteral {
			continue
		}
		for i, step := range shown.Location(c.location) {
			if step != c.location[i] {
				values = append(values, tree.NewString(c.location[i].Key))
			}
		}
		if n := j.object.At(c.location); n != nil {
			values = append(values, scalars(tree.Copy(n))...)
		}
	}
	return values
}

// scalars are the values in a node without the keys, which a mask would show.
func scalars(n *tree.Node) (all []*tree.Node) {
	n = tree.Deref(n)
	if n.Kind == tree.ScalarNode {
		return []*tree.Node{n}
	}
	for i, child := range n.Content {
		if n.Kind != tree.MappingNode || i%2 == 1 {
			all = append(all, scalars(child)...)
		}
	}
	return all
}

// write writes what the patches have made into the object's text, within the limits of a patch.
func (j *job) write() error {
	if j.err != nil || len(j.changes) == 0 {
		return j.object.Flush()
	}
	what, at := j.work.What, *j.place.Load()
	failed := j.newResult(report.SeverityError, report.ReasonPatchError, "")
	failed.Field.Path, failed.Tags["expression"] = at.at, what.Text
	what.Reporter = guard.ReporterFunc(func(err error) report.Result { // the data of the object must not be read now
		failed.Message = (&failure{at, err}).Error()
		return failed
	})
	work := guard.Enter(what)
	defer work.Leave()
	if err := j.object.Flush(); err != nil {
		return err
	}
	if limit := work.Check(); limit != nil {
		return &failure{at, limit}
	}
	return nil
}
