package ignorefields

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// noMatches returns a result for each selector that matches no object, and each expression that
// found nothing in the whole run.
func (r *run) noMatches(items []*object.Object) []report.Result {
	n := noMatchReport{
		severity: severityOf(r.config.OnNoMatch), ref: r.ref, file: r.file, hints: r.sum.hints, items: items, needless: r.needless,
	}
	if n.severity == "" {
		return nil
	}
	n.entries = 1 + len(r.config.Selectors) + len(r.config.Exclude)
	for _, rule := range r.config.IgnoreFields {
		n.entries += len(rule.Selectors) + len(rule.Exclude)
	}
	n.selection(r.selection, map[string]string{"reason": report.ReasonNoMatch})
	for _, rule := range r.rules {
		n.selection(rule.Selection, noMatchTags(rule))
		if !r.selection.SelectsNone() && !rule.Selection.SelectsNone() { // which says why it finds nothing
			n.rule(rule, r.sum.accounted)
		}
	}
	return n.results
}

// noMatchReport collects the results.
type noMatchReport struct {
	severity string
	ref      report.Ref // the functionConfig
	file     report.File
	hints    map[int]hint // by the number of the expression
	items    []*object.Object
	// needless explains by a schema why an expression found nothing.
	needless needlessFunc
	// entries is how many entries the selectors have, and seen are items that their hints compare,
	// on demand.
	entries int
	seen    []*selector.Candidate
	results []report.Result
}

// needlessFunc explains by a schema why an expression found nothing in objects.
type needlessFunc func(dialect, text string, h hint) string

// noMatchTags are the tags of a result that says that nothing matches the rule.
func noMatchTags(r rules.Rule) map[string]string {
	return map[string]string{"reason": report.ReasonNoMatch, "rule": strconv.Itoa(r.Index)}
}

func (n *noMatchReport) add(path, message string, tags map[string]string) {
	n.results = append(n.results, report.Result{
		Message: path + ": " + message, Severity: n.severity, Ref: n.ref, File: n.file,
		Field: report.Field{Path: path}, Tags: tags,
	})
}

// maxSelectorHints is how many objects the hints of all entries compare.
const maxSelectorHints = 200_000

// selection reports the entries that match none of the items. It reads the items only if there is
// one.
func (n *noMatchReport) selection(s *selector.Selection, tags map[string]string) {
	if s.AllMatched() {
		return
	}
	if n.seen == nil {
		n.seen = objectsOf(n.items[:min(len(n.items), 1+maxSelectorHints/n.entries)])
	}
	for _, u := range s.Unmatched(n.seen) {
		n.add(u.Path, u.Message, tags)
	}
}

// objectsOf returns the identities of the items that selectors match.
func objectsOf(items []*object.Object) []*selector.Candidate {
	objects := make([]*selector.Candidate, len(items))
	for i, item := range items {
		objects[i] = selector.Of(item.Root())
	}
	return objects
}

func (n *noMatchReport) rule(r rules.Rule, accounted []bool) {
	if fromManagers(r) && !accounted[r.Number] {
		n.add(r.Path, noManager(r), noMatchTags(r))
	}
	if r.FromAnnotation != nil && !accounted[r.Number] {
		message := "no selected object has the annotation " + r.FromAnnotation.Annotation
		n.add(r.Path, message, noMatchTags(r))
	}
	for _, level := range r.Within {
		for _, e := range level.Expressions {
			n.expression(e, accounted, n.needless)
		}
		if !slices.ContainsFunc(level.Expressions, func(e rules.Expression) bool { return accounted[e.Number] }) {
			return // no string was found to look further in
		}
	}
	needless := n.needless
	if len(r.Within) > 0 {
		needless = nil // no schema describes what is in a string
	}
	for _, list := range r.Lists {
		for _, e := range list {
			n.expression(e, accounted, needless)
		}
	}
}

// expression reports an expression, or its parts, that found nothing.
func (n *noMatchReport) expression(e rules.Expression, accounted []bool, needless needlessFunc) {
	for _, p := range e.Parts {
		if !accounted[p.Number] {
			subject := fmt.Sprintf("the part '%s' of the expression '%s'", p.Text, e)
			n.add(e.Path, n.message(subject, e.Dialect().Name, p.Text, p.Number, needless), e.Tags(report.ReasonNoMatch, ""))
		}
	}
	if len(e.Parts) == 0 && !accounted[e.Number] {
		subject := fmt.Sprintf("the expression '%s'", e)
		n.add(e.Path, n.message(subject, e.Dialect().Name, e.String(), e.Number, needless), e.Tags(report.ReasonNoMatch, ""))
	}
}

// message returns the message that an expression or a part of one, with its text, found nothing.
func (n *noMatchReport) message(subject, dialect, text string, number int, needless needlessFunc) string {
	message := subject + " matched nothing in the whole run"
	if strings.Contains(text, "{{") {
		return message + "; {{ … }} is a template; render it before this run"
	}
	if h, ok := n.hints[number]; ok {
		message += "; " + h.Text
		if needless == nil {
			return message
		}
		if known := needless(dialect, text, h); known != "" {
			message += "; " + known
		}
	} else if fix := severalFix(dialect, text); fix != "" {
		message += "; " + fix
	}
	return message
}

// severalFix says how to write several expressions that are in one string; "" for a single one.
func severalFix(dialect, text string) string {
	if d, ok := expr.ByName(dialect); ok && d.Several != nil {
		return d.Several(text)
	}
	return ""
}
