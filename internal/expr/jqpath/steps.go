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
	in        *dialect.Input
	budget    dialect.Budget
	locations []location.Location
	// null is the first place that is there and null; nil for none.
	null location.Location
	// room is memory for the location of the value that is looked at.
	room location.Location
}

// steppers pools steppers for their memory.
var steppers = sync.Pool{New: func() any { return &stepper{room: make(location.Location, 0, dialect.UsualDepth)} }}

// evaluateSteps returns what the steps select, in the order of jq, without places that are missing
// or null, and the first place that is there and null. It is false if a step fails or takes more
// work than the budget; then jq evaluates the expression.
func evaluateSteps(in *dialect.Input, steps []jq.Step, budget int) (locations []location.Location, null location.Location, ok bool) {
	s := steppers.Get().(*stepper)
	defer steppers.Put(s)
	*s = stepper{in: in, budget: dialect.Budget{Left: budget}, room: s.room}
	ok = s.follow(value{node: tree.Deref(in.Root), at: s.room, isPlace: true}, steps, s.keep)
	return s.locations, s.null, ok
}

// value is what a step begins at or leads to.
type value struct {
	node *tree.Node // nil for null and for what is missing
	// at is the location of a place. A step overwrites what follows it in its array.
	at      location.Location
	isPlace bool
}

// child returns a value in v, behind one more step of the location.
func (v value) child(n *tree.Node, step location.Step) value {
	if !v.isPlace {
		return value{node: tree.Deref(n)}
	}
	return value{node: tree.Deref(n), at: append(v.at, step), isPlace: true}
}

// isTrue tells whether n is neither false nor null.
func isTrue(n *tree.Node) bool {
	switch tree.Type(n) {
	case tree.Null:
		return false
	case tree.Boolean:
		return tree.Scalar(n) == true
	}
	return true
}

// The values of conditions, the keys of entries, and what jq calls the types of data.
var (
	truths            = map[bool]*tree.Node{false: tree.FromValue(false), true: tree.FromValue(true)}
	keyName, valueKey = tree.NewString("key"), tree.NewString("value")
	typeNames         = map[string]*tree.Node{
		tree.Map: tree.NewString("object"), tree.List: tree.NewString("array"), tree.String: tree.NewString("string"),
		tree.Number: tree.NewString("number"), tree.Boolean: tree.NewString("boolean"), tree.Null: tree.NewString("null"),
	}
)

// follow takes the steps from v and calls then with each value that they lead to. It is false if a
// step fails or then is.
func (s *stepper) follow(v value, steps []jq.Step, then func(value) bool) bool {
	if !s.budget.Spend(1) {
		return false
	}
	if len(steps) == 0 {
		return then(v)
	}
	step, rest := &steps[0], steps[1:]
	switch step.Kind {
	case jq.FieldStep, jq.IndexStep:
		child, ok := s.child(v, step)
		if !ok {
			// jq takes the index of a string for a character, which is no place.
			isSkipped := step.Optional && (step.Kind == jq.FieldStep || tree.Type(v.node) != tree.String)
			return isSkipped && s.budget.Left >= 0
		}
		return s.follow(child, rest, then)
	case jq.EachStep:
		return s.each(v, step, rest, then)
	case jq.EntriesStep:
		return s.entries(v, step)
	case jq.EmptyStep:
		return true
	case jq.TypeStep:
		return s.follow(value{node: typeNames[tree.Type(v.node)]}, rest, then)
	case jq.LiteralStep:
		return s.follow(value{node: tree.FromValue(step.Literal)}, rest, then)
	case jq.SelectStep:
		return s.follow(value{node: v.node}, step.Left, func(holds value) bool {
			return !isTrue(holds.node) || s.follow(v, rest, then)
		})
	case jq.RecurseStep, jq.BothStep, jq.AlternativeStep, jq.AndStep, jq.OrStep:
		return s.branch(v, step, func(v value) bool { return s.follow(v, rest, then) })
	}
	holds, ok := s.holds(v.node, step)
	return ok && s.follow(value{node: truths[holds]}, rest, then)
}

// branch takes a step that has steps in it.
func (s *stepper) branch(v value, step *jq.Step, next func(value) bool) bool {
	switch step.Kind {
	case jq.RecurseStep:
		return s.recurse(v, next)
	case jq.BothStep:
		return s.follow(v, step.Left, next) && s.follow(v, step.Right, next)
	case jq.AlternativeStep:
		found := false
		ok := s.follow(v, step.Left, func(left value) bool {
			if !isTrue(left.node) {
				return true
			}
			found = true
			return next(left)
		})
		return ok && (found || s.follow(v, step.Right, next))
	}
	return s.follow(value{node: v.node}, step.Left, func(left value) bool {
		if holds := isTrue(left.node); holds != (step.Kind == jq.AndStep) {
			return next(value{node: truths[holds]})
		}
		return s.follow(value{node: v.node}, step.Right, func(right value) bool {
			return next(value{node: truths[isTrue(right.node)]})
		})
	})
}

