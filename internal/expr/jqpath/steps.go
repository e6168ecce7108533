package jqpath

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const (
	// maxSteps is how many steps are taken in one object; jq evaluates an expression that takes
	// more.
	maxSteps = 1_000_000
	// maxHintSteps is that limit for a hint, which is left out beyond it.
	maxHintSteps = 50_000
	// textPerStep is how many bytes of a string are compared at the cost of a step, and
	// matchedPerStep how many are matched with a pattern.
	textPerStep, matchedPerStep = 256, 4
	// nodesPerStep is how many nodes of a map are looked through at the cost of a step.
	nodesPerStep = 32
	// maxMatched is the length, in bytes, of the longest string that is matched with a pattern.
	maxMatched = 4 << 10
)

// stepper evaluates the steps of a simple jq expression on YAML nodes.
type stepper struct {
	budget    dialect.Budget
	locations []location.Location
	// null is the first place that is there and null; nil for none.
	null location.Location
	// pending is a stack, and space has room for the location at hand. Both are reused.
	pending []after
	space   [dialect.UsualDepth]location.Step
}

var steppers = sync.Pool{New: func() any { return &stepper{pending: make([]after, 1, 8)} }}

// evaluateSteps returns what the steps select, in the order of jq, without places that are missing
// or null, and the first place that is there and null. It is false if a step fails or takes more
// work than the budget; then jq evaluates the expression.
func evaluateSteps(root *tree.Node, steps []jq.Step, budget int) (locations []location.Location, null location.Location, ok bool) {
	s := steppers.Get().(*stepper)
	defer s.free()
	s.budget.Left = budget
	ok = s.follow(value{node: root, at: s.space[:0]}, steps, 0)
	return s.locations, s.null, ok
}

// maxKept bounds the stack that a stepper keeps for the next object.
const maxKept = 1024

// free returns the stepper to the pool without references to the object.
func (s *stepper) free() {
	if cap(s.pending) > maxKept {
		return
	}
	clear(s.pending[:cap(s.pending)])
	*s = stepper{pending: s.pending[:1]}
	steppers.Put(s)
}

// valueForm is what a value is.
type valueForm int

const (
	atLocation  valueForm = iota // a node, at a location; it may be missing
	anyNode                      // a node, whose location does not matter
	keyAndValue                  // an object with a key, the text, and a value, the node
	textValue                    // a string
	atomValue                    // null, a boolean or a number
)

// value is what a step begins at or leads to.
type value struct {
	form valueForm
	node *tree.Node // nil for null
	// at is the location of a place. A step overwrites what follows it in its array.
	at   location.Location
	text string
	atom any
}

// elsewhere returns v as a value whose location does not matter.
func (v value) elsewhere() value {
	v.at = nil
	if v.form == atLocation {
		v.form = anyNode
	}
	return v
}

func truth(b bool) value { return value{form: atomValue, atom: b} }

// child returns a value in v, behind one more step of the location.
func (v value) child(n *tree.Node, step location.Step) value {
	if v.form != atLocation {
		return value{form: anyNode, node: n}
	}
	return value{node: n, at: append(v.at, step)}
}

// isNode tells whether v is a node or is missing.
func (v value) isNode() bool { return v.form == atLocation || v.form == anyNode }

// isNull tells whether v is null or is missing.
func (v value) isNull() bool {
	return v.isNode() && tree.Type(v.node) == tree.Null || v.form == atomValue && v.atom == nil
}

// isTrue tells whether v is neither false nor null.
func (v value) isTrue() bool {
	atom := v.atom
	switch {
	case v.form == keyAndValue, v.form == textValue:
		return true
	case v.isNode():
		if v.node != nil && v.node.Kind != tree.ScalarNode {
			return true
		}
		if kind := tree.Type(v.node); kind != tree.Boolean {
			return kind != tree.Null
		}
		atom = tree.Scalar(v.node)
	}
	return atom != nil && atom != false
}

// typeName is the name that jq has for the type of v.
func (v value) typeName() string {
	name := tree.Type(v.node)
	_, isBoolean := v.atom.(bool)
	switch {
	case v.form == textValue:
		name = tree.String
	case v.form == keyAndValue:
		name = tree.Map
	case isBoolean:
		name = tree.Boolean
	case v.atom != nil:
		name = tree.Number
	}
	switch name {
	case tree.Map:
		return "object"
	case tree.List:
		return "array"
	}
	return name
}

// string returns the string that v is, if it is one.
func (v value) string() (string, bool) {
	if v.isNode() && tree.Type(v.node) == tree.String {
		return v.node.Text(), true
	}
	return v.text, v.form == textValue
}

// after says what to do with a value that the last of some steps leads to. It is an element of the
// stack of a stepper; the first one keeps the location.
type after struct {
	action action
	begin  value // what the step began at
	step   *jq.Step
	rest   []jq.Step
	next   int  // the index of what is to be done behind the rest
	found  bool // whether a true value was found
}

