// Package selector selects objects by selectors and exclude entries.
package selector

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Selector is one entry of selectors or exclude as written. An object matches if it matches all its
// fields. A field that is left out is nil and matches any object; "" matches an empty value:
// `group: ""` is the core group, `namespace: ""` an object without a namespace, which is not one in
// the namespace default.
type Selector struct {
	APIVersion    *string           `json:"apiVersion" doc:"The exact apiVersion, such as apps/v1."`
	Group         *string           `json:"group" doc:"The API group; \"\" is the core group. * matches any characters."`
	Version       *string           `json:"version" doc:"The version alone, such as v1. * matches any characters."`
	Kind          *string           `json:"kind" doc:"The kind, such as Deployment. * matches any characters."`
	Name          *string           `json:"name" doc:"The name. * matches any characters."`
	Namespace     *string           `json:"namespace" doc:"The namespace, as written in the object. * matches any characters."`
	Labels        map[string]string `json:"labels" doc:"Labels that the object must have, with these values."`
	Annotations   map[string]string `json:"annotations" doc:"Annotations that the object must have, with these values."`
	LabelSelector *string           `json:"labelSelector" doc:"A Kubernetes label selector: tier in (web,api),!canary."`
	// AnnotationSelector has the syntax of LabelSelector.
	AnnotationSelector *string `json:"annotationSelector" doc:"The same for annotations: helm.sh/hook selects objects that have that annotation."`
}

// IsEmpty tells whether the selector has no field, and so matches every object.
func (s Selector) IsEmpty() bool { return len(s.Node().Content) == 0 }

// Naming returns the selector of an object by what is known of its names.
func Naming(ref report.Ref) Selector {
	s := Selector{Kind: words.Given(ref.Kind), Name: words.Given(ref.Name), Namespace: words.Given(ref.Namespace)}
	if ref.APIVersion != "" {
		s.Group = new(ref.Group())
	}
	return s
}

// Nodes returns a list of selectors; nil for none.
func Nodes(selectors []Selector) *tree.Node {
	if len(selectors) == 0 {
		return nil
	}
	return tree.NewList(lists.Map(selectors, Selector.Node)...)
}

// Node writes the selector as a functionConfig has it.
func (s Selector) Node() *tree.Node {
	pairs := func(values map[string]string) *tree.Node {
		var members []any
		for _, name := range slices.Sorted(maps.Keys(values)) {
			members = append(members, name, values[name])
		}
		if members == nil {
			return nil
		}
		return tree.NewMap(members...)
	}
	var members []any
	for _, f := range identityFields {
		members = append(members, f.name, f.wanted(&s))
	}
	return tree.NewMap(append(members, fieldLabels, pairs(s.Labels), fieldAnnotations, pairs(s.Annotations),
		fieldLabelSelector, s.LabelSelector, fieldAnnotationSelector, s.AnnotationSelector)...)
}

// compiledSelector is a compiled Selector.
type compiledSelector struct {
	path       string
	conditions []condition
	// kind is the kind that the selector names without a glob; or "".
	kind string
	// name is the name that the selector requires, not a glob; or "".
	name string
	// matched is set once the entry has matched a noted object.
	matched *atomic.Bool
}

func (e *compiledSelector) holds(o *Candidate) bool {
	for _, c := range e.conditions {
		if !c.holds(o) {
			return false
		}
	}
	return true
}

// String returns the selector as messages show it: `kind: Deployment, name: web`.
func (e *compiledSelector) String() string {
	return strings.Join(lists.Map(e.conditions, condition.String), ", ")
}

// compiler compiles one selector.
type compiler struct {
	entry compiledSelector
	// prefix is what the names of fields begin with: excludeKind.
	prefix string
	faults []report.Fault
}

func (c *compiler) compile(s Selector) compiledSelector {
	c.entry.matched = new(atomic.Bool)
	for _, f := range identityFields {
		if want := f.wanted(&s); want != nil {
			c.identity(f, *want)
		}
	}
	c.pairs(fieldLabels, s.Labels)
	c.pairs(fieldAnnotations, s.Annotations)
	c.labelSelector(fieldLabelSelector, fieldLabels, s.LabelSelector)
	c.labelSelector(fieldAnnotationSelector, fieldAnnotations, s.AnnotationSelector)
	if s.Kind != nil && !isGlob(*s.Kind) {
		c.entry.kind = *s.Kind
	}
	if s.Name != nil && !isGlob(*s.Name) {
		c.entry.name = *s.Name
	}
	return c.entry
}

func (c *compiler) add(condition condition) {
	c.entry.conditions = append(c.entry.conditions, condition)
}

func (c *compiler) fault(field, format string, args ...any) {
	if c.prefix != "" {
		field = c.prefix + strings.ToUpper(field[:1]) + field[1:]
	}
	c.faults = append(c.faults, report.Fault{Path: c.entry.path + "." + field, Message: fmt.Sprintf(format, args...)})
}

