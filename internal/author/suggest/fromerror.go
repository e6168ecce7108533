//go:build !nopatches

package suggest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/applypatches"
	"github.com/krm-fields/krm-fields/internal/author/convert"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/owners"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FromError makes rules for the conflicts that the text of a failed apply names, and patches for
// what else it says is wrong. With the objects of the package, the rules are verified. Errors are
// *FormatError and *VerificationError.
func FromError(text string, objects []*object.Object, options Options) (Suggestions, error) {
	mask := cmp.Or(options.Mask, &redact.Mask{})
	for _, o := range objects {
		mask.Add(o.Root())
	}
	failed, err := Read(text)
	if err != nil {
		if unread, ok := errors.AsType[*FormatError](err); ok {
			unread.Found = mask.Text(unread.Found)
		}
		return Suggestions{}, err
	}
	for _, o := range objects {
		mask.AddKeys(o.Root())
	}
	mask.AddKeys(usualFields)
	e := fromError{
		tool: failed.Tool, objects: objects, options: options, mask: mask, expected: make([][]location.Location, len(objects)),
		finder: newFinder(), byName: map[string][]int{}, ruleOf: map[string]*suggestion{}, own: map[*suggestion][]hint.Path{},
		shows: map[int]redact.Object{}, byIndex: map[string]*removals{},
	}
	for i, o := range objects {
		ref := report.RefOf(o.Root())
		e.refs = append(e.refs, ref)
		e.byName[""] = append(e.byName[""], i)
		if ref.Name != "" {
			e.byName[ref.Name] = append(e.byName[ref.Name], i)
		} else {
			e.nameless = append(e.nameless, i)
		}
	}
	for _, f := range slices.Concat(failed.Messages...) {
		if e.getsRule(f) {
			e.ruled++
		}
	}
	for _, message := range failed.Messages {
		e.add(message)
	}
	if len(e.rules) > 0 {
		e.out.Config = write(options.Name, e.rules, false, nil)
		if err := verify(e.out.Config, objects, nil, e.expected); err != nil {
			return Suggestions{}, err
		}
	}
	if len(e.patches) > 0 {
		patches := functionConfig(applypatches.Kind, options.Name+"-patches", "patches", tree.NewList(e.patches...))
		if len(objects) > 0 {
			_, results := fn.Items(patches, copies(objects, nil))
			if err := firstError(results); err != nil {
				return Suggestions{}, err
			}
		}
		e.out.Patches = patches
	}
	return e.out, e.convert()
}

// usualFields are names in paths that are known also without an object that has them.
var usualFields = tree.NewMap("metadata", "", "spec", "", "status", "", "data", "", "stringData", "")

// fromError turns the findings of a text into rules and patches.
type fromError struct {
	tool    *Tool
	objects []*object.Object
	options Options
	mask    *redact.Mask
	// refs name the objects; byName are their indices by their names, all by "", and nameless those
	// of objects without one.
	refs     []report.Ref
	byName   map[string][]int
	nameless []int
	finder   *finder
	// shows says what may be shown of the objects that were asked for, by their index.
	shows map[int]redact.Object
	// byIndex are the removals of list elements by the object and the list.
	byIndex map[string]*removals

	// ruled counts the conflicts that get a rule.
	ruled int

	out     Suggestions
	rules   []*suggestion
	ruleOf  map[string]*suggestion // by the object
	patches []*tree.Node
	// own are the fields of the rules as the tool's own rules may name them, by the rule.
	own map[*suggestion][]hint.Path
	// expected are the places that the rules find, by the index of the object.
	expected [][]location.Location
}

// finding is a finding with the object of the package that it is about.
type finding struct {
	Finding
	path hint.Path
	// object is the index of the object, and places are those of the field in it; -1 for none.
	object int
	places []location.Location
}

