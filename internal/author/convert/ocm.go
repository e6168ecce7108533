package convert

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/manifestwork"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// ocmGroup is the API group of ManifestWork.
const ocmGroup = "work.open-cluster-management.io"

// fromOCM reads the rules of the work agent of Open Cluster Management.
var fromOCM = Source{Name: "ocm", Title: "Open Cluster Management", Holds: "a ManifestWork or a ManifestWorkReplicaSet", read: readOCM}

func readOCM(root *tree.Node) []*source {
	o := selector.Of(root)
	s := newSource(root)
	s.hash = "OCM"
	switch {
	case o.Group == ocmGroup && o.Kind == "ManifestWork":
		s.readWork(tree.Get(root, "spec"), "spec")
	case o.Group == ocmGroup && o.Kind == "ManifestWorkReplicaSet":
		s.readWork(tree.Get(root, "spec", "manifestWorkTemplate"), "spec.manifestWorkTemplate")
	default:
		return nil
	}
	return []*source{s}
}

// readWork reads the spec of a ManifestWork, which is at path.
func (s *source) readWork(spec *tree.Node, path string) {
	manifests := tree.Elements(tree.Get(spec, "workload", "manifests"))
	for i, option := range tree.Elements(tree.Lookup(spec, "manifestConfigs")) {
		s.readManifestConfig(option, config.Element(path+".manifestConfigs", i), manifests)
	}
}

func (s *source) readManifestConfig(option *tree.Node, path string, manifests []*tree.Node) {
	strategy := tree.Get(option, "updateStrategy")
	apply := tree.Lookup(strategy, "serverSideApply")
	if tree.Lookup(apply, "ignoreFields") == nil {
		return
	}
	var about struct {
		Identifier manifestwork.ResourceIdentifier `json:"resourceIdentifier" required:"true"`
	}
	var list struct {
		IgnoreFields []manifestwork.IgnoreField `json:"ignoreFields"`
	}
	s.decode(option, path, "resourceIdentifier", &about)
	s.decode(apply, path+".updateStrategy.serverSideApply", "ignoreFields", &list)
	for i, field := range list.IgnoreFields {
		r := &rule{path: config.Element(path+".updateStrategy.serverSideApply.ignoreFields", i), condition: field.Condition}
		if i == 0 {
			if kind := tree.GetString(strategy, "type"); kind != "ServerSideApply" {
				r.remark(path+".updateStrategy.type", "is %s; the agent reads these rules only for ServerSideApply", config.Quote(kind))
			}
		}
		r.selectors = []selector.Selector{selectorOf(r, about.Identifier, path+".resourceIdentifier", manifests, i == 0)}
		s.addList(r, jsonpath.Dialect, "jsonPaths", field.JSONPaths)
		r.passOverFailures("the agent")
		r.addPaths(agent, "jsonPointers", field.JSONPointers)
		s.addList(r, jqpath.Dialect, "jqPathExpressions", field.JQPathExpressions)
		r.noteAgent()
		s.rules = append(s.rules, r.oneByOne()...)
	}
}

// agent is the program that the rules of OCM are for.
const agent = "the OCM agent"

// passOverFailures writes the JSONPaths that can fail on an object as what can't, a JSON Pointer or
// jq, for the rules of a program that goes on.
func (r *rule) passOverFailures(program string) {
	for i, e := range r.expressions {
		if e.dialect != jsonpath.Dialect.Name || !indexOrFilter.MatchString(e.text) {
			continue
		}
		into, text, err := jsonpath.Translate(e.text)
		if err == nil && into == jqpath.Dialect.Name {
			total, ok := jq.WithoutErrors(text)
			if text = total.Text; !ok {
				continue
			}
		}
		if err == nil && into != jsonpath.Dialect.Name {
			r.remark(e.path, "was %s; %s skips a path that fails", e.text, program)
			r.expressions[i].dialect, r.expressions[i].text = into, text
		}
	}
	sortByDialect(r.expressions)
}

