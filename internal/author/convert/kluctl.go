package convert

import (
	"regexp"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// fromKluctl reads what kluctl leaves to other field managers (pkg/diff/conflicts.go and
// pkg/types/deployment.go): the conflictResolution of a deployment.yaml, which is no object, and
// the annotations of objects.
var fromKluctl = Source{
	Name: "kluctl", Title: "kluctl", Holds: "a deployment.yaml with conflictResolution, or objects with annotations kluctl.io/ignore-conflicts",
	read: readKluctl, isOne: true,
}

// kluctlConflict is ConflictResolutionConfig. A text stands for a list of it.
type kluctlConflict struct {
	FieldPath      *tree.Node `json:"fieldPath"`
	FieldPathRegex *tree.Node `json:"fieldPathRegex"`
	Manager        *tree.Node `json:"manager"`
	Group          *string    `json:"group"`
	Kind           *string    `json:"kind"`
	Name           *string    `json:"name"`
	Namespace      *string    `json:"namespace"`
	Action         string     `json:"action" enum:"ignore,force-apply" required:"true"`

	at string
}

var kluctlAnnotation = regexp.MustCompile(`^kluctl\.io/ignore-conflicts(-field|-manager)?(?:-\d*)?$`)

// quotedKey is a key in double quotes, where the JSONPath of Kubernetes has single ones.
var quotedKey = regexp.MustCompile(`\["([^"'\]]*)"\]`)

func readKluctl(root *tree.Node) []*source {
	o := selector.Of(root)
	s := newSource(root)
	entries := tree.Lookup(root, "conflictResolution")
	if o.Kind == "" && tree.IsList(entries) {
		s.readConflictResolution(entries)
		return []*source{s}
	}
	for key, value := range o.Annotations() {
		match := kluctlAnnotation.FindStringSubmatch(key)
		if match == nil || o.Kind == "" {
			continue
		}
		r := newRule(config.Child("metadata.annotations", key))
		r.selectOnly(o)
		switch text := value.Text(); {
		case match[1] == "-field":
			s.addKluctlPath(r, r.path, text)
		case match[1] == "-manager":
			r.addKluctlManager(r.path, text)
		case text == "true":
			r.leaveOut(r.path, "it is about all fields; to ignore an object, use exclude")
		}
		s.rules = append(s.rules, r)
	}
	if len(s.rules) == 0 {
		return nil
	}
	return []*source{s}
}

// readConflictResolution reads entries, of which the last one about a field counts.
func (s *source) readConflictResolution(entries *tree.Node) {
	var all []kluctlConflict
	for i, n := range tree.Elements(entries) {
		entry := kluctlConflict{at: config.Element("conflictResolution", i)}
		s.faults = append(s.faults, config.Decode(n, entry.at, &entry)...)
		all = append(all, entry)
	}
	for i, entry := range all {
		if entry.Action != "ignore" {
			continue // the package's value is applied, as it is without a rule
		}
		r := newRule(entry.at)
		r.selectors = product([5][]*string{{entry.Group}, {nil}, {entry.Kind}, {entry.Name}, {entry.Namespace}})
		r.eachText(entry.FieldPath, ".fieldPath", func(path, text string) {
			for _, later := range all[i+1:] {
				if later.Action != "ignore" && later.isFor(entry) && slices.Contains(oneOrMore(later.FieldPath), text) {
					r.leaveOut(path, "%s applies the field by force", later.at)
					return
				}
			}
			s.addKluctlPath(r, path, text)
		})
		r.passOverFailures("kluctl")
		r.eachText(entry.FieldPathRegex, ".fieldPathRegex", func(path, text string) {
			r.leaveOut(path, "a regular expression of whole paths has no equivalent, found %s", config.Quote(text))
		})
		r.eachText(entry.Manager, ".manager", r.addKluctlManager)
		for _, text := range []*string{entry.Group, entry.Kind, entry.Name, entry.Namespace} {
			switch {
			case text == nil || !isTemplate(*text) && !isGlob(*text):
				continue
			case isTemplate(*text):
				r.drop(r.path, "%s is a template, whose result is unknown", config.Quote(*text))
			default:
				r.drop(r.path, "kluctl compares %s literally, so it matches no object", config.Quote(*text))
			}
		}
		s.rules = append(s.rules, r)
	}
}

// isFor tells whether an entry is for all objects that another is for.
func (c kluctlConflict) isFor(other kluctlConflict) bool {
	covers := func(a, b *string) bool { return a == nil || b != nil && *a == *b }
	return covers(c.Group, other.Group) && covers(c.Kind, other.Kind) && covers(c.Name, other.Name) && covers(c.Namespace, other.Namespace)
}

// oneOrMore returns a list of texts, for which one text may stand.
func oneOrMore(n *tree.Node) []string {
	if tree.Type(n) == tree.String {
		return []string{tree.GetString(n)}
	}
	return lists.Map(tree.Elements(n), func(element *tree.Node) string { return tree.GetString(element) })
}

func (r *rule) eachText(n *tree.Node, member string, add func(path, text string)) {
	for i, text := range oneOrMore(n) {
		path := r.path + member
		if tree.IsList(n) {
			path = config.Element(path, i)
		}
		if isTemplate(text) {
			r.leaveOut(path, "%s is a template, whose result is unknown", config.Quote(text))
			continue
		}
		add(path, text)
	}
}

// addKluctlPath adds a JSONPath, which may begin with a name.
func (s *source) addKluctlPath(r *rule, path, text string) {
	ours := quotedKey.ReplaceAllString(strings.TrimPrefix(text, "$"), "['$1']")
	if ours != "" && ours[0] != '.' && ours[0] != '[' {
		ours = "." + ours
	}
	if strings.Trim(ours, ".*[]") == "" {
		r.leaveOut(path, "%s is about all fields; to ignore an object, use exclude", config.Quote(text))
		return
	}
	if _, err := jsonpath.Parse(ours); err != nil {
		r.leaveOut(path, "%s", err)
		return
	}
	if r.add(expression{dialect: jsonpath.Dialect.Name, text: ours, path: path}) {
		r.remark(path, "was %s; kluctl leaves the field alone only where another manager has another value", text)
	}
}

// addKluctlManager adds the managers that a regular expression finds in any place of their names.
func (r *rule) addKluctlManager(path, text string) {
	whole := text
	if !strings.HasPrefix(whole, "^") {
		whole = ".*" + whole
	}
	if !strings.HasSuffix(whole, "$") {
		whole += ".*"
	}
	globs, _, err := fromRegex(whole)
	if err != nil {
		r.leaveOut(path, "%s: %s", config.Quote(text), err)
		return
	}
	for _, glob := range globs {
		if glob == nil {
			glob = new("*")
		}
		r.managers = append(r.managers, *glob)
	}
}