// action is what to do with a value.
type action int

const (
	// goOn takes the rest of the steps from the value.
	goOn action = iota
	// goOnIfTrue is goOn, but leaves out false and null.
	goOnIfTrue
	// goOnWithTruth takes the rest of the steps from whether the value is true.
	goOnWithTruth
	// selectBegin takes the rest of the steps from the value that the step began at, if the value
	// it leads to is true.
	selectBegin
	// decide goes on with what the left side of AndStep or OrStep decides, or looks at the right
	// side.
	decide
	// recurseOn takes the rest of the steps from the value and from all that is in it.
	recurseOn
	// noteTrue only finds out whether there is a true value.
	noteTrue
)

// follow takes the steps from v, and then does what is to be done after them.
func (s *stepper) follow(v value, steps []jq.Step, next int) bool {
	v.node = tree.Deref(v.node)
	switch {
	case !s.budget.Spend(1):
		return false
	case len(steps) == 0 && next == 0:
		return v.form == atLocation && s.found(v)
	case len(steps) == 0:
		return s.arrive(v, next)
	}
	step, rest := &steps[0], steps[1:]
	switch step.Kind {
	case jq.FieldStep, jq.IndexStep:
		return s.into(v, step, rest, next)
	case jq.EachStep:
		return s.each(v, step, rest, next)
	case jq.EmptyStep:
		return true
	case jq.RecurseStep:
		return s.recurse(v, rest, next)
	case jq.TypeStep:
		return s.follow(value{form: textValue, text: v.typeName()}, rest, next)
	case jq.EntriesStep:
		return s.entries(v, step)
	case jq.LiteralStep:
		return s.follow(literal(step.Literal), rest, next)
	case jq.BothStep:
		_, isLeft := s.branch(v, step.Left, after{action: goOn, rest: rest, next: next})
		if !isLeft {
			return false
		}
		_, isRight := s.branch(v, step.Right, after{action: goOn, rest: rest, next: next})
		return isRight
	case jq.AlternativeStep:
		found, ok := s.branch(v, step.Left, after{action: goOnIfTrue, rest: rest, next: next})
		if !ok || found {
			return ok
		}
		_, ok = s.branch(v, step.Right, after{action: goOn, rest: rest, next: next})
		return ok
	case jq.SelectStep:
		_, ok := s.branch(v.elsewhere(), step.Left, after{action: selectBegin, begin: v, rest: rest, next: next})
		return ok
	case jq.AndStep, jq.OrStep:
		v = v.elsewhere()
		_, ok := s.branch(v, step.Left, after{action: decide, begin: v, step: step, rest: rest, next: next})
		return ok
	}
	holds, ok := s.holds(v, step)
	return ok && s.follow(truth(holds), rest, next)
}

// branch takes the steps from v, with something to be done after them, and tells whether a true
// value was found.
func (s *stepper) branch(v value, steps []jq.Step, a after) (found, ok bool) {
	i := len(s.pending)
	s.pending = append(s.pending, a)
	ok = s.follow(v, steps, i)
	found = s.pending[i].found
	s.pending = s.pending[:i]
	return found, ok
}

// arrive does the action that waits for a value.
func (s *stepper) arrive(v value, i int) bool {
	a := &s.pending[i]
	switch isTrue := v.isTrue(); a.action {
	case goOn:
	case goOnWithTruth:
		v = truth(isTrue)
	case goOnIfTrue:
		a.found = a.found || isTrue
		if !isTrue {
			return true
		}
	case selectBegin:
		if v = a.begin; !isTrue {
			return true
		}
	case decide:
		if isTrue == (a.step.Kind == jq.AndStep) {
			_, ok := s.branch(a.begin, a.step.Right, after{action: goOnWithTruth, rest: a.rest, next: a.next})
			return ok
		}
		v = truth(isTrue)
	case recurseOn:
		return s.recurse(v, a.rest, a.next)
	case noteTrue:
		a.found = a.found || isTrue
		return true
	}
	return s.follow(v, a.rest, a.next)
}

func literal(v any) value {
	if t, isText := v.(string); isText {
		return value{form: textValue, text: t}
	}
	return value{form: atomValue, atom: v}
}

// into goes to the member of an object or the element of a list.
func (s *stepper) into(v value, step *jq.Step, rest []jq.Step, next int) bool {
	switch {
	case v.isNull():
		return s.follow(v.child(nil, location.Key(step.Text)), rest, next)
	case v.form == keyAndValue && step.Kind == jq.FieldStep:
		return s.follow(v.member(step.Text), rest, next)
	case !v.isNode():
		return step.Optional && v.form != textValue
	case step.Kind == jq.FieldStep && tree.IsMap(v.node):
		return s.budget.Spend(len(v.node.Content)/nodesPerStep) &&
			s.follow(v.child(tree.Lookup(v.node, step.Text), location.Key(step.Text)), rest, next)
	case step.Kind == jq.IndexStep && tree.IsList(v.node):
		return s.element(v, step.Index, rest, next)
	case step.Kind == jq.IndexStep && tree.Type(v.node) == tree.String:
		// jq goes to a character of it, which is no place.
		return false
	}
	return step.Optional
}

