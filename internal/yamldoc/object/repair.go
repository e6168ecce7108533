package object

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// rewriteLevel says how a value is rewritten.
type rewriteLevel int

const (
	withComments  rewriteLevel = iota + 1 // each comment in its place
	commentsAbove                         // all comments above the value
)

// maxRepairs bounds how often the splices of one object are tried.
const maxRepairs = 100

// repair looks for splices of an object whose usual ones are impossible or fail verification: it
// rewrites the smallest value around the fault, then the next larger one.
type repair struct {
	object *Object
	root   *tree.Node
	anew   map[*tree.Node]rewriteLevel
	// budget is how many bytes may still be parsed.
	budget int
}

// splices returns the edits as splices; nil, and why, if only the whole object could be rewritten.
func (r *repair) splices() (splices []splice, why string) {
	r.anew = map[*tree.Node]rewriteLevel{}
	for range maxRepairs {
		splices, blamed := r.try()
		if splices != nil {
			return splices, ""
		}
		if r.budget < 0 || !r.escalate(blamed) {
			return nil, r.reason(blamed)
		}
	}
	return nil, "it has too many edits to make them in place"
}

// reason says where the impossible edit is.
func (r *repair) reason(blamed *tree.Node) string {
	if line := r.object.LineOf(blamed); line > 0 {
		return fmt.Sprintf("the value that begins on line %d can't be edited in place", line)
	}
	return "a value in it can't be edited in place"
}

// try makes the splices. If they fail verification, it returns the collection of the original at
// fault.
func (r *repair) try() (splices []splice, blamed *tree.Node) {
	o := r.object
	s := newSplicer(o)
	defer s.release()
	s.anew = r.anew
	if !s.make(o.original, r.root) {
		if s.blamed == nil {
			return nil, o.original
		}
		return nil, s.blamed
	}
	text := bytes.Join(s.pieces(), nil)
	r.budget -= len(text)
	memory := tree.NewMemory()
	defer memory.Free()
	parsed, err := o.parse(text, memory)
	switch {
	case err != nil:
		return nil, r.touchedAt(s, err)
	case !tree.Same(parsed, r.root):
		return nil, r.differing(o.original, r.root, parsed)
	}
	return slices.Clone(s.splices), nil
}

// escalate causes a value to be rewritten: with its comments, then without, then the one around it.
// It returns false if that would be the whole object.
func (r *repair) escalate(blamed *tree.Node) bool {
	around := pathTo(r.object.original, blamed)
	for i := len(around) - 1; i > 0; i-- {
		n := around[i]
		if isCollection(n) && r.anew[n] < commentsAbove {
			r.anew[n]++
			return true
		}
	}
	return false
}

// pathTo returns the nodes from one to another within it; nil if it is not within it.
func pathTo(from, to *tree.Node) []*tree.Node {
	if from == to {
		return []*tree.Node{from}
	}
	for _, child := range from.Content {
		if path := pathTo(child, to); path != nil {
			return slices.Insert(path, 0, from)
		}
	}
	return nil
}

// differing returns the innermost collection of the original whose splices give other data than the
// edits.
func (r *repair) differing(old, edited, parsed *tree.Node) *tree.Node {
	if parsed == nil || parsed.Kind != edited.Kind || len(parsed.Content) != len(edited.Content) {
		return old
	}
	for i, child := range edited.Content {
		if tree.Same(child, parsed.Content[i]) {
			continue
		}
		origin, ok := r.object.origins[child]
		if !ok || !isCollection(origin) || !slices.Contains(old.Content, origin) {
			return old
		}
		return r.differing(origin, child, parsed.Content[i])
	}
	return old
}

// touchedAt returns the innermost edited collection among those that begin before the line of a
// syntax error.
func (r *repair) touchedAt(s *splicer, err error) *tree.Node {
	syntax, ok := errors.AsType[*tree.SyntaxError](err)
	if !ok {
		return r.object.original
	}
	line := s.oldLine(syntax.Line)
	n := r.object.original
	for {
		inner := -1
		for i, child := range n.Content {
			if isCollection(child) && child.Line() <= line && s.isTouched(child) {
				inner = i
			}
		}
		if inner < 0 {
			return n
		}
		n = n.Content[inner]
	}
}

// oldLine converts a line of the spliced text to one of the input text.
func (s *splicer) oldLine(line int) int {
	behind := 0
	for _, p := range s.splices {
		if s.lineAt(p.start)+behind > line {
			break
		}
		behind += bytes.Count(p.text, []byte{'\n'}) - bytes.Count(s.text[p.start:p.end], []byte{'\n'})
	}
	return max(line-behind, 1)
}

// rewriteEntry writes the edited value of an entry from its data. Comments that the YAML library
// can't write in their places come above the entry.
func (s *splicer) rewriteEntry(e entry, value *tree.Node) {
	commented := s.object.withComments(e.value, value)
	bare := commented
	if s.anew[e.value] == commentsAbove {
		bare = tree.CopyNodes(commented)
		clearComments(bare)
		spellOut(bare, e.value.Style&tree.FlowStyle != 0)
	}
	text, err := s.style.entryText(nil, bare, 0)
	if err != nil {
		s.giveUp()
		return
	}
	written := map[string]int{}
	if root, err := tree.ParseWithComments(text); err == nil {
		eachComment(root, func(comment string) { written[comment]++ })
	}
	var lost []string
	eachComment(commented, func(comment string) {
		if written[comment]--; written[comment] < 0 {
			lost = append(lost, comment)
		}
	})
	s.rewrite(e, bare)
	if len(lost) == 0 {
		return
	}
	if s.isMidLine(e.line, e.column) {
		s.giveUp() // there is no line above it
		return
	}
	lines := indented([]byte(strings.Join(lost, "\n")+"\n"), e.depth())
	s.replace(s.start(e.line), s.start(e.line), lines)
}

// eachComment calls f for each line of a comment in n.
func eachComment(n *tree.Node, f func(comment string)) {
	comments := n.Comments()
	for _, comment := range []string{comments.Head, comments.Line, comments.Foot} {
		for line := range strings.Lines(comment) {
			if line = strings.TrimSpace(line); line != "" {
				f(line)
			}
		}
	}
	for _, child := range n.Content {
		eachComment(child, f)
	}
}

// withComments returns the edited value of a node of the original with the comments of the input.
func (o *Object) withComments(old, edited *tree.Node) *tree.Node {
	commented := o.commentedOriginal()
	path := pathTo(o.original, old)
	for i := 1; i < len(path) && commented != nil; i++ {
		at := slices.Index(path[i-1].Content, path[i])
		if at >= len(commented.Content) {
			return edited
		}
		commented = commented.Content[at]
	}
	if commented == nil {
		return edited
	}
	return o.rebuild(old, edited, commented)
}
