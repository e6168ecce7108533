//go:build !nopatches

package suggest

import (
	"cmp"
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
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FromError makes rules for the conflicts that the text of a failed apply names, and patches for
// what else it says is wrong. With the objects of the package, the rules are verified. Errors are
// *FormatError and *VerificationError.
func FromError(text string, objects []*object.Object, options Options) (Outcome, error) {
	failed, err := Read(text)
	if err != nil {
		return Outcome{}, err
	}
	e := fromError{tool: failed.Tool, objects: objects, options: options, expected: make([][]location.Location, len(objects)),
		own: map[*suggestion][]hint.Path{}}
	for _, f := range failed.Findings {
		e.add(f)
	}
	if len(e.rules) > 0 {
		e.out.Config = write(options.Name, e.rules, false, nil)
		if err := verify(e.out.Config, objects, nil, e.expected); err != nil {
			return Outcome{}, err
		}
	}
	if len(e.patches) > 0 {
		patches := functionConfig(applypatches.Kind, options.Name+"-patches", "patches", tree.NewList(e.patches...))
		if len(objects) > 0 {
			_, results := fn.Items(patches, copies(objects))
			if err := firstError(results); err != nil {
				return Outcome{}, err
			}
		}
		e.out.Patches = patches
	}
	return e.out, e.convert()
}

// fromError turns the findings of a text into rules and patches.
type fromError struct {
	tool    *Tool
	objects []*object.Object
	options Options

	out     Outcome
	rules   []*suggestion
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
	// object is the index of the only object with the field; -1 for none.
	object int
	places []location.Location
	// candidates is how many objects of the package the text may mean.
	candidates int
}

func (e *fromError) add(found Finding) {
	f := finding{Finding: found, path: found.Path.Outline(), object: -1}
	if f.Ref.APIVersion == "" && f.Subresource == "" && !strings.HasPrefix(f.APIVersion, "autoscaling/") {
		f.Ref.APIVersion = f.APIVersion
	}
	f.candidates = e.candidates(&f)
	switch f.Kind {
	case Conflict:
		e.conflict(f)
	case Duplicate:
		e.duplicate(f)
	case Undeclared:
		at := patchpath.Write(f.path)
		if at == "" && f.object >= 0 {
			at = f.places[0].Pointer()
		}
		e.patch(f, "the schema of the API server does not have the field: it is misspelt, at the wrong place, or of another version", at)
	case Immutable:
		e.report(f, report.SeverityInfo, "the value must stay what it is on the cluster: set that in the package, "+
			"or replace the object: kubectl replace --force -f FILE")
	case Mistyped:
		e.report(f, report.SeverityInfo, "the value is not of the type that the schema has: correct it in the package; "+
			"text that looks like a number or a boolean must be in quotes")
	case Required:
		e.report(f, report.SeverityInfo, "the field must be there: add it by an ApplyPatches with "+
			`{op: add, path: `+cmp.Or(patchpath.Write(f.path), f.path.Pointer())+`, value: …}`)
	}
}

// isFound tells whether there is no package, or it has the object of a finding, and reports if not.
func (e *fromError) isFound(f finding) bool {
	if len(e.objects) == 0 || f.candidates == 1 {
		return true
	}
	e.report(f, report.SeverityWarning, fmt.Sprintf(
		"%d objects of the manifests fit, and exactly 1 must: give the file with the object that sets the field", f.candidates))
	return false
}

// candidates finds the object of the package that a finding is about, and returns how many may be.
func (e *fromError) candidates(f *finding) int {
	count := 0
	for i, o := range e.objects {
		if !mayBe(f.Ref, report.RefOf(o.Root())) {
			continue
		}
		places, path := f.Path.in(o.Root(), 0, nil, nil)
		if len(places) == 0 && f.Kind != Required {
			continue
		}
		count++
		if f.object = i; len(places) > 0 {
			f.places, f.path = places, path
		}
	}
	if count != 1 {
		f.object = -1
		return count
	}
	f.Ref = report.RefOf(e.objects[f.object].Root())
	return count
}

// mayBe tells whether an object may be the one that a text names in part.
func mayBe(named, ref report.Ref) bool {
	group, _, _ := strings.Cut(named.APIVersion, "/")
	isSame := func(a, b string) bool { return a == "" || b == "" || a == b }
	return isSame(named.Kind, ref.Kind) && isSame(named.Namespace, ref.Namespace) && isSame(named.Name, ref.Name) &&
		(named.APIVersion == "" || named.APIVersion == ref.APIVersion ||
			strings.Contains(named.APIVersion, "/") && strings.HasPrefix(ref.APIVersion, group+"/"))
}

// conflict makes a rule, unless the manager is the tool itself or a person.
func (e *fromError) conflict(f finding) {
	takeOver := strings.ReplaceAll(e.tool.takeOver, "MANAGER", cmp.Or(e.options.FieldManager, e.tool.manager))
	owner := fmt.Sprintf("%q", f.Manager)
	if f.Subresource != "" {
		owner += fmt.Sprintf(" (subresource %s)", f.Subresource)
	}
	if e.tool.isOwn(e.options.FieldManager, f.Manager) {
		e.report(f, report.SeverityInfo, fmt.Sprintf(
			"owned by %s, which is the applier under another name, so there is no rule; take the field over: %s", owner, takeOver))
		return
	}
	if managedfields.IsHandEdit(f.Manager) && !e.options.IncludeEdits {
		e.report(f, report.SeverityInfo, fmt.Sprintf(
			"drift: set by hand (%s), so there is no rule unless --include-edits; take the field over: %s", owner, takeOver))
		return
	}
	if e.options.Manager != "" && !selector.Glob(e.options.Manager, f.Manager) || !e.isFound(f) {
		return
	}
	about, says := whatIs(f)
	owner += about
	state := "not verified on manifests"
	if f.object >= 0 {
		e.expected[f.object] = append(e.expected[f.object], f.places...)
		state = "verified: it finds exactly this field"
	}
	e.report(f, report.SeverityInfo, fmt.Sprintf(
		"owned by %s%s; a rule leaves it to the owner (%s); to take it over instead: %s", owner, says, state, takeOver))
	if f.Ref.Name == "" {
		e.report(f, report.SeverityWarning, "the text does not name the object: give its manifest, or add its name to the selectors of the rule")
	}
	e.addRule(f, owner)
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
	case slices.Contains(appliers, f.Manager):
		return ", which applies packages", ""
	case f.Manager == "kube-controller-manager":
		return ", the control plane", ""
	}
	return "", ""
}

