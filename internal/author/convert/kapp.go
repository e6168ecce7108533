package convert

import (
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// fromKapp reads the rebaseRules of kapp, and what it hides from its diffs (carvel-dev/kapp,
// pkg/kapp/config).
var fromKapp = Source{Name: "kapp", Title: "kapp", Holds: "a Config of kapp, or a ConfigMap that holds one", read: readKapp}

// kappRule is RebaseRule. A path has names, {index: N}, {allIndexes: true} and {regex: …}.
type kappRule struct {
	Path             []*tree.Node   `json:"path"`
	Paths            [][]*tree.Node `json:"paths"`
	Type             string         `json:"type"`
	Sources          []string       `json:"sources"`
	ResourceMatchers []*tree.Node   `json:"resourceMatchers"`
	YTT              *tree.Node     `json:"ytt"`

	at string
}

// kappExclusion is DiffAgainstLastAppliedFieldExclusionRule, and its like for the existing object.
type kappExclusion struct {
	Path             []*tree.Node `json:"path" required:"true"`
	ResourceMatchers []*tree.Node `json:"resourceMatchers"`
}

// exclusions are the lists of a Config that hide fields from the diff alone.
var exclusions = []string{"diffAgainstLastAppliedFieldExclusionRules", "diffAgainstExistingFieldExclusionRules"}

func readKapp(root *tree.Node) []*source {
	o := selector.Of(root)
	s := newSource(root)
	switch {
	case o.Group == "kapp.k14s.io" && o.Kind == "Config":
		s.readKappConfig(root, "")
	case o.APIVersion == "v1" && o.Kind == "ConfigMap" && tree.Get(root, "metadata", "labels", "kapp.k14s.io/config") != nil:
		path := config.Child("data", "config.yml")
		if n, ok := s.parse(tree.GetString(root, "data", "config.yml"), path); ok {
			s.readKappConfig(n, path)
		}
	default:
		return nil
	}
	return []*source{s}
}

func (s *source) readKappConfig(n *tree.Node, path string) {
	var all []kappRule
	for i, entry := range tree.Elements(tree.Lookup(n, "rebaseRules")) {
		written := kappRule{at: config.Element(config.Child(path, "rebaseRules"), i)}
		s.faults = append(s.faults, config.Decode(entry, written.at, &written)...)
		if len(written.Path) > 0 {
			written.Paths = append(written.Paths, written.Path)
		}
		all = append(all, written)
	}
	for i, written := range all {
		s.rules = append(s.rules, readKappRule(written, all[i+1:]))
	}
	for _, list := range exclusions {
		for i, entry := range tree.Elements(tree.Lookup(n, list)) {
			s.readKappExclusion(entry, config.Element(config.Child(path, list), i))
		}
	}
}

// readKappExclusion reads a rule that hides a field from the diff.
func (s *source) readKappExclusion(entry *tree.Node, at string) {
	var written kappExclusion
	s.faults = append(s.faults, config.Decode(entry, at, &written)...)
	r := newRule(at)
	r.addKappPath(at+".path", written.Path)
	r.change(at, "kapp hides the field from its diff, and sends it where something else of the object changes; krm-fields leaves it to its owner")
	r.readKappMatchers(written.ResourceMatchers, at+".resourceMatchers")
	s.rules = append(s.rules, r)
}

// readKappRule reads a rule. The later ones, which kapp carries out after it, may put back what the
// package has.
func readKappRule(written kappRule, later []kappRule) *rule {
	at := written.at
	r := newRule(at)
	for i, parts := range written.Paths {
		path := at + ".path"
		if len(written.Path) == 0 || len(written.Paths) > 1 {
			path = config.Element(at+".paths", i)
		}
		restorer, isWhole := written.restorer(parts, later)
		if isWhole {
			r.remark(path, "left out: %s restores the value of the package", restorer.at)
			continue
		}
		before := len(r.expressions)
		if r.addKappPath(path, parts); restorer != nil && len(r.expressions) > before {
			r.change(path, "%s restores a part of it from the package; the converted rule does not", restorer.at)
		}
	}
	switch {
	case written.YTT != nil:
		r.drop(at+".ytt", "it is a program in ytt, which computes its fields")
	case written.Type == "remove" && len(r.expressions) == 0:
	case written.Type == "remove":
		r.change(at+".type", "kapp sends the object without the field; krm-fields leaves the field to whoever has set it on the cluster")
	case written.Type != "copy":
		r.drop(at+".type", "must be copy or remove, found %s", config.Quote(written.Type))
	case len(written.Sources) == 0 || written.Sources[0] != "existing":
		r.drop(at+".sources", "kapp takes the value of the package if there is one, and a field that the package does not set needs no rule")
	}
	r.readKappMatchers(written.ResourceMatchers, at+".resourceMatchers")
	return r
}

// restorer returns a later rule that copies a path, or something in it, from the package, for the
// same objects; isWhole is true if it copies all of it. A later rule for some of the objects, or by
// a regular expression, counts for none.
func (written kappRule) restorer(parts []*tree.Node, later []kappRule) (restorer *kappRule, isWhole bool) {
	for i := range later {
		other := &later[i]
		isSame := func(m *tree.Node) bool {
			return tree.Lookup(m, "allMatcher") != nil || tree.Lookup(m, "allResourceMatcher") != nil
		}
		isForAll := slices.ContainsFunc(other.ResourceMatchers, isSame) ||
			slices.EqualFunc(written.ResourceMatchers, other.ResourceMatchers, tree.Equal)
		if other.Type != "copy" || len(other.Sources) == 0 || other.Sources[0] != "new" || !isForAll {
			continue
		}
		for _, path := range other.Paths {
			common := min(len(path), len(parts))
			switch {
			case !slices.EqualFunc(path[:common], parts[:common], tree.Equal):
			case common == len(path):
				return other, true
			default:
				restorer = other
			}
		}
	}
	return restorer, false
}

// addKappPath adds a path as a JSON Pointer; one with a regular expression as jq.
func (r *rule) addKappPath(path string, parts []*tree.Node) {
	var pointer strings.Builder
	var w jq.Writer
	isJQ := false
	for _, part := range parts {
		text, index, regex := tree.GetString(part), tree.Get(part, "index"), tree.GetString(part, "regex")
		switch {
		case regex != "":
			isJQ = true
			w.Stage("objects")
			w.Stage(".[keys[] | select(test(" + jq.String(regex) + "))]")
		case index != nil:
			text = index.Text()
			w.Index(text)
		case tree.IsMap(part):
			text = "*"
			w.Stage("arrays[]")
		default:
			w.Key(text)
		}
		w.Optional = true
		pointer.WriteString("/" + location.EscapePointer(text))
	}
	e := expression{dialect: jsonpointer.Dialect.Name, text: pointer.String(), path: path}
	if isJQ {
		e.dialect, e.text = jqpath.Dialect.Name, w.String()
	}
	if len(parts) == 0 {
		r.leaveOut(path, "an empty path selects no field")
		return
	}
	if r.add(e) {
		r.remark(path, "was [%s]", kappText(parts))
	}
}

// kappText writes a path as kapp has it.
func kappText(parts []*tree.Node) string {
	var texts []string
	for _, part := range parts {
		text := tree.GetString(part)
		for key, value := range tree.Entries(part) {
			text = "{" + key + ": " + value.Text() + "}"
		}
		if strings.ContainsAny(text, "/ ,") && !tree.IsMap(part) {
			text = strconv.Quote(text)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// readKappMatchers gives the rule the selectors for a list of matchers, one of which must hold.
func (r *rule) readKappMatchers(matchers []*tree.Node, path string) {
	if len(matchers) == 0 {
		r.drop(path, "a rule without resourceMatchers matches no object")
		return
	}
	var known []*tree.Node
	for i, n := range matchers {
		if _, _, reason := kappSelectors(n); reason != "" && len(matchers) > 1 {
			r.leaveOut(config.Element(path, i), "%s", reason)
			continue
		}
		known = append(known, n)
	}
	if known == nil {
		r.drop(path, "none of the matchers has an equivalent")
		return
	}
	selectors, exclude, reason := anyOf(known)
	if r.selectors, r.exclude = selectors, exclude; reason != "" {
		r.drop(path, "%s", reason)
	}
}

// kappSelectors returns the selectors for what a matcher fits, none for all objects, and what is
// excluded; or why there are none (pkg/kapp/config/resource_matchers.go).
func kappSelectors(n *tree.Node) (selectors, exclude []selector.Selector, reason string) {
	for key, value := range tree.Entries(n) {
		text := func(name string) *string { s := tree.GetString(value, name); return &s }
		switch strings.ToLower(key) {
		case "allmatcher", "allresourcematcher":
			return nil, nil, ""
		case "apiversionkindmatcher":
			return []selector.Selector{{APIVersion: text("apiVersion"), Kind: text("kind")}}, nil, ""
		case "apigroupkindmatcher":
			return []selector.Selector{{Group: text("apiGroup"), Kind: text("kind")}}, nil, ""
		case "kindnamespacenamematcher":
			return []selector.Selector{{Kind: text("kind"), Name: text("name"), Namespace: text("namespace")}}, nil, ""
		case "hasnamespacematcher":
			for _, name := range tree.Elements(tree.Lookup(value, "names")) {
				selectors = append(selectors, selector.Selector{Namespace: specific(new(tree.GetString(name)))})
			}
			if len(selectors) == 0 {
				exclude = []selector.Selector{{Namespace: new("")}}
			}
			return selectors, exclude, ""
		case "anymatcher":
			return anyOf(tree.Elements(tree.Lookup(value, "matchers")))
		case "andmatcher":
			return allOf(tree.Elements(tree.Lookup(value, "matchers")))
		case "notmatcher":
			excluded, inner, reason := kappSelectors(tree.Lookup(value, "matcher"))
			if reason == "" && (len(excluded) == 0 || len(inner) > 0) {
				reason = "a notMatcher of this matcher has no equivalent"
			}
			return nil, excluded, reason
		}
		return nil, nil, "a " + key + " has no equivalent"
	}
	return nil, nil, "must have a matcher, found none"
}

func anyOf(matchers []*tree.Node) (selectors, exclude []selector.Selector, reason string) {
	if len(matchers) == 0 {
		return nil, nil, "it has no matchers, so it matches no object"
	}
	for _, n := range matchers {
		some, excluded, reason := kappSelectors(n)
		switch {
		case reason == "" && len(excluded) > 0 && len(matchers) > 1:
			return nil, nil, "a notMatcher beside other matchers has no equivalent"
		case reason != "" || len(some)+len(excluded) == 0:
			return nil, nil, reason
		}
		selectors, exclude = append(selectors, some...), excluded
	}
	return selectors, exclude, ""
}

func allOf(matchers []*tree.Node) (selectors, exclude []selector.Selector, reason string) {
	for _, n := range matchers {
		some, excluded, reason := kappSelectors(n)
		if reason != "" {
			return nil, nil, reason
		}
		exclude = append(exclude, excluded...)
		merged, known := bothLists(selectors, some)
		if !known || len(merged) == 0 && len(selectors)+len(some) > 0 {
			return nil, nil, "the matchers of the andMatcher can't be combined"
		}
		selectors = merged
	}
	return selectors, exclude, ""
}

// toKapp writes a Config: a rule for each selector, which takes the values of the cluster.
var toKapp = Form{Name: "kapp", Title: fromKapp.Title, Writes: "a Config of kapp", write: documents(func(s *source) *tree.Node {
	all := s.entries(func(r *rule) []*tree.Node { return r.entries(kappDialects, "kapp", r.rebaseRule) })
	return all.finish(newDocument("kapp.k14s.io/v1alpha1", "Config", s.name, "rebaseRules", all.list), s, "Give kapp deploy this file beside the manifests.")
})}

func (r *rule) rebaseRule(t ruleSelector, expressions []expression) *tree.Node {
	matcher := r.kappMatcher(t)
	if matcher == nil {
		return nil
	}
	paths := lists.Map(textsOf(expressions, jsonpointer.Dialect.Name), kappPath)
	return tree.NewMap("paths", tree.NewList(paths...), "type", "copy", "sources", []string{"existing", "new"},
		"resourceMatchers", tree.NewList(matcher))
}

// kappPath writes a JSON Pointer as kapp has it.
func kappPath(pointer string) *tree.Node {
	path := tree.NewList()
	for _, segment := range location.PointerSegments(pointer) {
		part := tree.NewString(segment)
		switch {
		case isMapOfStrings(pointer):
		case segment == "*":
			part = tree.NewMap("allIndexes", tree.FromValue(true))
		case location.IsDigits(segment):
			n, _ := strconv.Atoi(segment) // digits
			part = tree.NewMap("index", tree.NewInt(n))
		}
		path.Content = append(path.Content, part)
	}
	return path
}

// kappMatcher writes which objects a rule is for; nil if that can't be expressed.
func (r *rule) kappMatcher(t ruleSelector) *tree.Node {
	s := t.selector
	if !r.plain(t, "kapp") {
		return nil
	}
	for i, text := range fields(&s) {
		if !isAny(*text) && isGlob(**text) {
			r.leaveOut(r.path+".selectors", "kapp has no globs in %s, found %s", fieldNames[i], config.Quote(**text))
			return nil
		}
	}
	hasName := !isAny(s.Name)
	var all []*tree.Node
	add := func(matcher string, fields ...any) { all = append(all, tree.NewMap(matcher, tree.NewMap(fields...))) }
	switch {
	case isAny(s.Kind) && (!isAny(s.Group) || !isAny(s.Version)), isAny(s.Group) && !isAny(s.Version):
		r.leaveOut(r.path+".selectors", "kapp selects by group or version only together with a kind and a group")
		return nil
	case hasName && (isAny(s.Kind) || isAny(s.Namespace)):
		r.leaveOut(r.path+".selectors", "kapp selects by name only together with a kind and a namespace")
		return nil
	case !isAny(s.Group) && !isAny(s.Version):
		add("apiVersionKindMatcher", "apiVersion", schema.GVK{Group: *s.Group, Version: *s.Version}.APIVersion(), "kind", *s.Kind)
	case !isAny(s.Group):
		add("apiGroupKindMatcher", "apiGroup", *s.Group, "kind", *s.Kind)
	case !isAny(s.Kind) && !hasName:
		group, ok := r.groupFor(s, "kapp")
		if !ok {
			return nil
		}
		add("apiGroupKindMatcher", "apiGroup", group, "kind", *s.Kind)
	}
	switch {
	case hasName:
		add("kindNamespaceNameMatcher", "kind", *s.Kind, "namespace", *s.Namespace, "name", *s.Name)
	case !isAny(s.Namespace) && *s.Namespace == "":
		add("notMatcher", "matcher", tree.NewMap("hasNamespaceMatcher", tree.NewMap()))
	case !isAny(s.Namespace):
		add("hasNamespaceMatcher", "names", []string{*s.Namespace})
	}
	switch len(all) {
	case 0:
		return tree.NewMap("allMatcher", tree.NewMap())
	case 1:
		return all[0]
	}
	return tree.NewMap("andMatcher", tree.NewMap("matchers", tree.NewList(all...)))
}
