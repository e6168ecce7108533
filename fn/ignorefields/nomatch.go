package ignorefields

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// noMatchReport collects the results about selectors that match no object, and expressions that
// found nothing in the whole run.
type noMatchReport struct {
	*run
	severity string
	// seen returns the items that the hints of selectors compare.
	seen    func() []*selector.Candidate
	results []report.Result
}

// noMatches returns a result for each selector that matches no object, and each expression that
// found nothing in the whole run.
func (r *run) noMatches(items []*object.Object) []report.Result {
	n := noMatchReport{run: r, severity: severityOf(r.config.OnNoMatch), seen: r.compared(items)}
	if n.severity == "" {
		return nil
	}
	n.unmatched(r.selection, map[string]string{"reason": report.ReasonNoMatch})
	for _, rule := range r.rules {
		tags := map[string]string{"reason": report.ReasonNoMatch, "rule": strconv.Itoa(rule.Index)}
		n.unmatched(rule.Selection, tags)
		if !r.selection.SelectsNone() && !rule.Selection.SelectsNone() { // which says why it finds nothing
			n.rule(rule, tags)
		}
	}
	return n.results
}

func (n *noMatchReport) add(path, message string, tags map[string]string) {
	n.results = append(n.results, report.Result{Message: path + ": " + message, Severity: n.severity, Tags: tags}.At(path))
}

// maxSelectorHints is how many objects the hints of all entries compare.
const maxSelectorHints = 200_000

// unmatched reports the entries that match none of the items.
func (n *noMatchReport) unmatched(s *selector.Selection, tags map[string]string) {
	for _, u := range s.Unmatched(n.seen) {
		n.add(u.Path, u.Message, tags)
	}
}

// compared returns what reads the identities of the items that hints of selectors compare.
func (r *run) compared(items []*object.Object) func() []*selector.Candidate {
	return sync.OnceValue(func() []*selector.Candidate {
		entries := 1 + len(r.config.Selectors) + len(r.config.Exclude)
		for _, rule := range r.config.IgnoreFields {
			entries += len(rule.Selectors) + len(rule.Exclude)
		}
		items = items[:min(len(items), 1+maxSelectorHints/entries)]
		return lists.Map(items, func(item *object.Object) *selector.Candidate { return selector.Of(item.Root()) })
	})
}

func (n *noMatchReport) rule(r rules.Rule, tags map[string]string) {
	if fromManagers(r) && !n.sum.accounted[r.Number] && !n.config.withoutLive {
		n.add(r.Path, "no selected object has a field that "+strings.Join(r.Managers, " or ")+" owns on the cluster; the live objects must have "+
			"managedFields, which kubectl get prints with --show-managed-fields", tags)
	}
	if r.FromAnnotation != nil && !n.sum.accounted[r.Number] {
		n.add(r.Path, "no selected object has the annotation "+r.FromAnnotation.Annotation, tags)
	}
	for _, level := range r.Within {
		for _, e := range level.Expressions {
			n.expression(e, true)
		}
		if !slices.ContainsFunc(level.Expressions, func(e rules.Expression) bool { return n.sum.accounted[e.Number] }) {
			return // no string was found to look further in
		}
	}
	for _, list := range r.Lists {
		for _, e := range list {
			n.expression(e, len(r.Within) == 0) // no schema describes what is in a string
		}
	}
}

// expression reports an expression that found nothing.
func (n *noMatchReport) expression(e rules.Expression, hasSchema bool) {
	if !n.sum.accounted[e.Number] {
		n.add(e.Path, n.why(e, hasSchema), e.Tags(report.ReasonNoMatch, ""))
	}
}

// why says that an expression found nothing, and why.
func (n *noMatchReport) why(e rules.Expression, hasSchema bool) string {
	message := fmt.Sprintf("the expression '%s' matched nothing in the whole run", e)
	if strings.Contains(e.String(), "{{") {
		return message + "; {{ … }} is a template; render it before this run"
	}
	if h, isKnown := n.sum.hints[e.Number]; isKnown {
		message += "; " + h.Text
		if hasSchema {
			message += n.needless(h)
		}
	}
	return message
}

// Declares tells whether the schema of the object's kind has a field.
func (j *job) Declares(field location.Location) bool {
	return j.schema().Declares(field)
}

// needless says that no rule is needed for a field that the package does not set; "" for one that
// no schema knows.
func (r *run) needless(h hint) string {
	for _, gvk := range h.kinds {
		if text := r.schemas.kind(gvk).Needless(h.Missing); text != "" {
			return text
		}
	}
	return ""
}
