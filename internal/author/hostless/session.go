package hostless

import (
	"slices"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/fn/manifestwork"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// ConfigStep is a functionConfig to run.
type ConfigStep struct {
	FunctionConfig *tree.Node
	// Path is the file that it was read from, as results name it; "" for none.
	Path string
	// Source is the object that the functionConfig was read as; nil for none.
	Source *object.Object
	// Work is that whose rules the functionConfig has; nil for none.
	Work *manifestwork.Unpacked
	// Options are those of IgnoreFields for this step alone; nil for those of the settings.
	Options *ignorefields.Options
}

// Kind returns the kind of the functionConfig.
func (s ConfigStep) Kind() fn.Kind { return fn.KindOf(s.FunctionConfig) }

// Settings are what a session depends on besides the functionConfigs and the objects.
type Settings struct {
	Options fn.Options
	// Strict makes it an error that something matches nothing.
	Strict bool
	// Beside are live objects and definitions for the kinds that read them.
	Beside []*object.Object
	// Whole keeps each result, also of those of a kind that are summed up.
	Whole bool
	// Before is called with the objects that go into a step, and After with its results, which it
	// may change; nil for nothing.
	Before func(step int, objects []*object.Object)
	After  func(step int, results []report.Result)
}

// Session runs functionConfigs, each on the output of the one before it, over objects that come in
// chunks, or in one.
type Session struct {
	settings Settings
	steps    []*sessionStep
	counts   map[string]int // how many results there are of each severity
}

// sessionStep is a functionConfig with its results so far: those of objects, and those that come
// last.
type sessionStep struct {
	ConfigStep
	number        int
	chunks        *fn.Chunks
	results, last noted
	failed        bool
}

// noted are results; if a fold is set, those that it passes.
type noted struct {
	all  []report.Result
	fold *report.Fold
}

func (n *noted) add(results []report.Result) {
	if n.fold != nil {
		results = n.fold.Pass(results)
	}
	n.all = append(n.all, results...)
}

// ChunkOutcome is what comes of a chunk of objects.
type ChunkOutcome struct {
	Out []*object.Object
	// Changed are the input objects without those that the cluster has as they are.
	Changed []*object.Object
	// Results are those of all chunks.
	Results []report.Result
	// local are the objects that had the annotation which keeps them from a cluster before fields
	// were ignored.
	local map[*object.Object]bool
}

// Run runs functionConfigs on all objects; the first that fails ends the run.
func Run(steps []ConfigStep, objects []*object.Object, settings Settings) ChunkOutcome {
	s := AtOnce(steps, settings)
	out, _ := s.Run(objects)
	out.Results, _ = s.End()
	return out
}

// AtOnce returns a session whose objects come in one chunk.
func AtOnce(steps []ConfigStep, settings Settings) *Session {
	settings.Whole = true
	s := &Session{settings: settings, counts: map[string]int{}}
	for i, step := range steps {
		options := settings.Options
		if step.Options != nil {
			options.IgnoreFields = *step.Options
		}
		s.steps = append(s.steps, &sessionStep{ConfigStep: step, number: i, chunks: fn.AtOnce(options, step.FunctionConfig)})
	}
	return s
}

// InChunks returns a session whose objects come in chunks; nil if a functionConfig needs all of
// them at once.
func InChunks(steps []ConfigStep, settings Settings) *Session {
	s := &Session{settings: settings, counts: map[string]int{}}
	for _, step := range steps {
		one := &sessionStep{ConfigStep: step, chunks: fn.InChunks(settings.Options, step.FunctionConfig)}
		if one.chunks == nil {
			return nil
		}
		if !settings.Whole {
			one.results.fold, one.last.fold = fn.NewFold(step.FunctionConfig), fn.NewFold(step.FunctionConfig)
		}
		s.steps = append(s.steps, one)
	}
	return s
}

// Run runs on the next objects. It returns false if all objects are needed at once after all. Once
// a step has failed, what comes out is of no use.
func (s *Session) Run(objects []*object.Object) (ChunkOutcome, bool) {
	r := ChunkOutcome{Out: objects, Changed: slices.Clone(objects), local: map[*object.Object]bool{}}
	for _, step := range s.steps {
		items, readsLive := r.Out, step.Kind().ReadsLive
		if s.settings.Before != nil {
			s.settings.Before(step.number, items)
		}
		if readsLive {
			r.noteLocal()
			items = slices.Concat(items, s.settings.Beside)
		}
		out, results, last, ok := step.chunks.Run(items)
		if !ok {
			return r, false
		}
		step.results.add(s.note(step, results))
		if step.last.add(s.note(step, last)); step.failed {
			return r, true
		}
		out = slices.DeleteFunc(out, func(o *object.Object) bool { return o.IsLive || o.IsSchema })
		if readsLive {
			r.leaveAlone(out)
		}
		r.Out = out
	}
	return r, true
}

// End returns the results of all chunks; false if they need all objects at once.
func (s *Session) End() ([]report.Result, bool) {
	for _, step := range s.steps {
		results, ok := step.chunks.End()
		if !ok {
			return nil, false
		}
		if step.results.add(s.note(step, results)); step.failed {
			break
		}
	}
	return s.results(), true
}

// Without leaves results out, and returns the others.
func (s *Session) Without(isLeftOut func(report.Result) bool) []report.Result {
	for _, step := range s.steps {
		step.results.all = slices.DeleteFunc(step.results.all, isLeftOut)
		step.last.all = slices.DeleteFunc(step.last.all, isLeftOut)
	}
	return s.results()
}

// HasFailed tells whether a functionConfig has failed so far.
func (s *Session) HasFailed() bool {
	return slices.ContainsFunc(s.steps, func(step *sessionStep) bool { return step.failed })
}

// note completes results of a step.
func (s *Session) note(step *sessionStep, results []report.Result) []report.Result {
	for i := range results {
		if s.settings.Strict && results[i].Tags["reason"] == report.ReasonNoMatch {
			results[i].Severity = report.SeverityError
		}
	}
	for _, r := range results {
		s.counts[r.Severity]++
	}
	step.NameIn(results)
	step.failed = step.failed || fn.HasError(results)
	if s.settings.After != nil {
		s.settings.After(step.number, results)
	}
	return results
}

// Count returns how many results so far have a severity.
func (s *Session) Count(severity string) int { return s.counts[severity] }

// results returns the results so far, up to those of the first step that has failed. Further ones
// of a kind are summed up.
func (s *Session) results() []report.Result {
	var all []report.Result
	for _, step := range s.steps {
		own := step.results.all
		if !step.failed {
			own = append(own, step.last.all...)
		}
		if s.settings.Whole {
			own = fn.Folded(step.FunctionConfig, own)
		} else {
			own = slices.Concat(own, step.results.fold.Sums(), step.last.fold.Sums())
		}
		if all = append(all, own...); step.failed {
			break
		}
	}
	return all
}

// noteLocal notes which objects have the annotation that keeps them from a cluster: ignoring
// annotations must not lift it.
func (r *ChunkOutcome) noteLocal() {
	for _, o := range r.Out {
		if IsLocal(o) {
			r.local[o] = true
		}
	}
}

// leaveAlone notes which objects are missing in the output of a step that removes none: the cluster
// has them as they are.
func (r *ChunkOutcome) leaveAlone(out []*object.Object) {
	if len(out) == len(r.Out) {
		return
	}
	left := make(map[*object.Object]bool, len(out))
	for _, o := range r.Out {
		left[o] = true
	}
	for _, o := range out {
		delete(left, o)
	}
	r.Changed = slices.DeleteFunc(r.Changed, func(o *object.Object) bool { return left[o] })
}

// ForCluster returns the objects that come out, without those that are not for a cluster.
func (r *ChunkOutcome) ForCluster() []*object.Object {
	return slices.DeleteFunc(slices.Clone(r.Out), r.IsLocal)
}

// IsLocal tells whether an object is not for a cluster, or was not before fields were ignored.
func (r *ChunkOutcome) IsLocal(o *object.Object) bool { return r.local[o] || IsLocal(o) }