// indexOrFilter finds what must be applied to a list.
var indexOrFilter = regexp.MustCompile(`\[(\?|[-\d:])`)

// noteAgent notes the expressions that the agent takes in another way.
func (r *rule) noteAgent() {
	for _, e := range r.expressions {
		if r.condition == rules.OnSpokeChange {
			continue
		}
		if why, ok := manifestwork.Taken(e.dialect, e.text); !ok {
			r.change(e.path, "the agent %s; in krm-fields it works as written", why)
		}
	}
}

// selectorOf returns the selector for the manifests of an identifier. What is guessed is said once
// for each identifier.
func selectorOf(r *rule, id manifestwork.ResourceIdentifier, path string, manifests []*tree.Node, say bool) selector.Selector {
	if !say {
		r = &rule{}
	}
	group, version, hasVersion := strings.Cut(id.Group, "/")
	if hasVersion {
		r.change(path+".group", "%s contains a version, so the agent finds nothing; the group is %s",
			config.Quote(id.Group), config.Quote(group))
	}
	kind, known := kindOf(id, group, manifests)
	if !known {
		r.remark(path+".resource", "kind %s is guessed from the resource %s; please check it", kind, config.Quote(id.Resource))
	}
	s := selector.Selector{Group: &group, Kind: &kind, Namespace: specific(&id.Namespace), Name: specific(&id.Name)}
	if hasVersion && version != "" {
		s.Version = &version
	}
	return s
}

// manifestConfig is one entry of manifestConfigs: an identifier and the rules that are for it.
type manifestConfig struct {
	id    manifestwork.ResourceIdentifier
	rules []*rule
	place int // among all
}

var toOCM = Form{Name: "ocm", Title: fromOCM.Title, Writes: "a ManifestWork", write: documents(writeOCM)}

// writeOCM writes the part of a ManifestWork that says what is ignored. For each manifest the agent
// takes the first entry that fits, and of an entry one list for each condition. So an entry has the
// rules of all the wider ones too, the narrow ones come first, and rules with one condition become
// one.
func writeOCM(s *source) *tree.Node {
	translations := map[*rule][]expression{}
	configs := newEntries()
	var list []*manifestConfig
	byID := map[manifestwork.ResourceIdentifier]*manifestConfig{}
	for _, r := range s.rules {
		translations[r] = ocmDialects.translated(r)
		ids := identifiersOf(r, translations[r])
		if len(ids) == 0 {
			configs.add(r)
		}
		for _, id := range ids {
			c := byID[id]
			if c == nil {
				c = &manifestConfig{id: id}
				byID[id], list = c, append(list, c)
			}
			if !c.endsWith(r) {
				c.rules = append(c.rules, r)
			}
		}
	}
	list, near := narrowFirst(list)
	near.takeOver(list, s.rules)
	said := map[*rule]bool{}
	for _, c := range list {
		near.noteOverlap(c)
		n := c.node(translations)
		for _, r := range c.rules {
			if !said[r] {
				commentNotes(n, r.notes)
				said[r] = true
			}
		}
		configs.list.Content = append(configs.list.Content, n)
	}
	document := newDocument("work.open-cluster-management.io/v1", "ManifestWork", s.name, "spec", tree.NewMap("manifestConfigs", configs.list))
	return configs.finish(document, s, "Copy spec.manifestConfigs into the ManifestWork that has the manifests.")
}