// member returns the member of an entry.
func (v value) member(key string) value {
	switch key {
	case "key":
		return value{form: textValue, text: v.text}
	case "value":
		return value{form: anyNode, node: v.node}
	}
	return value{form: atomValue}
}

// each goes on from the elements of a list or the members of a map.
func (s *stepper) each(v value, step *jq.Step, rest []jq.Step, next int) bool {
	switch {
	case v.form == keyAndValue:
		return false // no expression that anyone writes looks at all of an entry
	case v.isNode() && tree.IsMap(v.node):
		return s.members(v, rest, next)
	case !v.isNode() || !tree.IsList(v.node):
		return step.Optional
	}
	for i, element := range v.node.Content {
		if !s.follow(v.child(element, location.Index(i)), rest, next) {
			return false
		}
	}
	return true
}

// anyChildren goes to the children of a value, if it has any.
var anyChildren = []jq.Step{{Kind: jq.EachStep, Optional: true}}

// recurse goes on from v, and from all that is in it.
func (s *stepper) recurse(v value, rest []jq.Step, next int) bool {
	if !s.follow(v, rest, next) {
		return false
	}
	_, ok := s.branch(v, anyChildren, after{action: recurseOn, rest: rest, next: next})
	return ok
}

func (s *stepper) element(v value, i int, rest []jq.Step, next int) bool {
	list := v.node.Content
	if i < 0 {
		i += len(list)
	}
	if i < 0 || i >= len(list) {
		return s.follow(v.child(nil, location.Index(i)), rest, next)
	}
	return s.follow(v.child(list[i], location.Index(i)), rest, next)
}

func (s *stepper) members(v value, rest []jq.Step, next int) bool {
	members := maps.Collect(tree.Entries(v.node))
	if !s.budget.Spend(len(members)) {
		return false
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if !s.follow(v.child(members[key], location.Key(key)), rest, next) {
			return false
		}
	}
	return true
}

// entries keeps the members of a map whose entries the condition of the step selects.
func (s *stepper) entries(v value, step *jq.Step) bool {
	if v.form != atLocation || !v.isNull() && !tree.IsMap(v.node) {
		return false
	}
	var chosen []string
	for key, member := range tree.Entries(v.node) {
		isChosen, ok := s.branch(value{form: keyAndValue, node: member, text: key}, step.Left, after{action: noteTrue})
		if !ok {
			return false
		}
		if isChosen {
			chosen = append(chosen, key)
		}
	}
	if len(chosen) == 0 {
		return true
	}
	slices.Sort(chosen)
	members := tree.MembersOf(v.node)
	for _, key := range chosen {
		if !s.found(v.child(tree.Deref(members.Get(key)), location.Key(key))) {
			return false
		}
	}
	return true
}

// found keeps a place.
func (s *stepper) found(v value) bool {
	if tree.Type(v.node) == tree.Null {
		if v.node != nil && s.null == nil {
			s.null = slices.Clone(v.at)
		}
		return true
	}
	s.locations = append(s.locations, slices.Clone(v.at))
	return s.budget.Spend(dialect.PlaceWork)
}

// holds returns what a step tells of a value; ok is false if it fails.
func (s *stepper) holds(v value, step *jq.Step) (holds, ok bool) {
	if step.Kind == jq.NotStep {
		return !v.isTrue(), true
	}
	t, isString := v.string()
	if !s.budget.Spend(len(t) / textPerStep) {
		return false, false
	}
	switch {
	case step.Kind == jq.CompareStep && isString:
		return step.ComparesText(t), true
	case step.Kind == jq.CompareStep && v.form == atomValue:
		return step.Compares(v.atom), true
	case step.Kind == jq.CompareStep && v.isNode() && (v.node == nil || v.node.Kind == tree.ScalarNode):
		return step.Compares(tree.Scalar(v.node)), true
	case step.Kind == jq.CompareStep:
		return step.Compares([]any(nil)), true
	case step.Kind == jq.HasStep && v.isNull():
		return false, true
	case step.Kind == jq.HasStep && v.isNode() && tree.IsMap(v.node):
		ok = s.budget.Spend(len(v.node.Content) / nodesPerStep)
		return ok && tree.Lookup(v.node, step.Text) != nil, ok
	case !isString || step.Kind == jq.HasStep:
		return false, false
	case step.Kind == jq.PrefixStep:
		return strings.HasPrefix(t, step.Text), true
	case step.Kind == jq.SuffixStep:
		return strings.HasSuffix(t, step.Text), true
	}
	if len(t) > maxMatched || !s.budget.Spend(len(t)/matchedPerStep) {
		return false, false
	}
	return step.Pattern.MatchString(t), true
}
