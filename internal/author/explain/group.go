package explain

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
)

// group is several objects with the same message.
type group struct {
	objects []report.Ref
	why     string
}

// text is the group as a line has it.
func (g group) text() string {
	if g.why == "" {
		return names(g.objects)
	}
	return names(g.objects) + ": " + g.why
}

func names(objects []report.Ref) string {
	return words.Some(lists.Map(objects, report.Ref.String), maxNames)
}

// groupMissed groups the objects by the reason.
func groupMissed(all []Missed) []group {
	return groupBy(all, func(m Missed) (report.Ref, string, string) { return m.Object, m.Why, m.Why })
}

// groupRefused groups the objects by the entry that decides.
func groupRefused(all []Refused) []group {
	return groupBy(all, func(r Refused) (report.Ref, string, string) {
		if r.has == "" {
			return r.Object, r.Why, r.Why
		}
		return r.Object, r.Entry + " requires " + r.Wants + r.addition, r.Why
	})
}

// groupBy groups elements in the order of the input. Of returns for each the object, the reason
// that it shares with others and its own reason, which is shown for a single object.
func groupBy[E any](all []E, of func(E) (o report.Ref, shared, own string)) []group {
	var groups []group
	index := map[string]int{}
	for _, element := range all {
		o, shared, own := of(element)
		i, known := index[shared]
		if !known {
			index[shared] = len(groups)
			groups = append(groups, group{objects: []report.Ref{o}, why: own})
			continue
		}
		groups[i].objects, groups[i].why = append(groups[i].objects, o), shared
	}
	return groups
}

// String returns the summary as a sentence.
func (s Summary) String() string {
	edited, verb := s.Changed-s.Created, " change"
	if edited == 1 {
		verb = " changes"
	}
	text := words.Count(edited, "object") + verb + " of " + fmt.Sprint(s.Objects) + "."
	if s.Chosen > 0 {
		text = fmt.Sprintf("%s found; %d of %s selected; %s%s.",
			words.Count(s.Fields, "field"), s.Chosen, words.Count(s.Objects, "object"), words.Count(edited, "object"), verb)
	}
	switch {
	case s.Created == 1:
		text += " 1 object is created."
	case s.Created > 1:
		text += fmt.Sprintf(" %d objects are created.", s.Created)
	}
	if s.MatchedNothing == 1 {
		text += " 1 expression or selector matched nothing."
	}
	if s.MatchedNothing > 1 {
		text += fmt.Sprintf(" %d expressions or selectors matched nothing.", s.MatchedNothing)
	}
	return text
}

// other returns the results that nothing else in the explanation shows, with further ones of a kind
// summed up.
func (e *Explanation) other() []report.Result {
	told := map[string]bool{}
	for _, rule := range e.Rules {
		for _, expression := range rule.Expressions {
			told[expression.Path] = true
		}
	}
	for _, u := range e.Unmatched {
		told[u.Path] = true
	}
	others := keep(e.Results, func(r report.Result) bool {
		switch r.Tags["reason"] {
		case report.ReasonFieldsIgnored, report.ReasonFieldsAnnotated:
			return len(e.Rules) == 0
		case report.ReasonDottedKey, report.ReasonNoMatch: // without a path, one object is told of at the expression
			return r.Field.Path != "" && !told[r.Field.Path]
		}
		return true
	})
	return report.NewFold(e.limit, e.FunctionConfig.Ref).All(others)
}

// Errors returns the results that are errors.
func (e *Explanation) Errors() []report.Result {
	return keep(e.Results, func(r report.Result) bool { return r.Severity == report.SeverityError })
}
