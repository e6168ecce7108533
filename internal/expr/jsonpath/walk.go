package jsonpath

import (
	"fmt"
	"iter"
	"strings"
	"sync"

	"k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// reachedNode is a node that a JSONPath reached, and how. Its node is no alias.
type reachedNode struct {
	parent *reachedNode
	step   location.Step
	node   *tree.Node
	// id is equal for nodes that were reached at one place in several ways; see pathWalk.ids.
	id int
	// written is the step to the node as written, and what follows it; isField is true where it is
	// a key, which may be spelled otherwise, and isWhole where written is the whole path.
	written          string
	isField, isWhole bool
}

// spelling is the path to the place with dots in keys escaped.
func (p *reachedNode) spelling() string {
	switch {
	case p.parent == nil || p.isWhole:
		return p.written
	case p.isField:
		return writeField(p.parent.spelling(), p.step.Key) + p.written
	}
	return p.parent.spelling() + p.written
}

// depth is the number of steps to the place; 0 for nil, too.
func (p *reachedNode) depth() int {
	depth := 0
	for ; p != nil && p.parent != nil; p = p.parent {
		depth++
	}
	return depth
}

func (p *reachedNode) location() location.Location {
	depth := p.depth()
	l := make(location.Location, depth)
	for q := p; q.parent != nil; q = q.parent {
		depth--
		l[depth] = q.step
	}
	return l
}

// describe names the place in messages.
func (p *reachedNode) describe() string { return dialect.Place(p.location()) }

// pathWalk resolves the steps of a JSONPath, or of one side of a filter, from one place.
type pathWalk struct {
	in         *dialect.Input
	expression string
	budget     *dialect.Budget
	room       *room
	// joins tells whether names are joined with dots, and spells whether spellings are asked for.
	joins, spells bool
	// ids has the id of each place that was reached, and descended the places that a recursive
	// descent has been in; both are nil if no place can be reached twice.
	ids       map[edge]int
	descended map[descent]bool
	// ended is the place from which the step endedAt led nowhere; not known once there was a
	// recursive descent.
	ended      *reachedNode
	endedAt    *jsonStep
	descending bool
}

type edge struct {
	parent int
	step   location.Step
}

type descent struct {
	place int
	step  *jsonStep
}

// room is memory for the places that one evaluation reaches.
type room struct{ places []reachedNode }

// maxRoom bounds the places whose memory is used again.
const maxRoom = 128

// rooms pools rooms.
var rooms = sync.Pool{New: func() any { return &room{make([]reachedNode, 0, maxRoom)} }}

// place returns a place of the room; once that is full, one of its own.
func (r *room) place() *reachedNode {
	if len(r.places) == cap(r.places) {
		return new(reachedNode)
	}
	r.places = r.places[:len(r.places)+1]
	return &r.places[len(r.places)-1]
}

// free returns the room to the pool, without references to an object.
func (r *room) free() {
	clear(r.places)
	r.places = r.places[:0]
	rooms.Put(r)
}

func newPathWalk(in *dialect.Input, expression string, steps []jsonStep, b *dialect.Budget, r *room) *pathWalk {
	w := &pathWalk{in: in, expression: expression, budget: b, room: r}
	if canRepeat(steps) {
		w.ids, w.descended = map[edge]int{}, map[descent]bool{}
	}
	return w
}

// canRepeat tells whether the steps can reach one place in several ways.
func canRepeat(steps []jsonStep) bool {
	descents := 0
	for _, step := range steps {
		switch step.node.Type() {
		case jsonpath.NodeUnion:
			return true
		case jsonpath.NodeRecursive:
			descents++
		}
	}
	return descents > 1
}

// walk takes the steps from all the places and returns what it reaches, each place once.
func (w *pathWalk) walk(places []*reachedNode, steps []jsonStep) ([]*reachedNode, error) {
	for i := 0; i < len(steps); {
		if steps[i].node.Type() == jsonpath.NodeRecursive {
			return w.descend(places, steps[i:])
		}
		taken := 1
		if w.joins {
			taken = max(1, leadingFields(steps[i:]))
		}
		next, err := w.take(places, steps[i:i+taken])
		if err != nil {
			return nil, err
		}
		if len(next) == 0 {
			if len(places) > 0 && !w.descending {
				w.ended, w.endedAt = places[0], &steps[i]
			}
			return nil, nil
		}
		if len(next) > dialect.MaxLocations {
			return nil, w.fail(dialect.TooManyLocations)
		}
		places, i = next, i+taken
	}
	return places, nil
}

// take takes one step, or several fields that are to be joined.
func (w *pathWalk) take(places []*reachedNode, steps []jsonStep) ([]*reachedNode, error) {
	var reached []*reachedNode
	for i, p := range places {
		next, err := w.takeFrom(p, steps)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			reached = next
			continue
		}
		reached = append(reached, next...)
	}
	if steps[0].node.Type() == jsonpath.NodeUnion {
		return unique(reached), nil
	}
	return reached, nil
}

