package jq

import (
	"strings"

	"github.com/itchyny/gojq"
)

// An expression may be run in this process if each of its steps is small, so that it can be stopped
// between two of them. confine ensures that: it accepts only known functions and operators, and
// inserts a check before those whose step grows with the size of their operands. A check passes its
// input on, so the expression, and a path through it, is unchanged; but if the input is too large
// the check ends the evaluation, which `try` can't catch. The expression is then run in the child
// process, as it was written.

// Bounds on an expression that is run in this process.
const (
	// maxConfinedTerms limits the sum of what the checks let through.
	maxConfinedTerms       = 512
	maxConfinedDefinitions = 32
	// maxConfinedIndex is the largest index that an assignment may fill a list up to.
	maxConfinedIndex = 1024
	// maxConfinedPattern is the longest regular expression, in bytes.
	maxConfinedPattern = 128
)

// confine inserts the checks into q and tells whether q may be run in this process. If it returns
// false, q is invalid.
func confine(q *gojq.Query) bool {
	c := confiner{own: map[string]bool{}, ok: true}
	names := visitor{definition: c.define}
	names.walk(q, 0)
	c.visit(q)
	return c.ok && c.terms <= maxConfinedTerms
}

type confiner struct {
	// own holds the functions and parameters that the expression defines.
	own   map[string]bool
	terms int
	ok    bool
}

func (c *confiner) visit(q *gojq.Query) {
	v := visitor{
		term:    func(t *gojq.Term, _ int) { c.confineTerm(t) },
		query:   c.confineOperator,
		pattern: func(p *gojq.Pattern) { c.ok = c.ok && p.Name != "" },
	}
	v.walk(q, 0)
}

// define notes a definition. One that has the name of a builtin is not taken: which of the two a
// call means depends on where it is.
func (c *confiner) define(d *gojq.FuncDef) {
	c.own[functionKey(d.Name, len(d.Args))] = true
	for _, parameter := range d.Args {
		c.own[functionKey(strings.TrimPrefix(parameter, "$"), 0)] = true
	}
	c.ok = c.ok && len(c.own) <= maxConfinedDefinitions && !isBuiltin(d.Name, len(d.Args))
	for _, parameter := range d.Args {
		c.ok = c.ok && !isBuiltin(strings.TrimPrefix(parameter, "$"), 0)
	}
}

func isBuiltin(name string, arguments int) bool {
	args := make([]*gojq.Query, arguments)
	for i := range args {
		args[i] = identity()
	}
	_, err := gojq.Compile(call(name, args...))
	return err == nil
}

func (c *confiner) confineOperator(q *gojq.Query) {
	switch q.Op {
	case 0, gojq.OpPipe, gojq.OpComma, gojq.OpAnd, gojq.OpOr, gojq.OpAlt:
	case gojq.OpEq, gojq.OpNe, gojq.OpLt, gojq.OpLe, gojq.OpGt, gojq.OpGe:
		if !isScalarLiteral(q.Left) && !isScalarLiteral(q.Right) {
			q.Left, q.Right = checked(q.Left, mediumCheck), checked(q.Right, mediumCheck)
		}
	case gojq.OpAdd:
		q.Left, q.Right = checked(q.Left, mediumCheck), checked(q.Right, mediumCheck)
	case gojq.OpSub:
		q.Left, q.Right = checked(q.Left, smallCheck), checked(q.Right, smallCheck)
	case gojq.OpAssign, gojq.OpModify, gojq.OpUpdateAdd, gojq.OpUpdateSub, gojq.OpUpdateAlt:
		c.ok = c.ok && isPlainTarget(q.Left)
		update := *q
		update.FuncDefs = nil
		update.Right = checked(q.Right, smallCheck)
		*q = gojq.Query{
			FuncDefs: q.FuncDefs,
			Left:     call(mediumCheck),
			Op:       gojq.OpPipe,
			Right:    &gojq.Query{Term: parenthesized(&update)},
		}
	default:
		c.ok = false
	}
}

func isScalarLiteral(q *gojq.Query) bool {
	if q.Term == nil || len(q.Term.SuffixList) > 0 {
		return false
	}
	switch q.Term.Type {
	case gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse, gojq.TermTypeNumber:
		return true
	case gojq.TermTypeString:
		return q.Term.Str.Queries == nil
	}
	return false
}

