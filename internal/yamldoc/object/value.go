package object

import (
	"bytes"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// value splices the new value of an entry that stays.
func (s *splicer) value(e entry, value *tree.Node) {
	old := e.value
	isEdit := s.isEditOf(value, old) && isCollection(old) && len(old.Content) > 0 && s.anyStays(old, value)
	switch {
	case s.anew[old] > 0:
		s.rewriteEntry(e, value)
	case s.blockString(e, value):
	case isEdit && isBlockCollection(old):
		step := s.style.mapStep
		if e.key != nil && old.Kind == tree.MappingNode {
			s.style.mapStep = stepOf(e.key, old, step)
		}
		s.collection(old, value)
		s.style.mapStep = step
	case isEdit && s.flow(s.offset(old.Line(), old.Column()), old, value):
	case isBlockCollection(old) && isCollection(value) && len(value.Content) == 0 && s.empty(e, value):
	case s.inline(old, value):
	default:
		s.rewrite(e, value)
	}
}

func isCollection(n *tree.Node) bool {
	return n.Kind == tree.MappingNode || n.Kind == tree.SequenceNode
}

func isBlockCollection(n *tree.Node) bool {
	return isCollection(n) && n.Style&tree.FlowStyle == 0 && len(n.Content) > 0
}

// empty writes `{}` or `[]` behind the member's key and removes the lines of the old value. It
// returns false if it can't.
func (s *splicer) empty(e entry, value *tree.Node) bool {
	if e.key == nil || e.value.Line() == e.line { // an element, or one with an anchor or a tag
		return false
	}
	colon, ok := s.afterKey(e)
	if !ok {
		return false
	}
	text := " {}"
	if value.Kind == tree.SequenceNode {
		text = " []"
	}
	s.replace(colon, colon, []byte(text))
	s.replace(s.start(e.line+1), s.end(e), nil)
	return true
}

// afterKey returns the place behind the colon of a member's key.
func (s *splicer) afterKey(e entry) (int, bool) {
	end, ok := s.nodeEnd(s.offset(e.key.Line(), e.key.Column()), e.key)
	if !ok {
		return 0, false
	}
	line := s.text[end:s.lineEnd(end)]
	colon := len(line) - len(bytes.TrimLeft(line, " \t"))
	if colon >= len(line) || line[colon] != ':' {
		return 0, false
	}
	return end + colon + 1, true
}

// inline replaces a flow collection or a scalar that is no block scalar by a value that can be
// written on one line too.
func (s *splicer) inline(old, value *tree.Node) bool {
	isFlow := isCollection(old) && old.Style&tree.FlowStyle != 0
	switch {
	case old.Kind == tree.ScalarNode && value.Kind == tree.ScalarNode:
	case isFlow && isCollection(value) && (len(value.Content) == 0 || len(old.Content) > 0):
	default:
		return false
	}
	end, ok := s.valueEnd(old)
	if !ok {
		return false
	}
	text, ok := s.style.inlineText(value)
	if !ok {
		return false
	}
	if s.has(end, '#') { // a comment right behind quotes
		text = append(text, ' ')
	}
	s.replace(s.offset(old.Line(), old.Column()), end, text)
	return true
}