func (w *pathWalk) takeFrom(p *reachedNode, steps []jsonStep) ([]*reachedNode, error) {
	if len(steps) > 1 {
		return w.joined(p, fieldNames(steps))
	}
	step := &steps[0]
	switch node := step.node.(type) {
	case *jsonpath.FieldNode:
		return w.field(p, node.Value)
	case *jsonpath.WildcardNode:
		return w.children(p, step)
	case *jsonpath.ArrayNode:
		return w.slice(p, node, step)
	case *jsonpath.FilterNode:
		return w.filter(p, step)
	}
	return w.union(p, step)
}

// child returns the place one step from p.
func (w *pathWalk) child(p *reachedNode, step location.Step, n *tree.Node, written string) (*reachedNode, error) {
	if !w.budget.Spend(dialect.PlaceWork) {
		return nil, w.fail(dialect.TooMuchWork)
	}
	c := w.room.place()
	*c = reachedNode{parent: p, step: step, node: tree.Deref(n), written: written}
	if w.ids != nil {
		e := edge{p.id, step}
		if w.ids[e] == 0 {
			w.ids[e] = len(w.ids) + 1
		}
		c.id = w.ids[e]
	}
	return c, nil
}

func (w *pathWalk) field(p *reachedNode, name string) ([]*reachedNode, error) {
	if !w.budget.Spend(hint.LookupWork(p.node)) {
		return nil, w.fail(dialect.TooMuchWork)
	}
	n := w.in.Lookup(p.node, name)
	if n == nil {
		return nil, nil
	}
	c, err := w.fieldAt(p, name, n)
	return []*reachedNode{c}, err
}

// fieldAt returns the place of the member n of the map at p.
func (w *pathWalk) fieldAt(p *reachedNode, key string, n *tree.Node) (*reachedNode, error) {
	c, err := w.child(p, location.Key(key), n, "")
	if err == nil {
		c.isField = true
	}
	return c, err
}

