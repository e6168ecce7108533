package jq

import (
	"fmt"
	"strings"
	"sync"

	"github.com/itchyny/gojq"
)

// gojq's work to compile an expression grows faster than the expression in three ways. Each name is
// searched among all names declared around it. Each alternative of a `?//` clears the variables of
// all of them. And for each recursive call it follows the branches around that call. So the work is
// counted on the syntax tree before gojq compiles it.

// The units of work below take some microseconds each at most.
const (
	// textPerUnit is how many bytes are parsed, or explained where they are wrong.
	textPerUnit = 8
	// unitsPerCall is for the builtin function that a call brings along.
	unitsPerCall = 10
	// unitsPerOptional is for one `?`.
	unitsPerOptional = 2
	// unitsPerAlternative is for one variable in one alternative.
	unitsPerAlternative = 4
	// lookupsPerUnit is how many names are compared.
	lookupsPerUnit = 4000
	// branchesPerUnit is how many branches are gone along.
	branchesPerUnit = 500
)

// The most that is accepted.
const (
	maxWork    = 500_000
	maxRunWork = 1_000_000
	// lightWork is the work up to which several expressions are compiled at the same time.
	lightWork = 20_000
)

// Compilation counts the work to compile the expressions of one run. It is safe for use by several
// goroutines.
type Compilation struct {
	mutex sync.Mutex
	// work is what each expression takes, and total what all of them do.
	work  map[string]int
	total int
	// paths are those that are compiled already.
	paths map[string]*Path
}

// NewCompilation returns the count of a run that has no expression yet.
func NewCompilation() *Compilation {
	return &Compilation{work: map[string]int{}, paths: map[string]*Path{}}
}

// Err returns a *CompilationError where the run has too much to compile, else nil. It is the same
// whatever the order of the expressions.
func (c *Compilation) Err() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.total > maxRunWork {
		return &CompilationError{Limit: maxRunWork}
	}
	return nil
}

// add counts an expression, once however often it comes. When more is known of its work it is added
// again.
func (c *Compilation) add(expression string, work int) error {
	if c == nil {
		return nil
	}
	c.mutex.Lock()
	if known := c.work[expression]; work > known {
		c.work[expression] = work
		c.total += work - known
	}
	c.mutex.Unlock()
	return c.Err()
}

