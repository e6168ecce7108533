package jq

import (
	"errors"
	"math/big"
	"strings"

	"github.com/itchyny/gojq"
)

// An expression may be run in this process where each of its steps is small, so
// that it can be stopped between two of them. confine sees to that: it takes
// only functions and operators that it knows, and puts a check in front of those
// whose step grows with the size of their operands. A check hands its input on,
// so nothing changes for the expression, a path through it included; but where
// the input is too heavy the check ends the evaluation, which `try` can't stop.
// The expression is then run in the child process, as it was written.

const (
	smallCheck  = "jq:small"
	mediumCheck = "jq:medium"
	keyCheck    = "jq:key"
)

// The weights that operands may have; see weigh. An operation that is quadratic
// takes small ones.
const (
	smallWeight  = 4 << 10
	mediumWeight = 256 << 10
	// inputWeight is for the input of an expression in this process.
	inputWeight = 512 << 10
	// maxConfinedTerms keeps what the checks let through from adding up.
	maxConfinedTerms       = 512
	maxConfinedDefinitions = 32
	// maxConfinedIndex is the largest index that an assignment may fill a list up to.
	maxConfinedIndex = 1024
	// maxConfinedPattern is the longest regular expression, in bytes.
	maxConfinedPattern = 128
)

// errBeyond is the end of an evaluation that is too large for this process.
var errBeyond = errors.New("the evaluation needs a process of its own")

// weightPerValue is what a value weighs beside the bytes of its text.
const weightPerValue = 16

// weigh takes the weight of v off left and returns the rest, which is negative
// where v is heavier. It stops there, so that a value which holds another one
// many times over can't keep it busy.
func weigh(v any, left int) int {
	left -= weightPerValue
	switch v := v.(type) {
	case string:
		left -= len(v)
	case *big.Int:
		left -= v.BitLen() / 8
	case []any:
		for _, element := range v {
			if left < 0 {
				return left
			}
			left = weigh(element, left)
		}
	case map[string]any:
		for key, value := range v {
			if left < 0 {
				return left
			}
			left = weigh(value, left-len(key))
		}
	}
	return left
}

// checks are the functions that confine puts into an expression.
func checks() []gojq.CompilerOption {
	check := func(name string, isLight func(any) bool) gojq.CompilerOption {
		return gojq.WithFunction(name, 0, 0, func(v any, _ []any) any {
			if isLight(v) {
				return v
			}
			// The one error that gojq does not let an expression catch. An
			// expression can't raise it: halt is refused.
			return new(gojq.HaltError)
		})
	}
	return []gojq.CompilerOption{
		check(smallCheck, func(v any) bool { return weigh(v, smallWeight) >= 0 }),
		check(mediumCheck, func(v any) bool { return weigh(v, mediumWeight) >= 0 }),
		// A list as an index searches the list that it indexes.
		check(keyCheck, func(v any) bool { _, isList := v.([]any); return !isList }),
	}
}

// confine puts the checks into q and tells whether q may be run in this
// process. Where it returns false, q is of no use any more.
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

// define notes a definition. One that has the name of a builtin is not taken:
// which of the two a call means depends on where it stands.
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

// isPlainTarget tells whether the left side of an assignment can't make a list
// longer than maxConfinedIndex: it has no index that is computed.
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

// plainTargetFunctions may stand in the left side of an assignment, as a way to
// places or in the condition of one.
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

// isPlainPattern tells whether a regular expression and its flags are literals
// of a modest cost.
func isPlainPattern(arguments []*gojq.Query) bool {
	for _, argument := range arguments {
		text, ok := literalString(argument)
		if !ok || len(text) > maxConfinedPattern || strings.Contains(text, "{") {
			return false
		}
	}
	return true
}

// confinedRule says what a function needs to be taken: checks of its input and
// of what its arguments yield.
type confinedRule struct {
	input, arguments string
	pattern          bool
}

// confined holds the builtin functions that may be run in this process.
var confined = confinedRules()

func confinedRules() map[string]confinedRule {
	rules := map[string]confinedRule{}
	add := func(rule confinedRule, keys string) {
		for key := range strings.FieldsSeq(keys) {
			rules[key] = rule
		}
	}
	// These go by steps, or cost what one value or its length costs.
	add(confinedRule{}, `empty/0 error/0 error/1 not/0 select/1 recurse/0 recurse/1 recurse/2 map/1
		first/0 first/1 last/0 last/1 nth/1 nth/2 limit/2 skip/2 until/2 while/2 repeat/1 range/1 range/2
		range/3 isempty/1 any/0 any/1 any/2 all/0 all/1 all/2 path/1 paths/0 paths/1 type/0 has/1 in/1
		arrays/0 objects/0 iterables/0 scalars/0 values/0 nulls/0 booleans/0 numbers/0 strings/0
		finites/0 normals/0 startswith/1 endswith/1 ltrimstr/1 rtrimstr/1 trimstr/1 ltrim/0 rtrim/0 trim/0
		utf8bytelength/0 toboolean/0 floor/0 ceil/0 round/0 fabs/0 abs/0 sqrt/0 infinite/0 nan/0 isnan/0
		isinfinite/0 isfinite/0 isnormal/0`)
	// These go through all of their input.
	add(confinedRule{input: mediumCheck}, `length/0 keys/0 to_entries/0 from_entries/0 with_entries/1
		map_values/1 walk/1 del/1 add/0 tostring/0 tojson/0 fromjson/0 ascii_downcase/0 ascii_upcase/0
		reverse/0 sort/0 unique/0 min/0 max/0 flatten/0`)
	add(confinedRule{input: mediumCheck, arguments: mediumCheck}, `IN/1 delpaths/1 split/1 flatten/1`)
	add(confinedRule{input: mediumCheck, arguments: smallCheck}, `getpath/1`)
	// These compare each part of one with each of the other, or multiply.
	add(confinedRule{input: smallCheck, arguments: smallCheck}, `contains/1 inside/1 index/1 rindex/1
		indices/1 join/1 tonumber/0 sort_by/1 group_by/1 unique_by/1 min_by/1 max_by/1`)
	add(confinedRule{input: smallCheck, pattern: true}, `test/1 test/2`)
	return rules
}