func (e *fromError) addRule(f finding, owner string) {
	selectors := selectorsOf(f.Ref)
	objects := f.Ref.String()
	i := slices.IndexFunc(e.rules, func(r *suggestion) bool { return r.objects == objects })
	if i < 0 {
		i = len(e.rules)
		e.rules = append(e.rules, &suggestion{selectors: selectors, fields: map[string][]field{}, objects: objects})
	}
	ownPath := f.path
	if f.object >= 0 {
		ownPath = hint.Of(f.places[0])
	}
	e.own[e.rules[i]] = append(e.own[e.rules[i]], ownPath)
	named := named(f.path)
	ref := f.Ref
	ref.Name = cmp.Or(ref.Name, "an object")
	of := found{pair: &pairOfObjects{ref: ref}, difference: difference{owner: owner}}
	fields := e.rules[i].fields[named.dialect]
	if j := slices.IndexFunc(fields, func(f field) bool { return f.expression == named.text }); j >= 0 {
		fields[j].found = append(fields[j].found, of)
		return
	}
	e.rules[i].fields[named.dialect] = append(fields, field{expression: named.text, found: []found{of}})
}

// selectorsOf selects an object by what is known of it; none if nothing is.
func selectorsOf(ref report.Ref) []selector.Selector {
	if s := selector.Naming(ref); !s.IsEmpty() {
		return []selector.Selector{s}
	}
	return nil
}

// duplicate makes a patch that keeps the last of the elements. It names the others by what only
// they have, so that running it twice removes no more; equal elements have only their indices.
func (e *fromError) duplicate(f finding) {
	var paths []string
	for i := len(f.places) - 2; i >= 0 && f.object >= 0; i-- {
		root, l := e.objects[f.object].Root(), f.places[i]
		path := l.Pointer()
		if condition, ok := onlyIn(root, l); ok {
			list := hint.Name(root, l[:len(l)-1], redact.New(root).Hides)
			step := hint.Step{Kind: hint.Filter, Conditions: []hint.Condition{condition}}
			path = cmp.Or(patchpath.Write(append(list.Path, step)), path)
		}
		paths = append(paths, path)
	}
	e.patch(f, "the list has several elements with this key, and must have only one", paths...)
}

// onlyIn returns what only the list element at a location has.
func onlyIn(root *tree.Node, l location.Location) (hint.Condition, bool) {
	mask := redact.New(root)
	elements := tree.Elements(location.At(root, l[:len(l)-1]))
	for key, value := range tree.Entries(location.At(root, l)) {
		value = tree.Deref(value)
		if tree.IsMap(value) || tree.IsList(value) || mask.Hides(l.With(location.Key(key)), value) {
			continue
		}
		c := conditionAtKeys(location.Location{location.Key(key)}, value)
		others := slices.DeleteFunc(slices.Clone(elements), func(n *tree.Node) bool { return !c.Test().Accepts(n) })
		if len(others) == 1 {
			return c, true
		}
	}
	return hint.Condition{}, false
}

// patch reports what is wrong, and makes a patch that removes what is at the paths.
func (e *fromError) patch(f finding, wrong string, paths ...string) {
	if !e.isFound(f) {
		return
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return path == "" })
	selectors := selectorsOf(f.Ref)
	if len(paths) == 0 || len(selectors) == 0 {
		e.report(f, report.SeverityInfo, wrong+"; give the manifests for the patch that removes it")
		return
	}
	e.report(f, report.SeverityInfo, wrong+"; a patch removes it")
	operations := words.Of(paths, func(path string) *tree.Node { return tree.NewMap("op", "remove", "path", path, "onMissing", "Ignore") })
	n := tree.NewMap("target", selectors[0].Node(), "operations", tree.NewList(operations...))
	comment(n, []string{f.Path.String() + ": " + wrong})
	e.patches = append(e.patches, n)
}

func (e *fromError) report(f finding, severity, message string) {
	path := strings.TrimPrefix(f.Path.String(), ".")
	r := report.Result{
		Message: path + ": " + message, Severity: severity, Ref: f.Ref, Field: report.Field{Path: path},
		Tags: map[string]string{"reason": report.ReasonFailedApply, "kind": string(f.Kind), "tool": e.tool.Title},
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
	var converted convert.Outcome
	if e.tool.Rules != "" {
		var err error
		if converted, err = convert.Convert("ignorefields", e.tool.Rules, []*object.Object{object.NewDocument(e.out.Config)}); err != nil {
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
	comment(e.out.Config.Content[0], lines)
	return nil
}