func (c *Compilation) path(expression string) *Path {
	if c == nil {
		return nil
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.paths[expression]
}

func (c *Compilation) keep(expression string, path *Path) {
	if c == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.paths[expression] = path
}

// heavyCompile is held while an expensive expression is compiled, so that memory does not grow with
// the number of processors.
var heavyCompile sync.Mutex

// admit refuses an expression that takes too much work to compile. It returns a function to call
// when the expression is compiled.
func admit(expression string, query *gojq.Query, c *Compilation) (done func(), err error) {
	work := workOf(query)
	if work > maxWork {
		return nil, tooMuchWork(expression, query)
	}
	if err := c.add(expression, textWork(expression)+work); err != nil {
		return nil, err
	}
	if work <= lightWork {
		return func() {}, nil
	}
	heavyCompile.Lock()
	return heavyCompile.Unlock, nil
}

func tooMuchWork(expression string, query *gojq.Query) error {
	fault := &SyntaxError{
		Expression: shorten(expression, 80),
		Reason:     fmt.Sprintf("must take at most %d steps to compile, found %d", maxWork, workOf(query)),
	}
	w := countWork(query)
	if w.alternatives*unitsPerAlternative > maxWork/2 {
		fault.Fix = "each variable costs a step in each alternative of ?//; use fewer of either"
	}
	return fault
}

// textWork is the work of reading an expression, or of saying why it is wrong.
func textWork(expression string) int {
	return len(expression) / textPerUnit
}

// workOf returns the units of work that it takes to compile a query.
func workOf(query *gojq.Query) int {
	w := countWork(query)
	return w.nodes + w.alternatives*unitsPerAlternative + w.calls*unitsPerCall +
		w.lookups*w.names/lookupsPerUnit + w.ownCalls*w.branches/branchesPerUnit
}

// workCount counts what makes a syntax tree expensive to compile.
type workCount struct {
	// nodes of the tree, calls of functions and what works like one, those by the name of a
	// function, which may be that around it, and branches.
	nodes, calls, ownCalls, branches int
	// names are what is declared, with or without a name, and lookups how often one is searched
	// for.
	names, lookups int
	// alternatives are the variables of `?//`, for each alternative.
	alternatives int
}

func countWork(query *gojq.Query) *workCount {
	w := &workCount{}
	v := visitor{query: w.query, term: w.term, pattern: w.pattern, definition: w.definition}
	v.walk(query, 0)
	return w
}

// call counts a call that compiles its arguments as functions.
func (w *workCount) call(arguments int) {
	w.names += 1 + arguments
	w.nodes += 1 + arguments
}

// lookup counts a call by name.
func (w *workCount) lookup() {
	w.lookups++
	w.calls++
}

func (w *workCount) query(q *gojq.Query) {
	w.nodes++
	w.bind(q.Patterns)
	switch q.Op {
	case 0, gojq.OpPipe:
	case gojq.OpComma, gojq.OpAnd, gojq.OpOr, gojq.OpAlt:
		w.names++
		w.branches++
	case gojq.OpAssign, gojq.OpModify, gojq.OpUpdateAdd, gojq.OpUpdateSub, gojq.OpUpdateMul, gojq.OpUpdateDiv,
		gojq.OpUpdateMod, gojq.OpUpdateAlt:
		w.call(4)
		w.lookup()
	default:
		w.call(2)
	}
}

func (w *workCount) term(t *gojq.Term, _ int) {
	w.nodes += 1 + len(t.SuffixList)
	w.index(t.Index)
	for _, suffix := range t.SuffixList {
		w.index(suffix.Index)
		if suffix.Optional {
			w.branches++
			w.nodes += unitsPerOptional
		}
	}
	w.text(t.Str)
	switch t.Type {
	case gojq.TermTypeFunc:
		w.callTerm(t.Func)
	case gojq.TermTypeRecurse, gojq.TermTypeFormat, gojq.TermTypeBreak, gojq.TermTypeLabel:
		w.lookup()
	case gojq.TermTypeObject:
		w.object(t.Object)
	case gojq.TermTypeArray:
		w.names++
	case gojq.TermTypeIf:
		w.branches += 1 + len(t.If.Elif)
		w.nodes += len(t.If.Elif)
	case gojq.TermTypeTry:
		w.branches++
	case gojq.TermTypeReduce:
		w.names++
		w.bind(t.Reduce.Patterns)
	case gojq.TermTypeForeach:
		w.names++
		w.bind(t.Foreach.Patterns)
	}
}

func (w *workCount) callTerm(f *gojq.Func) {
	w.call(len(f.Args))
	if strings.HasPrefix(f.Name, "$") {
		w.lookups++
		return
	}
	w.lookup()
	w.ownCalls++
}

func (w *workCount) index(i *gojq.Index) {
	if i == nil || i.Name != "" {
		return
	}
	w.text(i.Str)
	w.call(3)
}

// text counts the pieces of an interpolated string, which are made texts and added up.
func (w *workCount) text(s *gojq.String) {
	if s == nil {
		return
	}
	for range s.Queries {
		w.call(2)
		w.lookup()
	}
}

func (w *workCount) object(o *gojq.Object) {
	w.names++
	for _, member := range o.KeyVals {
		w.nodes++
		w.text(member.KeyString)
		if strings.HasPrefix(member.Key, "$") {
			w.lookups++
		}
	}
}

func (w *workCount) pattern(p *gojq.Pattern) {
	w.nodes += 4
	w.names++
	w.lookups++
	for _, member := range p.Object {
		w.nodes += 4
		w.text(member.KeyString)
		if strings.HasPrefix(member.Key, "$") {
			w.names++
			w.lookups++
		}
	}
}

func (w *workCount) definition(d *gojq.FuncDef) {
	w.nodes += 1 + 12*len(d.Args)
	w.names += 1 + 2*len(d.Args)
	w.lookups += len(d.Args)
}

// bind counts what the alternatives of a binding take together.
func (w *workCount) bind(patterns []*gojq.Pattern) {
	if len(patterns) > 1 {
		w.alternatives += len(patterns) * variables(patterns)
	}
}

// variables returns how many variables the patterns have.
func variables(patterns []*gojq.Pattern) int {
	names := map[string]bool{}
	v := visitor{pattern: func(p *gojq.Pattern) {
		names[p.Name] = true
		for _, member := range p.Object {
			names[member.Key] = true
		}
	}}
	v.walkPatterns(patterns, 0)
	return len(names)
}
