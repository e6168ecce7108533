package explain

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
)

// Name names one object or several: those of a kind and a name, in any namespace where Namespace is
// "", and of any name, or of none, where Name is "".
type Name struct {
	Kind, Namespace, Name string
}

// ParseName parses kind, kind/name or kind/namespace/name; false if it is none of them.
func ParseName(text string) (Name, bool) {
	parts := strings.Split(text, "/")
	if len(parts) > 3 || slices.Contains(parts, "") {
		return Name{}, false
	}
	name := Name{Kind: parts[0]}
	if len(parts) > 1 {
		name.Name = parts[len(parts)-1]
	}
	if len(parts) == 3 {
		name.Namespace = parts[1]
	}
	return name, true
}

// Names tells whether the name is that of an object. Kinds may be written in lower case.
func (n Name) Names(ref report.Ref) bool {
	return strings.EqualFold(n.Kind, ref.Kind) && (n.Name == "" || n.Name == ref.Name) && (n.Namespace == "" || n.Namespace == ref.Namespace)
}

// Only returns the explanation of the named objects alone. The summary stays that of the run.
func (e Explanation) Only(name Name) *Explanation {
	var rules []*ExplainedRule
	for _, rule := range e.Rules {
		if rule.Of == nil || name.Names(*rule.Of) {
			rules = append(rules, rule.only(name))
		}
	}
	e.Rules = rules
	e.Unmatched = nil
	e.NotChosen = keep(e.NotChosen, func(r Refused) bool { return name.Names(r.Object) })
	e.Changes = keep(e.Changes, func(c Change) bool { return name.Names(c.Object) })
	e.Results = keep(e.Results, func(r report.Result) bool { return name.Names(r.Ref) })
	return &e
}

func (r ExplainedRule) only(name Name) *ExplainedRule {
	r.MoreNotInRule = 0
	r.NotInRule = keep(r.NotInRule, func(o Refused) bool { return name.Names(o.Object) })
	expressions := make([]*Expression, len(r.Expressions))
	for i, e := range r.Expressions {
		one := *e
		one.Found = keep(e.Found, func(f Fields) bool { return name.Names(f.Object) })
		one.Nothing = keep(e.Nothing, func(m Missed) bool { return name.Names(m.Object) })
		one.Failed = keep(e.Failed, func(m Missed) bool { return name.Names(m.Object) })
		expressions[i] = &one
	}
	r.Expressions = expressions
	return &r
}

// keep returns the elements that are to stay, in memory of its own.
func keep[E any](all []E, stays func(E) bool) []E {
	return slices.DeleteFunc(slices.Clone(all), func(e E) bool { return !stays(e) })
}