// children returns the members of the map or the elements of the list at p.
func (w *pathWalk) children(p *reachedNode, step *jsonStep) ([]*reachedNode, error) {
	var all []*reachedNode
	for childStep, n := range steppedInto(p.node) {
		c, err := w.child(p, childStep, n, step.source)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// steppedInto yields what the map or list n holds, with the steps to it.
func steppedInto(n *tree.Node) iter.Seq2[location.Step, *tree.Node] {
	return func(yield func(location.Step, *tree.Node) bool) {
		for i, element := range tree.Elements(n) {
			if !yield(location.Index(i), element) {
				return
			}
		}
		for key, value := range tree.Entries(n) {
			if !yield(location.Key(key), value) {
				return
			}
		}
	}
}

// slice returns the elements of the list at p that an index or a slice names.
func (w *pathWalk) slice(p *reachedNode, node *jsonpath.ArrayNode, step *jsonStep) ([]*reachedNode, error) {
	if ok, err := w.mustBeList(p, step); !ok {
		return nil, err
	}
	elements := p.node.Content
	first, end, by := bounds(node.Params, len(elements))
	var named []*reachedNode
	for i := first; i < end; i += by {
		c, err := w.child(p, location.Index(i), elements[i], step.source)
		if err != nil {
			return nil, err
		}
		named = append(named, c)
		if by > end-i {
			break
		}
	}
	return named, nil
}

// mustBeList fails where p is neither a list nor null, and is false if p is no list.
func (w *pathWalk) mustBeList(p *reachedNode, step *jsonStep) (bool, error) {
	switch tree.Type(p.node) {
	case tree.List:
		return true, nil
	case tree.Null:
		return false, nil
	}
	more := ""
	if tree.IsMap(p.node) && step.source == "[*]" {
		more = "; the members of a map are selected by .*"
	}
	if key := strings.Trim(step.source, "[]"); tree.IsMap(p.node) && tree.Lookup(p.node, key) != nil {
		more += fmt.Sprintf("; a key must be in quotes: ['%s']", key)
	}
	return false, w.failAt(p, step, func(place string) string {
		return fmt.Sprintf("%s must be applied to a list, but %s is %s%s", step.source, place, tree.Typed(p.node), more)
	})
}

// bounds returns the first index, the one after the last, and the step of an index or slice in a
// list of the given length.
func bounds(params [3]jsonpath.ParamsEntry, length int) (first, end, by int) {
	at := func(p jsonpath.ParamsEntry, missing int) int {
		switch {
		case !p.Known:
			return missing
		case p.Value < 0:
			return p.Value + length
		}
		return p.Value
	}
	first, by = at(params[0], 0), 1
	if params[1].Derived {
		if first < 0 || first >= length {
			return 0, 0, 1
		}
		return first, first + 1, 1
	}
	if params[2].Known {
		by = params[2].Value
	}
	return max(first, 0), min(at(params[1], length), length), by
}

// filter returns the elements of the list at p for which the condition holds.
func (w *pathWalk) filter(p *reachedNode, step *jsonStep) ([]*reachedNode, error) {
	if ok, err := w.mustBeList(p, step); !ok {
		return nil, err
	}
	if indices, ok := w.equalTo(p.node, step.condition); ok {
		return w.elementsAt(p, indices, step)
	}
	var held []*reachedNode
	for i, element := range p.node.Content {
		c, err := w.child(p, location.Index(i), element, step.source)
		if err != nil {
			return nil, err
		}
		holds, err := w.holds(c, step)
		if err != nil {
			return nil, err
		}
		if holds {
			held = append(held, c)
		}
	}
	return held, nil
}

// equalTo returns the elements of a list of which a condition compares a text for equality; false
// where each must be looked at.
func (w *pathWalk) equalTo(list *tree.Node, c *condition) (indices []int, isKnown bool) {
	if c.operator != "==" || c.left.literal != nil || c.right.literal == nil || tree.Type(c.right.literal) != tree.String || len(c.left.steps) > 1 {
		return nil, false
	}
	member := ""
	if len(c.left.steps) == 1 {
		field, isField := c.left.steps[0].node.(*jsonpath.FieldNode)
		if !isField || field.Value == "" {
			return nil, false
		}
		member = field.Value
	}
	return w.in.ElementsWith(list, member, c.right.literal.Text())
}

// elementsAt returns the places of elements of the list at p.
func (w *pathWalk) elementsAt(p *reachedNode, indices []int, step *jsonStep) ([]*reachedNode, error) {
	var places []*reachedNode
	for _, i := range indices {
		c, err := w.child(p, location.Index(i), p.node.Content[i], step.source)
		if err != nil {
			return nil, err
		}
		places = append(places, c)
	}
	return places, nil
}

// union returns what each of the union's paths reaches from p.
func (w *pathWalk) union(p *reachedNode, step *jsonStep) ([]*reachedNode, error) {
	from := *p
	from.written, from.isWhole = "", true
	var reached []*reachedNode
	written := strings.Split(step.source[1:len(step.source)-1], ",")
	for i, member := range step.members {
		next, err := w.walk([]*reachedNode{&from}, member)
		if err != nil {
			return nil, err
		}
		if w.spells && len(next) > 0 && strings.Contains(strings.Join(fieldNames(member[:leadingFields(member)]), "."), ".") {
			// As the union has it, in quotes, or as written where quotes can't hold it.
			if name := strings.TrimPrefix(next[0].spelling(), "."); !strings.ContainsAny(name, "',]") {
				written[i] = "'" + name + "'"
			}
		}
		reached = append(reached, next...)
	}
	if !w.spells {
		return reached, nil
	}
	spelling := p.spelling() + "[" + strings.Join(written, ",") + "]"
	for _, r := range reached {
		r.written, r.isWhole = spelling, true
	}
	return reached, nil
}

// failAt is fail with a cause that quotes a step, and names a place.
func (w *pathWalk) failAt(p *reachedNode, step *jsonStep, cause func(place string) string) *fault.RuntimeError {
	return &fault.RuntimeError{
		Failure: names.Failure, Expression: w.expression, Cause: cause(p.describe()), KeylessCause: cause("what it finds"), Quotes: step.source,
	}
}

func (w *pathWalk) fail(cause string) error {
	return &fault.RuntimeError{Failure: names.Failure, Expression: w.expression, Cause: cause}
}

// descend takes the first step, a recursive descent, into every map and list in the places and in
// what they hold, and from each the other steps.
func (w *pathWalk) descend(places []*reachedNode, steps []jsonStep) ([]*reachedNode, error) {
	w.descending = true
	var reached []*reachedNode
	for _, p := range places {
		from := *p
		from.written += steps[0].source
		if err := w.descendInto(&from, steps, 0, &reached); err != nil {
			return nil, err
		}
	}
	if w.ids != nil {
		reached = unique(reached)
	}
	return reached, nil
}

func (w *pathWalk) descendInto(p *reachedNode, steps []jsonStep, depth int, reached *[]*reachedNode) error {
	d := descent{p.id, &steps[0]}
	if !holdsAny(p.node) || w.descended[d] {
		return nil
	}
	if w.ids != nil {
		w.descended[d] = true
	}
	if depth > dialect.MaxDepth {
		return w.fail(dialect.TooDeep)
	}
	next, err := w.walk([]*reachedNode{p}, steps[1:])
	if err != nil {
		return err
	}
	if *reached = append(*reached, next...); len(*reached) > dialect.MaxLocations {
		return w.fail(dialect.TooManyLocations)
	}
	for step, n := range steppedInto(p.node) {
		if !w.budget.Spend(1) {
			return w.fail(dialect.TooMuchWork)
		}
		if !holdsAny(tree.Deref(n)) {
			continue
		}
		c, err := w.child(p, step, n, "")
		if err != nil {
			return err
		}
		if err := w.descendInto(c, steps, depth+1, reached); err != nil {
			return err
		}
	}
	return nil
}

// holdsAny tells whether n is a map or a list that is not empty.
func holdsAny(n *tree.Node) bool { return n != nil && len(n.Content) > 0 }

// unique returns the places without those that are there twice, in order.
func unique(places []*reachedNode) []*reachedNode {
	seen := make(map[int]bool, len(places))
	var once []*reachedNode
	for _, p := range places {
		if !seen[p.id] {
			seen[p.id] = true
			once = append(once, p)
		}
	}
	return once
}
