package convert

import (
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

// leaveOutTemplates leaves out the rules and faults in the outermost list elements at a place of an
// object that ytt makes, at least in part.
func (s *source) leaveOutTemplates(text string, n *tree.Node, at location.Location) {
	for key, value := range tree.Entries(n) {
		s.leaveOutTemplates(text, value, at.With(location.Key(key)))
	}
	for i, e := range tree.Elements(n) {
		before, path := text[:e.Start()], at.With(location.Index(i)).String()
		line, _, _ := strings.Cut(text[e.End():], "\n")
		isInBlock := len(yttBegin().FindAllStringIndex(before, -1)) > len(yttEnd().FindAllStringIndex(before, -1))
		if !isInBlock && !yttIf().MatchString(before) && !yttCode().MatchString(text[e.Start():e.End()]+line) {
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

// yttText is the text of an object that ytt makes in part; "" for another one.
func yttText(o *object.Object) string {
	if text := strings.ReplaceAll(string(o.Source()), "\r\n", "\n"); yttCode().MatchString(text) {
		return text
	}
	return ""
}