// child takes a step to a member of an object or an element of a list; false if v has another type.
func (s *stepper) child(v value, step *jq.Step) (value, bool) {
	switch {
	case tree.Type(v.node) == tree.Null:
		return v.child(nil, location.Key(step.Text)), true
	case step.Kind == jq.FieldStep && tree.IsMap(v.node):
		ok := s.budget.Spend(len(v.node.Content) / nodesPerStep)
		return v.child(s.in.Lookup(v.node, step.Text), location.Key(step.Text)), ok
	case step.Kind == jq.FieldStep || !tree.IsList(v.node):
		return value{}, false
	}
	i, list := step.Index, v.node.Content
	if i < 0 {
		i += len(list)
	}
	if i < 0 || i >= len(list) {
		return v.child(nil, location.Index(i)), true
	}
	return v.child(list[i], location.Index(i)), true
}

// each goes on from the elements of a list or the members of a map.
func (s *stepper) each(v value, step *jq.Step, rest []jq.Step, then func(value) bool) bool {
	if tree.IsMap(v.node) {
		members := maps.Collect(tree.Entries(v.node))
		if !s.budget.Spend(len(members)) {
			return false
		}
		for _, key := range slices.Sorted(maps.Keys(members)) {
			if !s.follow(v.child(members[key], location.Key(key)), rest, then) {
				return false
			}
		}
		return true
	}
	if !tree.IsList(v.node) {
		return step.Optional
	}
	for i, element := range v.node.Content {
		if !s.follow(v.child(element, location.Index(i)), rest, then) {
			return false
		}
	}
	return true
}

// anyChild goes to the children of a value, if it has any.
var anyChild = []jq.Step{{Kind: jq.EachStep, Optional: true}}

// recurse goes on from v, and from all that is in it.
func (s *stepper) recurse(v value, next func(value) bool) bool {
	return next(v) && s.follow(v, anyChild, func(child value) bool { return s.recurse(child, next) })
}

// entries keeps the members of a map whose entries the condition of the step selects.
func (s *stepper) entries(v value, step *jq.Step) bool {
	if !v.isPlace || tree.Type(v.node) != tree.Null && !tree.IsMap(v.node) {
		return false
	}
	type member struct {
		key  string
		node *tree.Node
	}
	var chosen []member
	for key, n := range tree.Entries(v.node) {
		entry := &tree.Node{Kind: tree.MappingNode, Content: []*tree.Node{keyName, tree.NewString(key), valueKey, n}}
		isChosen := false
		ok := s.follow(value{node: entry}, step.Left, func(holds value) bool {
			isChosen = isChosen || isTrue(holds.node)
			return true
		})
		if !ok {
			return false
		}
		if isChosen {
			chosen = append(chosen, member{key, n})
		}
	}
	slices.SortFunc(chosen, func(a, b member) int { return strings.Compare(a.key, b.key) })
	for _, c := range chosen {
		if !s.keep(v.child(c.node, location.Key(c.key))) {
			return false
		}
	}
	return true
}

// keep keeps a place; a value that is at none can't be kept.
func (s *stepper) keep(v value) bool {
	if !v.isPlace {
		return false
	}
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
func (s *stepper) holds(n *tree.Node, step *jq.Step) (holds, ok bool) {
	text, kind := "", tree.Type(n)
	if kind == tree.String {
		text = n.Text()
	}
	if !s.budget.Spend(len(text) / textPerStep) {
		return false, false
	}
	switch step.Kind {
	case jq.NotStep:
		return !isTrue(n), true
	case jq.CompareStep:
		if kind == tree.Map || kind == tree.List {
			return step.Compares([]any(nil)), true
		}
		return step.Compares(tree.Scalar(n)), true
	case jq.HasStep:
		if kind != tree.Map {
			return false, kind == tree.Null
		}
		ok = s.budget.Spend(len(n.Content) / nodesPerStep)
		return ok && tree.Lookup(n, step.Text) != nil, ok
	}
	switch {
	case kind != tree.String:
		return false, false
	case step.Kind == jq.PrefixStep:
		return strings.HasPrefix(text, step.Text), true
	case step.Kind == jq.SuffixStep:
		return strings.HasSuffix(text, step.Text), true
	case len(text) > maxMatched || !s.budget.Spend(len(text)/matchedPerStep):
		return false, false
	}
	return step.Pattern.MatchString(text), true
}
