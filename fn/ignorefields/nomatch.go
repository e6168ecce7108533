package ignorefields

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
)

// noMatches returns a result for each selector that no object fits, and each
// expression that found nothing in the whole run.
func (r *run) noMatches(accounted []bool, hints map[int]hint, items []*object.Object) []report.Result {
	n := noMatchReport{severity: report.Warning, ref: r.ref, file: r.file, hints: hints, items: items, needless: r.needless}
	switch r.config.OnNoMatch {
	case policyIgnore:
		return nil
	case policyError:
		n.severity = report.Error
	}
	n.selection(r.selection, map[string]string{"reason": report.NoMatch})
	for _, rule := range r.rules {
		n.selection(rule.selection, rule.noMatchTags())
		n.rule(rule, accounted)
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
	// needless says what a schema knows of an expression that found nothing.
	needless func(dialect, text string, h hint) string
	seen     []*match.Object // the items, once they are asked for
	results  []report.Result
}

// deepestHints returns for each expression the hint from the object in which it
// got furthest.
func deepestHints(outcomes []outcome) map[int]hint {
	deepest := map[int]hint{}
	for _, o := range outcomes {
		for _, h := range o.hints {
			best, ok := deepest[h.number]
			switch {
			case !ok || h.depth > best.depth:
				deepest[h.number] = h
			case h.depth == best.depth && !slices.Contains(best.kinds, h.kinds[0]):
				best.kinds = append(best.kinds, h.kinds[0])
				deepest[h.number] = best
			}
		}
	}
	return deepest
}

// noMatchTags are the tags of a result that says that nothing matches the rule.
func (r rule) noMatchTags() map[string]string {
	return map[string]string{"reason": report.NoMatch, "rule": strconv.Itoa(r.index)}
}

func (n *noMatchReport) add(path, message string, tags map[string]string) {
	n.results = append(n.results, report.Result{
		Message: path + ": " + message, Severity: n.severity, Ref: n.ref, File: n.file,
		Field: report.Field{Path: path}, Tags: tags,
	})
}

// selection reports the entries that match none of the items. It asks the items
// for their data only where there is one.
func (n *noMatchReport) selection(s *match.Selection, tags map[string]string) {
	if s.AllMatched() {
		return
	}
	if n.seen == nil {
		n.seen = objectsOf(n.items)
	}
	for _, u := range s.Unmatched(n.seen) {
		n.add(u.Path, u.Message, tags)
	}
}

// objectsOf returns what selectors look at in the items.
func objectsOf(items []*object.Object) []*match.Object {
	objects := make([]*match.Object, len(items))
	for i, item := range items {
		objects[i] = match.Of(item.Root())
	}
	return objects
}

func (n *noMatchReport) rule(r rule, accounted []bool) {
	if r.fromAnnotation && !accounted[r.number] {
		message := "no selected object has the annotation " + recordAnnotation
		n.add(r.path, message, r.noMatchTags())
	}
	for _, e := range r.expressions() {
		for _, p := range e.parts {
			if !accounted[p.number] {
				subject := fmt.Sprintf("the part '%s' of the expression '%s'", p.text, e)
				n.add(e.path, n.message(subject, e.dialect, p.text, p.number), e.tags(report.NoMatch, ""))
			}
		}
		if len(e.parts) == 0 && !accounted[e.number] {
			n.add(e.path, n.message(fmt.Sprintf("the expression '%s'", e), e.dialect, e.expression, e.number), e.tags(report.NoMatch, ""))
		}
	}
}

// message says of an expression or a part of one, with its text, that it found nothing.
func (n *noMatchReport) message(subject, dialect, text string, number int) string {
	message := subject + " matched nothing in the whole run"
	if h, ok := n.hints[number]; ok {
		message += "; " + h.text
		if known := n.needless(dialect, text, h); known != "" {
			message += "; " + known
		}
	} else if fix := locate.SeveralPointers(dialect, text); fix != "" {
		message += "; " + fix
	}
	return message
}