// turn turns a finding into a rule, a patch, or a result that says what to do; false if it needs an
// object of the package, and has none.
func (e *fromError) turn(f finding) bool {
	switch f.Problem {
	case Conflict:
		return e.conflict(f)
	case Duplicate:
		return e.duplicate(f)
	case Undeclared:
		at := patchpath.Write(f.path)
		if at == "" && f.object >= 0 {
			at = f.places[0].Pointer()
		}
		return e.patch(f, "the schema of the API server does not have the field: it is misspelt, at the wrong place, or of another version", nil, at)
	case Immutable:
		message := "the value must stay what it is on the cluster: set that in the package, or " + replacement(f)
		if len(f.path) == 1 && f.path[0].Key == "spec" { // as of a StatefulSet
			message += "; krm-fields plan --from-cluster PATH names the field"
		}
		e.report(f, report.SeverityInfo, message)
	case Mistyped:
		e.report(f, report.SeverityInfo, "the value is not of the type that the schema has: correct it in the package; "+
			"text that looks like a number or a boolean must be in quotes")
	case Required:
		e.required(f)
	case KeyMissing:
		e.keyMissing(f)
	case Equal:
		e.report(f, report.SeverityInfo, "two elements of the list have this value, and only one may; the list is that of the merged object, so "+
			"one of them may be there on the cluster only, under another key: krm-fields plan --from-cluster PATH shows who keeps it; "+
			"give both the same key in the package, or remove the other from the cluster")
	case Managed:
		e.report(f, report.SeverityInfo, "the package must not set it: krm-fields run --clean --in-place PATH takes out all that only a server sets")
	case Forbidden:
		e.report(f, report.SeverityInfo,
			"the API server refuses the request itself, whatever its fields, so there is no rule; its reason: "+e.mask.Text(f.Says))
	case Unread:
		e.report(f, report.SeverityError, cmp.Or(f.Says, "the name of the field can't be parsed: write a rule by hand; "+
			"krm-fields locate FILE prints the expressions that name the field in a line"))
	}
	return true
}

// isLost tells whether a finding has no object of the package, although there is one.
func (e *fromError) isLost(f finding) bool { return f.object < 0 && len(e.objects) > 0 }

// mayBe tells whether an object may be the one that a text names in part.
func mayBe(named, ref report.Ref) bool {
	group, _, _ := strings.Cut(named.APIVersion, "/")
	isSame := func(a, b string) bool { return a == "" || b == "" || a == b }
	return isSame(named.Kind, ref.Kind) && isSame(named.Namespace, ref.Namespace) && isSame(named.Name, ref.Name) &&
		(named.APIVersion == "" || named.APIVersion == ref.APIVersion ||
			strings.Contains(named.APIVersion, "/") && strings.HasPrefix(ref.APIVersion, group+"/"))
}

func (e *fromError) isOwn(f Finding) bool { return e.tool.isOwn(e.options.FieldManager, f.Manager) }

func (e *fromError) isEdit(f Finding) bool {
	return managedfields.IsHandEdit(f.Manager) && !e.options.IncludeEdits
}

// getsRule tells whether a conflict gets a rule, if an object is found for it.
func (e *fromError) getsRule(f Finding) bool {
	isAsked := e.options.Manager == "" || selector.Glob(e.options.Manager, f.Manager)
	return f.Problem == Conflict && isAsked && !e.isOwn(f) && !e.isEdit(f)
}

// conflict makes a rule, unless the manager is the tool itself or a person; false as for turn.
func (e *fromError) conflict(f finding) bool {
	takeOver := e.tool.takesOver(e.options.FieldManager, e.ruled > 0)
	owner := fmt.Sprintf("%q", f.Manager)
	if f.Subresource != "" {
		owner += fmt.Sprintf(" (subresource %s)", f.Subresource)
	}
	if e.isOwn(f.Finding) {
		e.report(f, report.SeverityInfo, fmt.Sprintf(
			"owned by %s, which is the applier under another name, so there is no rule; take the field over: %s", owner, takeOver))
		return true
	}
	if e.isEdit(f.Finding) {
		e.report(f, report.SeverityInfo, fmt.Sprintf(
			"drift: set by hand (%s), so there is no rule unless --include-edits; take the field over: %s", owner, takeOver))
		return true
	}
	if !e.getsRule(f.Finding) {
		return true
	}
	if e.isLost(f) {
		return false
	}
	about, says := whatIs(f)
	owner += about
	state := "not verified on manifests"
	if f.object >= 0 {
		e.expected[f.object] = append(e.expected[f.object], f.places...)
		state = "verified: it finds exactly this field"
	}
	instead := e.tool.takesOver(e.options.FieldManager, e.ruled > 1)
	if strings.HasPrefix(instead, "krm-fields") {
		instead = "delete the rule, then " + instead
	}
	e.report(f, report.SeverityInfo, fmt.Sprintf(
		"owned by %s%s; a rule leaves it to the owner (%s); to take it over instead: %s", owner, says, state, instead))
	if f.Ref.Name == "" {
		e.report(f, report.SeverityWarning, "the text does not name the object: give its manifest, or add its name to the selectors of the rule")
	}
	e.addRule(f, owner)
	return true
}

