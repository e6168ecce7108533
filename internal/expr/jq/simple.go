package jq

import (
	"slices"

	"github.com/itchyny/gojq"
)

// Step is one step of a simple path expression. It goes on from every place that the steps before
// it lead to. A place that is missing counts as null.
type Step struct {
	Kind StepKind
	// Key is for FieldStep.
	Key string
	// Index is for IndexStep, below 0 counted from the end.
	Index int
	// Condition is for SelectStep.
	Condition Condition
	// Optional leaves out a place of the wrong type, which is an error otherwise.
	Optional bool
}

// StepKind says what a step does.
type StepKind int

const (
	// FieldStep goes to the member of an object; null has none.
	FieldStep StepKind = iota
	// IndexStep goes to the element of a list; null has none.
	IndexStep
	// EachStep goes to all elements of a list, or all members of an object in the order of their
	// keys. Null is of the wrong type.
	EachStep
	// SelectStep stays where its condition holds.
	SelectStep
)

// Condition compares what stands at Fields with a literal.
type Condition struct {
	Fields []string
	// Literal is a value that is no list and no object.
	Literal any
	// Negated is set for `!=`.
	Negated bool
}

// Holds tells whether value, which is no list and no object, meets the condition.
func (c Condition) Holds(value any) bool {
	return (gojq.Compare(value, c.Literal) == 0) != c.Negated
}

// Steps returns what a simple path expression does, such as `.spec.containers[]? | select(.name ==
// "app") | .ports[0]`. It returns false for every other expression. For a caller that has the value
// in another form, to go the steps is cheaper than to make a value of it for Paths.
func (p *Path) Steps() ([]Step, bool) {
	return p.steps, p.isSimple
}

// simpleSteps returns the steps of q, where it is made of fields, indices, `[]`, `?` behind one of
// them, and comparisons in `select`.
func simpleSteps(q *gojq.Query) ([]Step, bool) {
	return addSteps(nil, q)
}

// addSteps appends the steps of q.
func addSteps(steps []Step, q *gojq.Query) ([]Step, bool) {
	if len(q.FuncDefs) > 0 || len(q.Patterns) > 0 {
		return nil, false
	}
	if q.Term != nil {
		return addTermSteps(steps, q.Term)
	}
	if q.Op != gojq.OpPipe {
		return nil, false
	}
	steps, ok := addSteps(steps, q.Left)
	if !ok {
		return nil, false
	}
	return addSteps(steps, q.Right)
}

func addTermSteps(steps []Step, t *gojq.Term) ([]Step, bool) {
	suffixes := t.SuffixList
	switch {
	case t.Type == gojq.TermTypeIdentity:
	case t.Type == gojq.TermTypeIndex:
		suffixes = append([]*gojq.Suffix{{Index: t.Index}}, suffixes...)
	case isCall(t, "select") && len(suffixes) == 0:
		condition, ok := simpleCondition(t.Func.Args[0])
		return append(steps, Step{Kind: SelectStep, Condition: condition}), ok
	default:
		return nil, false
	}
	for i, suffix := range suffixes {
		if suffix.Optional && i > 0 && !suffixes[i-1].Optional {
			steps[len(steps)-1].Optional = true
			continue
		}
		step, ok := suffixStep(suffix)
		if !ok {
			return nil, false
		}
		steps = append(steps, step)
	}
	return steps, true
}

func suffixStep(suffix *gojq.Suffix) (Step, bool) {
	if suffix.Iter {
		return Step{Kind: EachStep}, true
	}
	if suffix.Index == nil {
		return Step{}, false
	}
	if key, ok := fieldName(suffix); ok {
		return Step{Kind: FieldStep, Key: key}, true
	}
	index, ok := signedIndex(suffix.Index)
	return Step{Kind: IndexStep, Index: index}, ok
}

// signedIndex returns the index of a step such as [2] or [-1].
func signedIndex(i *gojq.Index) (int, bool) {
	if i.Start == nil || i.Start.Term == nil || i.Start.Term.Type != gojq.TermTypeUnary ||
		i.Start.Term.Unary.Op != gojq.OpSub || len(i.Start.Term.SuffixList) > 0 {
		return literalIndex(i)
	}
	positive := &gojq.Index{Start: &gojq.Query{Term: i.Start.Term.Unary.Term}, IsSlice: i.IsSlice}
	index, ok := literalIndex(positive)
	return -index, ok
}

// simpleCondition reads `.a.b == "x"`, and `!=`.
func simpleCondition(q *gojq.Query) (Condition, bool) {
	if q.Op != gojq.OpEq && q.Op != gojq.OpNe || len(q.FuncDefs) > 0 || !isScalarLiteral(q.Right) {
		return Condition{}, false
	}
	steps, ok := simpleSteps(q.Left)
	isOther := func(s Step) bool { return s.Kind != FieldStep || s.Optional }
	if !ok || slices.ContainsFunc(steps, isOther) {
		return Condition{}, false
	}
	condition := Condition{Negated: q.Op == gojq.OpNe}
	for _, step := range steps {
		condition.Fields = append(condition.Fields, step.Key)
	}
	condition.Literal, _ = q.Right.Run(nil).Next()
	_, isError := condition.Literal.(error)
	return condition, !isError
}
