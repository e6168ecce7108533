package convert

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// settings are the fields of an IgnoreFields that say how, not what; none of
// them exists elsewhere.
var settings = []string{"onMissing", "onNoMatch", "pruneEmptied", "objectHash", "live", "annotate", "jq", "manifestWorks"}

func readIgnoreFields(root *yaml.Node) (*source, bool) {
	o := match.Of(root)
	isConfigMap := o.APIVersion == "v1" && o.Kind == "ConfigMap"
	if !isConfigMap && (o.Group != "fn.kpt.dev" || o.Kind != ignorefields.Kind) {
		return nil, false
	}
	s := newSource(root)
	c, faults := ignorefields.Decode(root)
	if s.faults = faults; len(faults) > 0 {
		return s, true
	}
	switch c.Action {
	case "Annotate":
		s.lose("action", "changed: Annotate records the fields; what is written here ignores them")
	case "TakeLive":
		s.lose("action", "changed: TakeLive gives the fields their live values; what is written here ignores them")
	}
	for _, name := range settings {
		if tree.Lookup(root, name) != nil {
			s.remark(name, "not carried over, there is nothing like it")
		}
	}
	for i, written := range c.IgnoreFields {
		path := element("ignoreFields", i)
		if isConfigMap {
			path = "data"
		}
		s.rules = append(s.rules, s.readRule(path, c, written))
	}
	return s, true
}

// readRule reads a rule, with the selectors of the whole configuration.
func (s *source) readRule(path string, c ignorefields.Config, written ignorefields.Rule) *rule {
	r := &rule{path: path, condition: written.Condition}
	if written.FromAnnotation {
		r.leaveOut(path+".fromAnnotation", "the fields stand in an annotation of each object")
		return r
	}
	s.add(r, locate.JSONPath, "jsonPaths", written.JSONPaths)
	s.add(r, locate.JSONPointer, "jsonPointers", written.JSONPointers)
	s.add(r, locate.JQ, "jqPathExpressions", written.JQPathExpressions)
	r.exclude = append(append(r.exclude, c.Exclude...), written.Exclude...)
	selectors, ok := bothLists(c.Selectors, written.Selectors)
	if !ok {
		r.drop(path+".selectors", "globs in both these and the selectors of the whole can't be put into one")
		return r
	}
	if len(selectors) == 0 && len(c.Selectors)+len(written.Selectors) > 0 {
		r.drop(path+".selectors", "no object can fit both these and the selectors of the whole")
		return r
	}
	r.selectors = selectors
	return r
}

// bothLists returns the selectors for the objects that one entry of each list
// fits; an empty list fits all. It tells false where they can't be written.
func bothLists(a, b []match.Selector) ([]match.Selector, bool) {
	switch {
	case len(a) == 0:
		return b, true
	case len(b) == 0:
		return a, true
	}
	var merged []match.Selector
	for _, x := range a {
		for _, y := range b {
			s, possible, known := both(x, y)
			if !known {
				return nil, false
			}
			if possible {
				merged = append(merged, s)
			}
		}
	}
	return merged, true
}
