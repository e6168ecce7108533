package convert

import (
	"regexp"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// What ytt (https://carvel.dev/ytt) evaluates: a comment behind #@, and text between (@ and @).
var (
	yttCode  = words.Pattern(`(?m)(?:^|\s)#@|\(@[-=\s]`)
	yttBlock = words.Pattern(`(?m)^\s*#@\s*(if/end|if|for|while|def|end)\b`)
)

// yttTemplates returns the outermost list elements of an object that ytt makes, at least in part.
func yttTemplates(o *object.Object) []string {
	text := strings.ReplaceAll(string(o.Source()), "\r\n", "\n")
	if !yttCode().MatchString(text) {
		return nil
	}
	blocks := yttBlocks(yttBlock(), text)
	var paths []string
	var visit func(n *tree.Node, at location.Location)
	visit = func(n *tree.Node, at location.Location) {
		for key, value := range tree.Entries(n) {
			visit(value, at.With(location.Key(key)))
		}
		for i, e := range tree.Elements(n) {
			end := e.End() + strings.IndexByte(text[e.End():]+"\n", '\n')
			isInBlock := func(b [2]int) bool { return b[0] < e.Start() && e.Start() < b[1] }
			if slices.ContainsFunc(blocks, isInBlock) || yttCode().MatchString(text[e.Start():end]) {
				paths = append(paths, at.With(location.Index(i)).String())
			}
		}
	}
	visit(o.Root(), nil)
	return paths
}

// yttBlocks returns where the blocks of ytt that may be left out or repeated begin and end.
func yttBlocks(block *regexp.Regexp, text string) (blocks [][2]int) {
	var open []int
	for _, m := range block.FindAllStringSubmatchIndex(text, -1) {
		switch word := text[m[2]:m[3]]; {
		case word == "if/end": // it is about the next value
			next := strings.Index(text[m[1]:], "- ")
			blocks = append(blocks, [2]int{m[0], m[1] + next + len("- ") + 1})
		case word != "end":
			open = append(open, m[0])
		case len(open) > 0:
			blocks = append(blocks, [2]int{open[len(open)-1], m[0]})
			open = open[:len(open)-1]
		}
	}
	return blocks
}

// leaveOutTemplates leaves out the rules and faults in elements that ytt makes.
func (s *source) leaveOutTemplates(paths []string) {
	for _, path := range paths {
		isInside := func(at string) bool {
			return at == path || strings.HasPrefix(at, path+".") || strings.HasPrefix(at, path+"[")
		}
		before := len(s.rules) + len(s.faults)
		s.rules = slices.DeleteFunc(s.rules, func(r *rule) bool { return isInside(r.path) })
		s.faults = slices.DeleteFunc(s.faults, func(f report.Fault) bool { return isInside(f.Path) })
		if len(s.rules)+len(s.faults) < before {
			s.leaveOut(path, "it is a template of ytt, whose result is unknown; render it first, by `ytt`")
		}
	}
}
