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
		s.add(r, jsonpath.Dialect, "jsonPaths", field.JSONPaths)
		r.passOverFailures()
		r.addPaths(agent, "jsonPointers", field.JSONPointers)
		s.add(r, jqpath.Dialect, "jqPathExpressions", field.JQPathExpressions)
		r.noteAgent()
		s.rules = append(s.rules, r.oneByOne()...)
	}
}

// agent is the program that the rules of OCM are for.
const agent = "the OCM agent"

// passOverFailures writes the JSONPaths that can fail on an object as jq that can't: the agent only
// logs that they do.
func (r *rule) passOverFailures() {
	for i, e := range r.expressions {
		if !indexOrFilter.MatchString(e.text) {
			continue
		}
		into, text, err := jsonpath.Translate(e.text)
		if err != nil || into != jqpath.Dialect.Name {
			continue
		}
		if total, ok := jq.WithoutErrors(text); ok {
			r.remark(e.path, "was %s; the agent skips a path that fails", e.text)
			r.expressions[i].dialect, r.expressions[i].text = into, total.Text
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
}

var toOCM = Target{Name: "ocm", Title: fromOCM.Title, Writes: "a ManifestWork", write: documents(writeOCM)}

// writeOCM writes the part of a ManifestWork that says what is ignored. For each manifest the agent
// takes the first entry that fits, and of an entry one list for each condition. So an entry has the
// rules of all the wider ones too, the narrow ones come first, and rules with one condition become
// one.
func writeOCM(s *source) *tree.Node {
	translations := map[*rule][]expression{}
	configs := newEntries()
	var list []*manifestConfig
	for _, r := range s.rules {
		translations[r] = ocmDialects.translated(r)
		targets := r.targets()
		if len(translations[r]) == 0 {
			targets = nil
		}
		var ids []manifestwork.ResourceIdentifier
		for _, t := range targets {
			if id, ok := identifierOf(r, t); ok && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		if len(ids) == 0 {
			configs.add(r)
		}
		for _, id := range ids {
			i := slices.IndexFunc(list, func(c *manifestConfig) bool { return c.id == id })
			if i < 0 {
				i, list = len(list), append(list, &manifestConfig{id: id})
			}
			list[i].rules = append(list[i].rules, r)
		}
	}
	list = narrowFirst(list)
	takeOver(list, s.rules)
	said := map[*rule]bool{}
	for i, c := range list {
		noteOverlap(list[:i], c)
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

// identifierOf writes which manifests a target is for; false if that can't be expressed.
func identifierOf(r *rule, t target) (manifestwork.ResourceIdentifier, bool) {
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

// narrowFirst puts the narrower identifiers before the wider ones that cover them.
func narrowFirst(list []*manifestConfig) []*manifestConfig {
	var sorted []*manifestConfig
	for _, c := range list {
		at := slices.IndexFunc(sorted, func(other *manifestConfig) bool { return covers(other.id, c.id) })
		if at < 0 {
			at = len(sorted)
		}
		sorted = slices.Insert(sorted, at, c)
	}
	return sorted
}

// takeOver adds to each config the rules of those that cover it, in the order of the source.
func takeOver(list []*manifestConfig, order []*rule) {
	taken := make([][]*rule, len(list))
	for i, c := range list {
		for _, r := range order {
			if slices.ContainsFunc(list, func(o *manifestConfig) bool { return covers(o.id, c.id) && slices.Contains(o.rules, r) }) {
				taken[i] = append(taken[i], r)
			}
		}
	}
	for i, c := range list {
		c.rules = taken[i]
	}
}

// noteOverlap notes that the agent takes only the first of two configs, where neither covers the
// other.
func noteOverlap(before []*manifestConfig, c *manifestConfig) {
	for _, other := range before {
		if other.id.Group != c.id.Group || other.id.Resource != c.id.Resource || covers(c.id, other.id) {
			continue
		}
		if overlaps(other.id.Namespace, c.id.Namespace) && overlaps(other.id.Name, c.id.Name) {
			r := c.rules[len(c.rules)-1]
			r.change(r.path+".selectors", "a manifest that also matches %s %s/%s gets only the fields of that entry, which comes first",
				other.id.Resource, other.id.Namespace, other.id.Name)
		}
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
		for _, r := range c.rules {
			for _, e := range translations[r] {
				e.path, e.exact = "", "" // which do not tell expressions apart
				if r.condition == condition && !slices.Contains(all, e) {
					all = append(all, e)
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
