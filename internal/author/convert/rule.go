package convert

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// source is one object that holds rules.
type source struct {
	ref    report.Ref
	file   report.File
	name   string
	rules  []*rule
	faults []report.Fault
	// hash is the algorithm of the object hash that goes with the rules; "" where there is none.
	hash string
	remarks
}

// rule names fields of the objects that one of its selectors fits, and no exclude entry.
type rule struct {
	path        string // spec.ignoreDifferences[0]
	condition   string
	selectors   []selector.Selector // none: all objects
	exclude     []selector.Selector
	expressions []expression
	// managers are the field managers whose fields the rule is about, for an entry of its own.
	managers []string
	// fromOwners is true if the rule is about the fields that objects of the package own in others.
	fromOwners bool
	remarks
}

// expression is one expression of a dialect, by its name.
type expression struct {
	dialect, text string
	path          string // spec.ignoreDifferences[0].jsonPointers[1]
	// exact is a form that finds nothing where the source's own fails; "" where text is that.
	exact string
}

// note says what the conversion does with a part of the source.
type note struct {
	path, text string
	// warning is the reason of its warning; "" where it is a comment alone.
	warning string
	// ref and file are those of the source, where rules of several sources become one document.
	ref  report.Ref
	file report.File
}

func (n note) String() string {
	if n.path == "" {
		return n.text
	}
	return n.path + ": " + n.text
}

func newSource(root *tree.Node) *source {
	return &source{name: tree.GetString(root, "metadata", "name")}
}

// newRule returns a rule that leaves its fields alone whatever the package has there.
func newRule(path string) *rule { return &rule{path: path, condition: rules.OnSpokePresent} }

// selectOnly gives the rule the selector for one object.
func (r *rule) selectOnly(o *selector.Candidate) {
	r.selectors = []selector.Selector{{Group: &o.Group, Kind: &o.Kind, Name: &o.Name, Namespace: words.Given(o.Namespace)}}
}

// decode decodes the member key of the map parent, which is at path, into the field of that name of
// the struct that into points to.
func (s *source) decode(parent *tree.Node, path, key string, into any) {
	m := &tree.Node{Kind: tree.MappingNode}
	if value := tree.Lookup(parent, key); value != nil {
		m.Content = []*tree.Node{tree.NewString(key), value}
	}
	s.faults = append(s.faults, config.Decode(m, path, into)...)
}

func (s *source) fault(path, format string, args ...any) {
	s.faults = append(s.faults, report.Fault{Path: path, Message: fmt.Sprintf(format, args...)})
}

// remarks are notes about a source or a rule.
type remarks struct {
	notes []note
	noted map[note]bool
}

// remark notes something that is no loss.
func (r *remarks) remark(path, format string, args ...any) {
	r.note(note{path: path, text: fmt.Sprintf(format, args...)})
}

// warn notes what its author may not mean.
func (r *remarks) warn(path, format string, args ...any) {
	r.note(note{path: path, text: fmt.Sprintf(format, args...), warning: report.ReasonLikelyMistake})
}

// lose notes that the target does not do what the source does.
func (r *remarks) lose(path, format string, args ...any) {
	r.note(note{path: path, text: fmt.Sprintf(format, args...), warning: report.ReasonNotConverted})
}

// change notes that a part means something else in the target.
func (r *remarks) change(path, format string, args ...any) { r.lose(path, "changed: "+format, args...) }

// leaveOut notes that a part is not in the output.
func (r *remarks) leaveOut(path, format string, args ...any) {
	r.lose(path, "left out: "+format, args...)
}

// note adds a note that is not there yet, as it may be the same for several selectors.
func (r *remarks) note(n note) {
	if r.noted == nil {
		r.noted = map[note]bool{}
	}
	if !r.noted[n] {
		r.notes = append(r.notes, n)
	}
	r.noted[n] = true
}

// sign notes in the remarks of the source and its rules which source they are of.
func (s *source) sign() {
	sign := func(notes []note) {
		for i := range notes {
			notes[i].ref, notes[i].file = s.ref, s.file
		}
	}
	sign(s.notes)
	for _, r := range s.rules {
		sign(r.notes)
	}
}

// addList adds the expressions of one list to the rule, which is at its path, after checking them.
func (s *source) addList(r *rule, d expr.Dialect, list string, texts []string) {
	for i, text := range texts {
		e := expression{dialect: d.Name, text: text, path: config.Element(r.path+"."+list, i)}
		if _, err := d.Parse(text, jq.Limits{}); err != nil {
			s.fault(e.path, "%s", err)
			continue
		}
		r.add(e)
	}
}

// add adds an expression that can be ignored.
func (r *rule) add(e expression) bool {
	if r.leavesOutIdentity(e) {
		return false
	}
	r.expressions = append(r.expressions, e)
	return true
}

// leavesOutIdentity tells whether an expression finds what names an object, or what holds that, and
// notes it.
func (r *rule) leavesOutIdentity(e expression) bool {
	found, isIdentity := lists.Find(e.everywhere(), func(l location.Location) bool {
		return l != nil && slices.ContainsFunc(rules.Protected, l.Contains)
	})
	if !isIdentity {
		return false
	}
	pointer := found.Pointer()
	why := pointer + " identifies the object, so krm-fields can't ignore it"
	if len(found) == 0 || pointer == "/metadata" {
		why = cmp.Or(pointer, "the object") + " contains the name, which krm-fields can't ignore; write the fields under it, such as /metadata/labels"
	}
	if e.dialect != jsonpointer.Dialect.Name {
		why = config.Quote(e.text) + ": " + why
	}
	r.leaveOut(e.path, "%s", why)
	return true
}

// anyObject has what every object has, and a namespace.
var anyObject = tree.NewMap("apiVersion", "v1", "kind", "Any", "metadata", tree.NewMap("name", "any", "namespace", "any"))

// everywhere returns what an expression finds in every object, and what one of names and conditions
// finds where they hold. A jq expression is not evaluated, which may take long: only one of names,
// conditions and [] is looked at.
func (e expression) everywhere() []location.Location {
	if e.dialect == jqpath.Dialect.Name {
		paths, err := celSteps(e.dialect, e.text, nil)
		if err != nil || len(paths) > 1 {
			return nil
		}
		return append(membersOf(paths[0]), placeOf(paths[0]))
	}
	d, _ := expr.ByName(e.dialect)
	parsed, err := d.Parse(e.text, jq.Limits{})
	if err != nil {
		return nil
	}
	found, err := parsed.Locate(&expr.Input{Root: anyObject, WithoutHint: true})
	if err != nil {
		return nil
	}
	return found.Locations
}

// membersOf returns where names and [] lead to in anyObject; nil for other steps.
func membersOf(steps []jq.Step) []location.Location {
	found := []location.Location{nil}
	for _, step := range steps {
		var next []location.Location
		for _, l := range found {
			for key := range tree.Entries(location.At(anyObject, l)) {
				if step.Kind == jq.EachStep || step.Kind == jq.FieldStep && step.Text == key {
					next = append(next, l.With(location.Key(key)))
				}
			}
		}
		found = next
	}
	return found
}

// warnings returns a result for each note that is more than a comment.
func (s *source) warnings() []report.Result {
	all := slices.Clone(s.notes)
	for _, r := range s.rules {
		all = append(all, r.notes...)
	}
	var results []report.Result
	for _, n := range all {
		if n.warning != "" {
			result := report.New(report.SeverityWarning, n.warning, n.String()).At(n.path)
			results = append(results, result.Of(cmp.Or(n.ref, s.ref), cmp.Or(n.file, s.file)))
		}
	}
	return results
}