// whatIs says what a manager usually is, and what is known of that; "" where nothing is.
func whatIs(f finding) (about, says string) {
	isScale := f.Subresource == "scale" || strings.HasSuffix(f.Path.String(), "replicas")
	if entry := owners.OfManager(f.Manager, isScale); entry != nil {
		return ", usually " + entry.Owner, ": " + entry.Says
	}
	for _, tool := range managedfields.Tools {
		if tool.Manager == f.Manager {
			return ", which is how " + tool.Name + " applies packages", ""
		}
	}
	switch {
	case managedfields.AppliesPackages(f.Manager):
		return ", which applies packages", ""
	case f.Manager == "kube-controller-manager":
		return ", the control plane", ""
	}
	return "", ""
}

func (e *fromError) addRule(f finding, owner string) {
	objects := f.Ref.String()
	key := objects
	if f.Ref.Kind == "" { // of which the text has the group alone
		key = f.Ref.APIVersion
	}
	rule := e.ruleOf[key]
	if rule == nil {
		rule = &suggestion{fields: map[string][]namedField{}, objects: objects, numbers: map[string]int{}}
		if known := selector.Naming(f.Ref); !known.IsEmpty() {
			rule.selectors = []selector.Selector{known}
		}
		e.ruleOf[key] = rule
		e.rules = append(e.rules, rule)
	}
	ownPath := f.path
	if f.object >= 0 {
		ownPath = hint.Of(f.places[0])
	}
	e.own[rule] = append(e.own[rule], ownPath)
	named := named(f.path)
	ref := f.Ref
	ref.Name = cmp.Or(ref.Name, "an object")
	of := found{pair: &pairOfObjects{ref: ref}, difference: difference{owner: owner}}
	fields, name := rule.fields[named.dialect], named.dialect+" "+named.text
	if i, known := rule.numbers[name]; known {
		fields[i].found = append(fields[i].found, of)
		return
	}
	rule.numbers[name] = len(fields)
	rule.fields[named.dialect] = append(fields, namedField{expression: named.text, found: []found{of}})
}

// shown is what may be shown of an object.
func (e *fromError) shown(object int) redact.Object {
	shown, known := e.shows[object]
	if !known {
		shown = redact.Of(e.objects[object].Root())
		e.shows[object] = shown
	}
	return shown
}

// path returns a path of the text, or the name of a field, as it may be shown: names that are known
// stay, also where a Secret has such a value.
func (e *fromError) path(text string) string {
	path, isRelative := text, !strings.HasPrefix(text, ".")
	if isRelative {
		path = "." + text // as a name in a path begins
	}
	if path = e.mask.Text(path); isRelative {
		path = strings.TrimPrefix(path, ".")
	}
	return path
}

func (e *fromError) report(f finding, severity, message string) {
	path := strings.TrimPrefix(e.path(f.Path.String()), ".")
	r := report.Result{
		Message: strings.TrimPrefix(path+": ", ": ") + message, Severity: severity, Ref: f.Ref, Field: report.Field{Path: path},
		Tags: map[string]string{"reason": report.ReasonFailedApply, "kind": string(f.Problem), "tool": e.tool.Title},
	}
	if strings.HasSuffix(r.Ref.APIVersion, "/*") { // the text has the group alone
		r.Ref.APIVersion = ""
	}
	if f.Manager != "" {
		r.Tags["manager"] = f.Manager
	}
	if f.object >= 0 {
		r.File = e.objects[f.object].File()
	}
	e.out.Results = append(e.out.Results, r)
}

// convert adds the rules in the form of the tool, as a comment: the document stays one that can be
// run.
func (e *fromError) convert() error {
	if e.out.Config == nil {
		return nil
	}
	var lines []string
	for _, rule := range e.rules {
		lines = append(lines, e.tool.ownRules(rule.objects, e.own[rule])...)
	}
	var converted convert.Conversion
	if e.tool.Rules != "" {
		var err error
		if converted, err = convert.Convert("ignorefields", e.tool.Rules, []*object.Object{object.NewDocument(e.out.Config)}, convert.Options{}); err != nil {
			return err
		}
	}
	e.out.Results = append(e.out.Results, converted.Results...)
	for _, o := range converted.Documents {
		text, err := o.Text()
		if err != nil {
			return err
		}
		lines = append(lines, "The same for "+e.tool.Title+":")
		lines = append(lines, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...)
	}
	if e.tool.note != "" {
		lines = append(lines, e.tool.note)
	}
	comment(e.out.Config.Content[0], lines)
	return nil
}
