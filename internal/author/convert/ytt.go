package convert

import (
	"cmp"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// What ytt (https://carvel.dev/ytt) evaluates: a comment behind #@, and text between (@ and @). A
// block of list elements begins and ends on lines of its own, or an if/end is before its element.
var (
	yttCode  = words.Pattern(`(?m)(?:^|\s)#@|\(@[-=\s]`)
	yttBegin = words.Pattern(`(?m)^\s*#@\s*(?:if|for|while|def)\s`)
	yttEnd   = words.Pattern(`(?m)^\s*#@\s*end\b`)
	yttIf    = words.Pattern(`(?m)^\s*#@\s*if/end.*\n[-\s]*\z`)
)

// yttText is the text of an object that ytt makes in part, with where blocks begin and end in it.
type yttText struct {
	text         string
	begins, ends [][]int
}

// isInBlock tells whether more blocks begin before an offset than end there.
func (y *yttText) isInBlock(offset int) bool {
	before := func(found [][]int) int {
		n, _ := slices.BinarySearchFunc(found, offset+1, func(at []int, offset int) int { return cmp.Compare(at[1], offset) })
		return n
	}
	return before(y.begins) > before(y.ends)
}

// leaveOutTemplates leaves out the rules and faults in the outermost list elements at a place of an
// object that ytt makes, at least in part.
func (s *source) leaveOutTemplates(y *yttText, n *tree.Node, at location.Location) {
	for key, value := range tree.Entries(n) {
		s.leaveOutTemplates(y, value, at.With(location.Key(key)))
	}
	for i, e := range tree.Elements(n) {
		before, path := y.text[max(0, e.Start()-maxIf):e.Start()], at.With(location.Index(i)).String()
		line, _, _ := strings.Cut(y.text[e.End():], "\n")
		if !y.isInBlock(e.Start()) && !yttIf().MatchString(before) && !yttCode().MatchString(y.text[e.Start():e.End()]+line) {
			continue
		}
		isInside := func(at string) bool {
			return at == path || strings.HasPrefix(at, path+".") || strings.HasPrefix(at, path+"[")
		}
		known := len(s.rules) + len(s.faults)
		s.rules = slices.DeleteFunc(s.rules, func(r *rule) bool { return isInside(r.path) })
		s.faults = slices.DeleteFunc(s.faults, func(f report.Fault) bool { return isInside(f.Path) })
		if len(s.rules)+len(s.faults) < known {
			s.leaveOut(path, "it is a template of ytt, whose result is unknown; render it first, by `ytt`")
		}
	}
}

// maxIf is how many bytes before an element an if/end for it is looked for.
const maxIf = 1000

// yttOf returns the text of an object that ytt makes in part; nil for another one.
func yttOf(o *object.Object) *yttText {
	text := strings.ReplaceAll(string(o.Source()), "\r\n", "\n")
	if !yttCode().MatchString(text) {
		return nil
	}
	return &yttText{text, yttBegin().FindAllStringIndex(text, -1), yttEnd().FindAllStringIndex(text, -1)}
}
