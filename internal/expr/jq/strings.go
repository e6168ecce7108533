package jq

import "github.com/itchyny/gojq"

// gojq selects the characters of a string by `.[0]`, `.[1:]`, `first` and the like, so a path may
// lead into a string, where there is no place. The expression decides whether that is an error:
// `.[0]?` skips anything that is no list. So such an expression is run once more, with a check
// before each such step that fails for a string.

// listCheck hands its input on, but for a string, which is an error.
const listCheck = "jq:list"

// stringIndexError is a step from a string to a part of it.
type stringIndexError struct{}

const intoString = "expected an array but got string"

func (*stringIndexError) Error() string { return intoString }

func withListCheck() gojq.CompilerOption {
	return gojq.WithFunction(listCheck, 0, 0, func(v any, _ []any) any {
		if _, isString := v.(string); isString {
			return &stringIndexError{}
		}
		return v
	})
}

// refuseStrings puts the checks into q.
func refuseStrings(q *gojq.Query) {
	own := map[string]bool{}
	for d := range all[*gojq.FuncDef](q) {
		own[functionKey(d.Name, len(d.Args))] = true
	}
	for t := range all[*gojq.Term](q) {
		if t.Func != nil {
			key := functionKey(t.Func.Name, len(t.Func.Args))
			if !own[key] && (key == "first/0" || key == "last/0" || key == "nth/1") {
				term := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: t.Func}}
				*t = *withSuffixes(parenthesized(pipe(call(listCheck), term)), t.SuffixList)
			}
		}
		checkIndices(t)
	}
}

// withSuffixes is t, which has none, with suffixes.
func withSuffixes(t *gojq.Term, suffixes []*gojq.Suffix) *gojq.Term {
	t.SuffixList = suffixes
	return t
}

// checkIndices puts a check in front of the indices and slices of t.
func checkIndices(t *gojq.Term) {
	now := *t
	suffixes := now.SuffixList
	now.SuffixList = nil
	if now.Type == gojq.TermTypeIndex {
		now = *identity().Term
		suffixes = append([]*gojq.Suffix{{Index: t.Index}}, suffixes...)
	}
	for i := 0; i < len(suffixes); i++ {
		suffix := suffixes[i]
		if _, isField := fieldName(suffix); isField || suffix.Index == nil {
			now.SuffixList = append(now.SuffixList, suffix)
			continue
		}
		before := now
		if !isOptional(suffixes, i+1) {
			now = *parenthesized(pipe(&gojq.Query{Term: &before}, call(listCheck)))
			now.SuffixList = []*gojq.Suffix{suffix}
			continue
		}
		// `?` is about this step alone, and so about the check.
		i++
		step := withSuffixes(parenthesized(call(listCheck)), []*gojq.Suffix{suffix})
		try := &gojq.Term{Type: gojq.TermTypeTry, Try: &gojq.Try{Body: &gojq.Query{Term: step}}}
		now = *parenthesized(pipe(&gojq.Query{Term: &before}, &gojq.Query{Term: try}))
	}
	*t = now
}
