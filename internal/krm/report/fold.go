package report

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/krm-fields/krm-fields/internal/lists"
)

// maxFaults is how many faults of a functionConfig are reported one by one.
const maxFaults = 100

// maxSaid is how often an error is printed that is the same for several objects.
const maxSaid = 3

// Fold passes on the first results of each kind and sums up the others, so that the results of a
// large package stay readable. Those of one kind have one severity, reason and expression, or
// selector, or operation. Results about the functionConfig itself are passed on, except a very
// large number of faults.
type Fold struct {
	// limit is how many results of each kind are passed on.
	limit int
	// config names the functionConfig.
	config Ref
	sums   map[foldKey]*sum
	// said counts the errors by what they say.
	said map[foldKey]int
	// order are the sums in the order of their first results.
	order []*sum
}

// foldKey is what results have in common that are summed up together.
type foldKey struct{ severity, reason, rule, selector, expression, operation, message string }

// sum is what results of a kind were passed on, and summed up.
type sum struct {
	// isOfFaults: of the functionConfig itself.
	isOfFaults bool
	passed     int
	// first is the first result that was not passed on; last names the object of the last one.
	first  Result
	last   Ref
	count  int // of the objects that were not passed on, or of the faults
	folded []*Result
}

// NewFold returns a fold for a run of the functionConfig that config names.
func NewFold(limit int, config Ref) *Fold {
	return &Fold{limit: limit, config: config, sums: map[foldKey]*sum{}, said: map[foldKey]int{}}
}

// All returns the results of a whole run with further ones of a kind summed up. Each sum holds the
// results that it stands for.
func (f *Fold) All(results []Result) []Result {
	var passed []Result
	for i, r := range results {
		if s := f.sumOf(r); !f.passes(r, s) {
			s.folded = append(s.folded, &results[i])
		} else {
			passed = append(passed, r)
		}
	}
	return append(passed, f.Sums()...)
}

// Once returns results for a person to read: errors that say the same of many objects are one, and
// that an object is created is said by the warning why that may be wrong, if there is one.
func Once(results []Result) []Result {
	isDoubtful := map[File]bool{}
	for _, r := range results {
		if r.Tags["reason"] == ReasonLiveKindMissing {
			isDoubtful[r.File] = true
		}
	}
	results = slices.DeleteFunc(slices.Clone(results), func(r Result) bool {
		return r.Tags["reason"] == ReasonCreate && r.Folded == nil && isDoubtful[r.File]
	})
	f := NewFold(math.MaxInt, Ref{})
	for _, r := range Whole(results) {
		if r.Severity == SeverityError && !r.Ref.IsZero() {
			f.said[sayingOf(r)]++
		}
	}
	var unfolded []Result
	for _, r := range results {
		if slices.ContainsFunc(r.Folded, func(one *Result) bool { return !f.isRepeated(*one) }) {
			unfolded = append(unfolded, r)
		} else {
			unfolded = append(unfolded, Whole([]Result{r})...)
		}
	}
	return f.All(unfolded)
}

// sayingOf returns the kind of a result together with its message.
func sayingOf(r Result) foldKey {
	k := kindOf(r)
	k.message = r.Message
	return k
}

// isRepeated tells whether so many objects have the same error that a list of them helps nobody.
func (f *Fold) isRepeated(r Result) bool { return f.said[sayingOf(r)] > maxSaid }

// Whole returns results with those that the sums among them stand for in place of the sums.
func Whole(results []Result) []Result {
	var all []Result
	for _, r := range results {
		for _, folded := range r.Folded {
			all = append(all, *folded)
		}
		if len(r.Folded) == 0 {
			all = append(all, r)
		}
	}
	return all
}

// Pass returns those of the results that are not summed up.
func (f *Fold) Pass(results []Result) []Result {
	return slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return !f.passes(r, f.sumOf(r)) })
}