// checked is q with a check behind it.
func checked(q *gojq.Query, check string) *gojq.Query {
	return pipe(&gojq.Query{Term: parenthesized(q)}, call(check))
}

// isPlainTarget tells whether the left side of an assignment can't make a list longer than
// maxConfinedIndex: it has no index that is computed.
func isPlainTarget(q *gojq.Query) bool {
	plain := true
	step := func(i *gojq.Index) {
		if _, isField := fieldName(&gojq.Suffix{Index: i}); isField || i == nil {
			return
		}
		n, isNumber := literalIndex(i)
		plain = plain && isNumber && n <= maxConfinedIndex
	}
	v := visitor{term: func(t *gojq.Term, _ int) {
		step(t.Index)
		for _, suffix := range t.SuffixList {
			step(suffix.Index)
		}
		if t.Func != nil {
			plain = plain && plainTargetFunctions[functionKey(t.Func.Name, len(t.Func.Args))]
		}
	}}
	v.walk(q, 0)
	return plain
}

// plainTargetFunctions may be in the left side of an assignment, as a way to places or in the
// condition of one.
var plainTargetFunctions = map[string]bool{
	"empty/0": true, "select/1": true, "recurse/0": true, "first/0": true, "last/0": true, "has/1": true,
	"not/0": true, "startswith/1": true, "endswith/1": true, "test/1": true, "type/0": true, "length/0": true,
	smallCheck + "/0": true, mediumCheck + "/0": true, keyCheck + "/0": true,
}

// literalIndex returns the index of a step such as [2].
func literalIndex(i *gojq.Index) (int, bool) {
	if i.Start == nil || i.IsSlice || i.Start.Term == nil || i.Start.Term.Type != gojq.TermTypeNumber ||
		len(i.Start.Term.SuffixList) > 0 || len(i.Start.FuncDefs) > 0 || len(i.Start.Term.Number) > 9 {
		return 0, false
	}
	n := 0
	for _, digit := range i.Start.Term.Number {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		n = 10*n + int(digit-'0')
	}
	return n, true
}

func (c *confiner) confineTerm(t *gojq.Term) {
	c.terms++
	c.confineIndex(t.Index)
	for _, suffix := range t.SuffixList {
		c.confineIndex(suffix.Index)
	}
	if t.Object != nil {
		for _, member := range t.Object.KeyVals {
			confineString(member.KeyString)
		}
	}
	confineString(t.Str)
	switch {
	case t.Func != nil:
		c.confineCall(t)
	case t.Type == gojq.TermTypeFormat && t.Str == nil:
		precede(t, mediumCheck)
	}
}

func (c *confiner) confineIndex(i *gojq.Index) {
	if i == nil {
		return
	}
	confineString(i.Str)
	if i.Start != nil && !i.IsSlice && !isScalarLiteral(i.Start) {
		i.Start = checked(i.Start, keyCheck)
	}
}

// confineString puts checks behind the pieces of an interpolated string.
func confineString(s *gojq.String) {
	if s == nil {
		return
	}
	for _, piece := range s.Queries {
		if piece.Term.Query != nil {
			piece.Term.Query = checked(piece.Term.Query, smallCheck)
		}
	}
}

// precede puts a check in front of t.
func precede(t *gojq.Term, check string) {
	inner := *t
	*t = *parenthesized(pipe(call(check), &gojq.Query{Term: &inner}))
}

func (c *confiner) confineCall(t *gojq.Term) {
	key := functionKey(t.Func.Name, len(t.Func.Args))
	if strings.HasPrefix(t.Func.Name, "$") || c.own[key] {
		return
	}
	rule, ok := confined[key]
	if !ok || rule.pattern && !isPlainPattern(t.Func.Args) {
		c.ok = false
		return
	}
	if rule.arguments != "" {
		for i, argument := range t.Func.Args {
			t.Func.Args[i] = checked(argument, rule.arguments)
		}
	}
	if rule.input != "" {
		precede(t, rule.input)
	}
}

// isPlainPattern tells whether a regular expression and its flags are literals of a modest cost.
func isPlainPattern(arguments []*gojq.Query) bool {
	for _, argument := range arguments {
		text, ok := literalString(argument)
		if !ok || len(text) > maxConfinedPattern || strings.Contains(text, "{") {
			return false
		}
	}
	return true
}