var versionPattern = words.Pattern(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// slashFix says how to write a group with its version, such as apps/v1, or a kind with its group or
// a name; "" for another text.
func slashFix(field, text string) string {
	before, behind, _ := strings.Cut(text, "/")
	if before == "" || behind == "" || strings.Contains(behind, "/") {
		return ""
	}
	kind, isShort := OfShortName(before)
	if !isShort {
		kind = before
	}
	switch {
	case versionPattern().MatchString(behind):
		return "; write apiVersion: " + value(strings.TrimPrefix(text, "core/"))
	case field != fieldKind:
		return ""
	case unicode.IsUpper(rune(kind[0])):
		return fmt.Sprintf("; write kind: %s and name: %s", value(kind), value(behind))
	case unicode.IsUpper(rune(behind[0])):
		return fmt.Sprintf("; write group: %s and kind: %s", value(before), value(behind))
	}
	return ""
}

// identity compiles the condition of an identity field. An apiVersion is no glob.
func (c *compiler) identity(f identityField, want string) {
	holds := func(o *Candidate) bool { return f.of(o) == want }
	if f.name != fieldAPIVersion && isGlob(want) {
		parsed := parseGlob(want)
		holds = func(o *Candidate) bool { return parsed.matches(f.of(o)) }
	}
	if strings.Contains(want, "/") && slices.Contains([]string{fieldGroup, fieldVersion, fieldKind}, f.name) {
		c.fault(f.name, "must not contain a slash, found %s%s", config.Quote(want), slashFix(f.name, want))
		return
	}
	c.add(condition{field: f.name, of: f.of, want: want, holds: holds})
}

func (c *compiler) pairs(field string, pairs map[string]string) {
	const few = 16 // of which each may look through all that the object has
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		want := pairs[key]
		c.add(condition{field: field, key: key, want: want, holds: func(o *Candidate) bool {
			if len(pairs) > few {
				text, ok := o.pairs(field)[key]
				return ok && text == want
			}
			text, ok := o.text(field, key)
			return ok && text == want
		}})
	}
}

// labelSelector compiles a label selector for the labels or the annotations.
func (c *compiler) labelSelector(name, of string, expression *string) {
	if expression == nil {
		return
	}
	parsed, err := labels.Parse(*expression, field.WithPath(field.NewPath(name)))
	if isBlank := strings.TrimSpace(*expression) == ""; isBlank || err != nil {
		found := config.Quote(*expression)
		if !isBlank {
			found += ": " + err.Error()
		}
		c.fault(name, `must be a Kubernetes label selector such as "tier in (web,api),!canary", found %s`, found)
		return
	}
	c.add(condition{field: name, want: *expression, holds: func(o *Candidate) bool { return parsed.Matches(o.pairs(of)) }})
}

// The fields of a selector; labels and annotations are also the fields of the metadata where they
// are looked up.
const (
	fieldAPIVersion    = "apiVersion"
	fieldGroup         = "group"
	fieldVersion       = "version"
	fieldKind          = "kind"
	fieldName          = "name"
	fieldNamespace     = "namespace"
	fieldLabels        = "labels"
	fieldAnnotations   = "annotations"
	fieldLabelSelector = "labelSelector"

	fieldAnnotationSelector = "annotationSelector"
)

// identityField is a field that objects have one of: its value in an object, and what a selector
// wants, which may be nil.
type identityField struct {
	name   string
	of     func(o *Candidate) string
	wanted func(s *Selector) *string
}

var identityFields = []identityField{
	{fieldAPIVersion, func(o *Candidate) string { return o.APIVersion }, func(s *Selector) *string { return s.APIVersion }},
	{fieldGroup, func(o *Candidate) string { return o.Group }, func(s *Selector) *string { return s.Group }},
	{fieldVersion, func(o *Candidate) string { return o.Version }, func(s *Selector) *string { return s.Version }},
	{fieldKind, func(o *Candidate) string { return o.Kind }, func(s *Selector) *string { return s.Kind }},
	{fieldName, func(o *Candidate) string { return o.Name }, func(s *Selector) *string { return s.Name }},
	{fieldNamespace, func(o *Candidate) string { return o.Namespace }, func(s *Selector) *string { return s.Namespace }},
}

// condition is one field of a selector, or one pair of its labels or annotations.
type condition struct {
	field string
	// of is the value of an identity field in an object; nil for other fields.
	of func(o *Candidate) string
	// key is that of a label or annotation.
	key string
	// want is the value as written.
	want  string
	holds func(o *Candidate) bool
}

// String returns the condition as messages show it: `kind: Deployment`.
func (c condition) String() string {
	if c.key != "" {
		return c.field + ": {" + config.Quote(c.key) + ": " + config.Quote(c.want) + "}"
	}
	return c.field + ": " + value(c.want)
}

// value writes a value for a message, in quotes only if needed.
func value(text string) string {
	quoted := config.Quote(text)
	if text != "" && quoted == `"`+text+`"` {
		return text
	}
	return quoted
}

// glob is a pattern in which `*` matches any run of characters, also none, and slashes. No other
// character is special: `?` and `[` match themselves. It holds the parts between the stars.
type glob []string

func isGlob(pattern string) bool {
	return strings.Contains(pattern, "*")
}

func parseGlob(pattern string) glob {
	return strings.Split(pattern, "*")
}

// matches tells whether the pattern matches the whole of text. It never backtracks, however many
// stars there are.
func (g glob) matches(text string) bool {
	last := len(g) - 1
	if last == 0 {
		return text == g[0]
	}
	rest, ok := strings.CutPrefix(text, g[0])
	if !ok {
		return false
	}
	if rest, ok = strings.CutSuffix(rest, g[last]); !ok {
		return false
	}
	for _, part := range g[1:last] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return true
}

// Glob tells whether the pattern, in which `*` matches any run of characters, matches the whole of
// text.
func Glob(pattern, text string) bool {
	return parseGlob(pattern).matches(text)
}