// identifiersOf writes which manifests a rule with some expressions is for: none without them.
func identifiersOf(r *rule, expressions []expression) (ids []manifestwork.ResourceIdentifier) {
	targets := r.targets()
	if len(expressions) == 0 {
		targets = nil
	}
	for _, t := range targets {
		if id, ok := identifierOf(r, t); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// endsWith tells whether the last rule of the config is r.
func (c *manifestConfig) endsWith(r *rule) bool {
	return len(c.rules) > 0 && c.rules[len(c.rules)-1] == r
}

// identifierOf writes which manifests a target is for; false if that can't be expressed.
func identifierOf(r *rule, t ruleSelector) (manifestwork.ResourceIdentifier, bool) {
	s := t.selector
	if !r.plain(t, "OCM") {
		return manifestwork.ResourceIdentifier{}, false
	}
	if isAny(s.Kind) || isGlob(*s.Kind) {
		found := "none"
		if s.Kind != nil {
			found = config.Quote(*s.Kind)
		}
		r.leaveOut(r.path+".selectors", "OCM needs exactly one kind, found %s", found)
		return manifestwork.ResourceIdentifier{}, false
	}
	group, ok := r.groupFor(s, "OCM")
	if !ok {
		return manifestwork.ResourceIdentifier{}, false
	}
	r.noteVersion(s, "OCM")
	if !slices.Contains(knownKinds()[group], *s.Kind) {
		r.remark(r.path+".selectors", "resource %s is guessed from kind %s", words.Plural(*s.Kind), *s.Kind)
	}
	every := new("*")
	return manifestwork.ResourceIdentifier{
		Group: group, Resource: words.Plural(*s.Kind), Namespace: *cmp.Or(s.Namespace, every), Name: *cmp.Or(s.Name, every),
	}, true
}

// groupFor returns the group of a selector; where it has none, that of a kind that only one group
// has.
func (r *rule) groupFor(s selector.Selector, program string) (string, bool) {
	if !isAny(s.Group) {
		if isGlob(*s.Group) {
			r.leaveOut(r.path+".selectors", "%s has no globs in group, found %s", program, config.Quote(*s.Group))
			return "", false
		}
		return *s.Group, true
	}
	group, ok := groupOf(*s.Kind)
	if !ok {
		r.leaveOut(r.path+".selectors", "%s needs the group of kind %s, found none", program, *s.Kind)
		return "", false
	}
	r.change(r.path+".selectors", "%s needs a group; for kind %s it is %s", program, *s.Kind, config.Quote(group))
	return group, true
}

// covers tells whether an identifier fits all that another, which has no globs of its own beyond a
// *, fits.
func covers(id, other manifestwork.ResourceIdentifier) bool {
	return id.Group == other.Group && id.Resource == other.Resource &&
		coversText(id.Namespace, other.Namespace) && coversText(id.Name, other.Name)
}

func coversText(glob, other string) bool {
	return glob == other || glob == "*" || !isGlob(other) && selector.Glob(glob, other)
}

// neighbours are configs by what their identifiers have in common with others: the resource, and a
// namespace and a name without globs, someGlob or anything.
type neighbours map[manifestwork.ResourceIdentifier][]*manifestConfig

const someGlob, anything = "*", "**"

// add enters a config.
func (n neighbours) add(c *manifestConfig) {
	enter := func(text string) []string {
		if isGlob(text) {
			return []string{someGlob, anything}
		}
		return []string{text, anything}
	}
	for _, key := range keys(c.id, enter) {
		n[key] = append(n[key], c)
	}
}

// of returns the configs that may be for a manifest that an identifier fits.
func (n neighbours) of(id manifestwork.ResourceIdentifier) (all []*manifestConfig) {
	ask := func(text string) []string {
		if isGlob(text) {
			return []string{anything}
		}
		return []string{text, someGlob}
	}
	for _, key := range keys(id, ask) {
		all = append(all, n[key]...)
	}
	return all
}

// keys returns an identifier with each of the texts for its namespace and its name.
func keys(id manifestwork.ResourceIdentifier, texts func(string) []string) (all []manifestwork.ResourceIdentifier) {
	for _, namespace := range texts(id.Namespace) {
		for _, name := range texts(id.Name) {
			all = append(all, manifestwork.ResourceIdentifier{Group: id.Group, Resource: id.Resource, Namespace: namespace, Name: name})
		}
	}
	return all
}

// covering returns the configs that cover an identifier.
func (n neighbours) covering(id manifestwork.ResourceIdentifier) []*manifestConfig {
	return slices.DeleteFunc(n.of(id), func(other *manifestConfig) bool { return !covers(other.id, id) })
}

// narrowFirst puts the narrower identifiers before the wider ones that cover them.
func narrowFirst(list []*manifestConfig) (sorted []*manifestConfig, near neighbours) {
	near = neighbours{}
	for _, c := range list {
		at := len(sorted)
		if wider := near.covering(c.id); len(wider) > 0 {
			at = slices.IndexFunc(sorted, func(other *manifestConfig) bool { return slices.Contains(wider, other) })
		}
		sorted = slices.Insert(sorted, at, c)
		near.add(c)
	}
	for i, c := range sorted {
		c.place = i
	}
	return sorted, near
}

// takeOver adds to each config the rules of those that cover it, in the order of the source.
func (n neighbours) takeOver(list []*manifestConfig, order []*rule) {
	place := map[*rule]int{}
	for i, r := range order {
		place[r] = i
	}
	taken := make([][]*rule, len(list))
	for i, c := range list {
		for _, wider := range n.covering(c.id) { // itself, too
			taken[i] = append(taken[i], wider.rules...)
		}
		slices.SortFunc(taken[i], func(a, b *rule) int { return place[a] - place[b] })
		taken[i] = slices.Compact(taken[i])
	}
	for i, c := range list {
		c.rules = taken[i]
	}
}

// noteOverlap notes that the agent takes only the first of two configs, where neither covers the
// other.
func (n neighbours) noteOverlap(c *manifestConfig) {
	before := slices.DeleteFunc(n.of(c.id), func(other *manifestConfig) bool {
		return other.place >= c.place || covers(c.id, other.id) ||
			!overlaps(other.id.Namespace, c.id.Namespace) || !overlaps(other.id.Name, c.id.Name)
	})
	slices.SortFunc(before, func(a, b *manifestConfig) int { return a.place - b.place })
	for _, other := range before {
		r := c.rules[len(c.rules)-1]
		r.change(r.path+".selectors", "a manifest that also matches %s %s/%s gets only the fields of that entry, which comes first",
			other.id.Resource, other.id.Namespace, other.id.Name)
	}
}

// overlaps tells whether some text may fit both.
func overlaps(a, b string) bool {
	_, fits, _ := bothTexts(&a, &b)
	return fits
}

func (c *manifestConfig) node(translations map[*rule][]expression) *tree.Node {
	id := tree.NewMap("group", c.id.Group, "resource", c.id.Resource, "namespace", words.Given(c.id.Namespace), "name", c.id.Name)
	apply := tree.NewMap("ignoreFields", c.fields(translations))
	return tree.NewMap("resourceIdentifier", id,
		"updateStrategy", tree.NewMap("type", "ServerSideApply", "serverSideApply", apply))
}

// fields writes a list of expressions for each condition.
func (c *manifestConfig) fields(translations map[*rule][]expression) *tree.Node {
	list := tree.NewList()
	for _, condition := range []string{rules.OnSpokePresent, rules.OnSpokeChange} {
		var all []expression
		has := map[expression]bool{}
		for _, r := range c.rules {
			for _, e := range translations[r] {
				e.path, e.exact = "", "" // which do not tell expressions apart
				if r.condition == condition && !has[e] {
					all, has[e] = append(all, e), true
				}
			}
		}
		if len(all) == 0 {
			continue
		}
		list.Content = append(list.Content, tree.NewMap("condition", condition, "jsonPaths", textsOf(all, jsonpath.Dialect.Name),
			"jsonPointers", textsOf(all, jsonpointer.Dialect.Name), "jqPathExpressions", textsOf(all, jqpath.Dialect.Name)))
	}
	return list
}