// sumOf returns the sum of the results of a kind.
func (f *Fold) sumOf(r Result) *sum {
	k := kindOf(r)
	if f.isFault(r) {
		k = foldKey{severity: k.severity, reason: k.reason}
	} else if f.isRepeated(r) {
		k = sayingOf(r)
	}
	s := f.sums[k]
	if s == nil {
		s = &sum{isOfFaults: f.isFault(r)}
		f.sums[k] = s
	}
	return s
}

// kindOf returns the kind of a result. The field of a result of ApplyPatches or ApplyOperations is
// the operation.
func kindOf(r Result) foldKey {
	k := foldKey{
		severity: r.Severity, reason: r.Tags["reason"],
		rule: r.Tags["rule"], selector: r.Tags["selector"], expression: r.Tags["expression"],
	}
	switch k.reason {
	case ReasonPatchError, ReasonOperationError, ReasonOperationConflict, ReasonNotThere:
		k.operation = r.Field.Path
	}
	return k
}

// isFault tells whether a result is a fault of the functionConfig itself, not of an object's rules.
func (f *Fold) isFault(r Result) bool {
	return r.Tags["reason"] == ReasonInvalidFunctionConfig && r.Ref == f.config
}

// passes tells whether a result is passed on, and counts it.
func (f *Fold) passes(r Result, s *sum) bool {
	limit := f.limit
	switch {
	case s.isOfFaults:
		limit = maxFaults
	case r.Ref == f.config:
		return true
	case f.isRepeated(r):
		limit = 0
	}
	if s.passed < limit {
		s.passed++
		return true
	}
	if s.count == 0 {
		s.first, s.first.Tags = r, maps.Clone(r.Tags)
		f.order = append(f.order, s)
	}
	if s.count == 0 || s.last != r.Ref || r.Ref == f.config || r.Ref.IsZero() {
		s.count, s.last = s.count+1, r.Ref
	}
	maps.DeleteFunc(s.first.Tags, func(name, value string) bool { return r.Tags[name] != value })
	return false
}

// Sums returns a result for all of each kind that were not passed on.
func (f *Fold) Sums() []Result {
	return lists.Map(f.order, (*sum).result)
}

func (s *sum) result() Result {
	r := Result{Severity: s.first.Severity, Tags: map[string]string{}, Folded: s.folded}
	maps.Copy(r.Tags, s.first.Tags)
	noun, first := "object", s.first.Ref.String()
	if s.isOfFaults {
		r.Ref, r.File, r.Field.Path = s.first.Ref, s.first.File, s.first.Field.Path
		noun, first = "fault", ""
	} else {
		r.Tags["objects"] = strconv.Itoa(s.count)
	}
	if s.passed > 0 {
		noun = "more " + noun
	}
	if s.count > 1 {
		noun += "s"
	}
	if first != "" {
		first = " " + first
	}
	r.Message = fmt.Sprintf("%d %s, the first%s: %s", s.count, noun, first, s.first.Message)
	return r
}

// WithoutFollowUps returns the faults of a later step without those at, or inside, a place at which
// an earlier step has found a fault: they would repeat that it is wrong. What is missing at a place
// is left out, too, if an earlier step has found a fault inside it, an unknown field that is likely
// meant for it, or a spec, in which it may stand: a functionConfig has none.
func WithoutFollowUps(later, earlier []Fault) []Fault {
	faulty := make(map[string]bool, len(earlier))
	around := map[string]bool{}
	for _, fault := range earlier {
		faulty[fault.Path], around[fault.Meant] = true, true
		for place := range placesAround(fault.Path) {
			around[place] = true
		}
	}
	return slices.DeleteFunc(later, func(f Fault) bool {
		for place := range placesAround(f.Path) {
			if faulty[place] {
				return true
			}
		}
		return faulty[f.Path] || f.IsMissing && (around[f.Path] || faulty["spec"])
	})
}

// placesAround yields the paths of the maps and lists that a path leads through.
func placesAround(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range len(path) {
			if (path[i] == '.' || path[i] == '[') && i > 0 && !yield(path[:i]) {
				return
			}
		}
	}
}
