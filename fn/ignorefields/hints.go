package ignorefields

import (
	"cmp"
	"math"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Hints cost more than to resolve, so they are made for a sample of the objects.
const (
	// maxSampled is how many objects of the items of a run, or of a chunk, are in the sample, and
	// maxOfKind how many objects of one kind.
	maxSampled, maxOfKind = 100, 10
	// maxHints bounds the hints of a sample, so that it is smaller for many expressions.
	maxHints = 20_000
)

// hint says why an expression may have found nothing in objects of some kinds.
type hint struct {
	rules.Hint
	// kinds are those of the objects in which the expression matched furthest.
	kinds []schema.GVK
}

// addHints keeps for each expression the hint from the object in which it matched furthest.
func (s *summary) addHints(hints []hint) {
	for _, h := range hints {
		best, ok := s.hints[h.Number]
		switch {
		case !ok || h.Depth > best.Depth:
			s.hints[h.Number] = h
		case h.Depth == best.Depth && !slices.Contains(best.kinds, h.kinds[0]):
			best.kinds = append(best.kinds, h.kinds[0])
			s.hints[h.Number] = best
		}
	}
}

// makeHints makes the hints for expressions that have found nothing so far.
func (r *run) makeHints(items []*object.Object, outcomes []itemOutcome) {
	if severityOf(r.config.OnNoMatch) == "" || r.sum.ended || !slices.Contains(r.sum.accounted, false) {
		return
	}
	for _, i := range r.sum.sample(outcomes) {
		item := items[i].AsRead()
		_ = item.Use(func() { // it is not edited
			identity := selector.Of(item.Root())
			j := jobs.Get().(*job)
			defer j.free()
			j.begin(r, i, item, identity, withOwned(r.rulesFor(identity).rules, r.ownedIn(item, identity)))
			j.resolve(true)
			r.sum.addHints(j.hints())
		})
	}
}

// sample chooses objects to which rules apply: the first of each kind, then the second ones and so
// on. It returns their indices in order.
func (s *summary) sample(outcomes []itemOutcome) []int {
	var sample []int
	ranks := map[int]int{}
	for i, o := range outcomes {
		if rank := s.sampled[o.kind]; o.kind != (schema.GVK{}) && rank < maxOfKind {
			sample, ranks[i], s.sampled[o.kind] = append(sample, i), rank, rank+1
		}
	}
	slices.SortStableFunc(sample, func(i, j int) int { return cmp.Compare(ranks[i], ranks[j]) })
	sample = sample[:min(len(sample), maxSampled, 1+maxHints/len(s.accounted))]
	slices.Sort(sample)
	return sample
}

// hints are why expressions may have found nothing in the object.
func (j *job) hints() []hint {
	var hints []hint
	kinds := []schema.GVK{schema.ParseGVK(j.ref.APIVersion, j.ref.Kind)}
	for _, h := range j.resolver.Hints {
		if by := j.finderBefore(h); by != "" {
			h.Text, h.Quotes, h.Missing, h.Depth = alreadyFound(by), words.Quote{}, nil, math.MaxInt // above the hints of all other objects
		} else if sole, ok := j.soleOwnerOf(h); ok {
			h.Text += "; the package does not set the field, which " + ownerOf(sole) + " owns alone in " + j.name.String() +
				": the next apply without it removes it or resets it to its default"
			h.Missing, h.Depth = nil, math.MaxInt
		}
		h.Text = j.shown.Text(words.WithQuoted(j.run.mask, h.Text, h.Quotes))
		hints = append(hints, hint{Hint: h, kinds: kinds})
	}
	return hints
}

// maxCompared is how many fields are compared with hints in one object.
const maxCompared = 1_000_000

// finderBefore returns the path of the expression that has found before what the expression of a
// hint names; "" for none.
func (j *job) finderBefore(h rules.Hint) string {
	found := j.resolver.Found
	if len(found)*len(j.resolver.Hints) > maxCompared {
		return ""
	}
	isNear := func(f rules.Found) bool {
		return h.Missing == nil || f.Location.Contains(h.Missing) || h.Missing.Contains(f.Location)
	}
	if !slices.ContainsFunc(found, isNear) {
		return ""
	}
	return j.finder(h.Expression)
}

func alreadyFound(by string) string { return "its fields were already found by " + by }
