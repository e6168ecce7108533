package object

import (
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// keepSeeds are texts whose edits are not a matter of whole lines.
var keepSeeds = []string{
	"# Licence.\n\nmetadata:\n    # why\n    annotations: # many\n        a: b # why\n    # the name\n    name: x\nspec:\n    t: >-\n        a\n        b\n",
	"a:\n  args: [\n    \"x\", # first\n    \"y\"\n]\n  b: 1\n# end\n",
	"a: [\n    x, # first\n    # about y\n    y, # second\n    z # third\n  ]\nb: {c: 1,\n   d: [2, {e: 3}]}\n",
	"a: [k: v, ? q : r, s]\nb: {c, d: , e: 1}\n# f\nf:\n",
	"a: one\n  two # no\nb: 'x\n\n  y'\nc: \"x \\\n  y\"\nd: 1\n",
	"l:\n- # image\n  a: 1\n\n  # section\n\n  b: 2\n- - x\n  # why\n  - y\n-\n  c: 1\n",
	"a0: # behind\n0x14: >+\n# in\n\n",
	"a:\n- | \n  x\n- y\nb: |+  \n  z\n\nc: >\n  list\n    deeper\n  end\n\n",
	"a: 1\r\nb:\r\n  c: |\r\n    x\r\n  d: [1,\r\n   2]\r\n",
	"a:\t1 # tab\nb:\t\n- x\t# x\n- y\nc: 3\n",
	"a: &x\n- 1\n- 2\nb: &y !!map\n  c: 1\n  d: 2\nc: !!seq\n  - *x\n",
	"? a\n: 1\n? b\n: 2 # two\nc: 3\n",
	"# top\n{a: 1, # one\n b: {c: 2}, d: 3}\n# end\n",
	"a: \"x\u2028y\"\nb: 1\n# z\u0085c: 3\n",
	"%YAML 1.1\n---\na: 1\nb: 2\n...\n",
	"{\n\t\"a\": [1, 2],\n\t\"b\": {\"c\": \"d\"},\n\t\"e\": null\n}\n",
}

// FuzzKeepsText makes edits as the script says. The object must be written, and each line of which
// nothing was edited must stay, with each comment that is not attached to what went.
func FuzzKeepsText(f *testing.F) {
	for i, seed := range keepSeeds {
		for n := range 24 {
			f.Add(seed, script(i*24+n, 12))
		}
	}
	f.Fuzz(func(t *testing.T, text string, script []byte) {
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		o, err := ParseDocument([]byte(text))
		if err != nil || o.root == nil || !isCollection(o.root) {
			return
		}
		isRead := !o.root.IsRough() && !slices.ContainsFunc(o.root.Content, (*tree.Node).IsRough)
		checked := keepChecker{lines: strings.SplitAfter(text, "\n"), root: o.root}
		checked.edit(o, script)
		out, err := o.Text()
		if err != nil {
			t.Fatalf("%v\nof\n%s", err, text)
		}
		if !isRead {
			return // it is written anew
		}
		if o.Reformatted() != nil {
			t.Fatalf("written anew: %+v\n%s\nfrom\n%s", o.Reformatted(), out, text)
		}
		if missing := checked.missing(out); missing != "" {
			t.Errorf("the line %q must stay\n%s\nfrom\n%s", missing, out, text)
		}
	})
}

// script returns the bytes of a script, by its number.
func script(number, length int) []byte {
	script := make([]byte, length)
	state := uint32(number*2654435761 + 1)
	for i := range script {
		state = state*1664525 + 1013904223
		script[i] = byte(state >> 24)
	}
	return script
}

// keepChecker knows which lines of a text may change.
type keepChecker struct {
	lines []string
	root  *tree.Node
	may   []bool // by line, from 1
}

// edit makes edits at up to three places that the script names.
func (c *keepChecker) edit(o *Object, script []byte) {
	c.may = make([]bool, len(c.lines)+2)
	c.allowAliases(c.root)
	var gone []location.Location
	for range 3 {
		if len(script) < 3 {
			break
		}
		l := locationAt(c.root, int(script[1]), int(script[2])%5)
		switch kind := script[0] % 6; {
		case len(l) == 0:
		case kind < 3:
			gone = append(gone, l)
		case kind == 3 && o.Set(l, tree.NewString("new")) == nil:
			c.allow(l, 0)
		case kind == 4 && o.Set(l.With(location.Key("new")), tree.NewInt(1)) == nil:
			c.allow(l.With(location.Key("new")), 1)
		case kind == 5 && o.Set(l, tree.FromValue(map[string]any{"a": []any{"b"}})) == nil:
			c.allow(l, 0)
		}
		script = script[3:]
	}
	o.Remove(gone)
	for _, l := range gone {
		for emptied := c.emptied(l, gone); emptied; emptied = c.emptied(l, append(gone, l)) {
			l = l[:len(l)-1]
		}
		c.allow(l, 0)
	}
}

// emptied tells whether all that is in the parent of a location goes.
func (c *keepChecker) emptied(l location.Location, gone []location.Location) bool {
	if len(l) < 2 {
		return false
	}
	parent := l[:len(l)-1]
	steps := map[location.Step]bool{}
	for _, other := range gone {
		if len(other) == len(l) && slices.Equal(other[:len(l)-1], parent) {
			steps[other[len(l)-1]] = true
		}
	}
	n := location.At(c.root, parent)
	size := len(n.Content)
	if n.Kind == tree.MappingNode {
		size /= 2
	}
	return len(steps) >= size
}

// allow lets the lines of the entry at a location change: with those of the comment above it and
// those behind it up to the next node; of the outermost flow collection around it; and, where it
// shares a line with what is around it or behind it, that line. Where isNew is 1, the entry is new.
func (c *keepChecker) allow(l location.Location, isNew int) {
	if c.root.IsRough() || slices.ContainsFunc(c.root.Content, (*tree.Node).IsRough) {
		return // a part is written anew
	}
	n, key := c.root, c.root
	for i, step := range l {
		if n.Kind == tree.AliasNode || n.Style&tree.FlowStyle != 0 || i == len(l)-isNew {
			break
		}
		n, key = child(n, step)
		if n == nil { // a merge key brings it in
			c.allowAll()
			return
		}
	}
	if n == c.root {
		c.allowAll()
		return
	}
	if isNew == 1 && isBlockCollection(n) {
		return
	}
	from := key.Line()
	for from > 1 && strings.HasPrefix(strings.TrimLeft(c.lines[from-2], " -?\t\r\n")+"#", "#") {
		from--
	}
	to := c.nextLine(n)
	lf := []byte(strings.ReplaceAll(strings.Join(c.lines, ""), "\r\n", "\n"))
	if column := tree.Column(lf, key); strings.TrimLeft(string([]rune(c.lines[key.Line()-1])[:column-1]), " ") != "" {
		to++ // what is behind it moves up
	}
	for line := from; line < to && line < len(c.may); line++ {
		c.may[line] = true
	}
}

// allowAliases lets each alias give way to what it names.
func (c *keepChecker) allowAliases(n *tree.Node) {
	if n.Kind == tree.AliasNode && n.End() > 0 {
		c.may[n.Line()] = true
	}
	for _, child := range n.Content {
		c.allowAliases(child)
	}
}

func (c *keepChecker) allowAll() {
	for i := range c.may {
		c.may[i] = true
	}
}

// child returns what a step leads to, and its key, or itself.
func child(n *tree.Node, step location.Step) (value, key *tree.Node) {
	if step.IsIndex {
		return n.Content[step.Index], n.Content[step.Index]
	}
	if i := memberIndex(n, step.Key); i >= 0 {
		return n.Content[i+1], n.Content[i]
	}
	return nil, nil
}

// nextLine is the line of the first node behind n, or the one behind the text.
func (c *keepChecker) nextLine(n *tree.Node) int {
	met, line := false, len(c.lines)+1
	var walk func(at *tree.Node) bool
	walk = func(at *tree.Node) bool {
		if at == n {
			met = true
			return false
		}
		if met {
			line = at.Line()
			return true
		}
		return slices.ContainsFunc(at.Content, walk)
	}
	walk(c.root)
	return line
}

// missing returns the first line that must stay and does not; "" where all do.
func (c *keepChecker) missing(out []byte) string {
	now := strings.SplitAfter(string(out), "\n")
	for i, line := range c.lines {
		if c.may[i+1] {
			continue
		}
		at := slices.Index(now, line)
		if at < 0 {
			return line
		}
		now = now[at+1:]
	}
	return ""
}

// locationAt goes down the nodes by numbers.
func locationAt(n *tree.Node, where, depth int) location.Location {
	var l location.Location
	for range depth + 1 {
		switch {
		case len(n.Content) == 0:
			return l
		case n.Kind == tree.SequenceNode:
			i := where % len(n.Content)
			l, n = l.With(location.Index(i)), n.Content[i]
		default:
			i := where % (len(n.Content) / 2)
			l, n = l.With(location.Key(n.Content[2*i].Text())), n.Content[2*i+1]
		}
		where = where/3 + 1
	}
	return l
}
