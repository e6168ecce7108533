package convert

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// fromArgoAnnotations reads the annotations of the objects of a package.
var fromArgoAnnotations = Source{
	Name: "argocd-annotations", Title: "Argo CD annotations", Holds: "objects with the annotation " + rules.ArgoCDAnnotation,
	read: readArgoAnnotations, isOne: true,
}

func readArgoAnnotations(root *tree.Node) []*source {
	o := selector.Of(root)
	s := newSource(root)
	for _, name := range []string{rules.ArgoCDAnnotation, rules.ArgoCDPointersAnnotation} {
		value := tree.Get(root, "metadata", "annotations", name)
		if value == nil {
			continue
		}
		fields := rules.ParseArgoCD(name, value.Text())
		r := newRule(config.Child("metadata.annotations", name))
		for _, reason := range fields.PassedOver {
			r.change(r.path, "Argo CD passes over %s", reason)
		}
		for _, pointer := range fields.JSONPointers {
			r.addPath(argoCD, r.path, pointer)
		}
		for i, text := range fields.JQPathExpressions {
			s.addArgoJQ(r, config.Element(r.path+".jqPathExpressions", i), text)
		}
		r.selectOnly(o)
		s.rules = append(s.rules, r.oneByOne()...)
	}
	if len(s.rules) == 0 {
		return nil
	}
	return []*source{s}
}

// toArgoAnnotations writes the objects of a package with the annotation that lists what Argo CD
// ignores in each.
var toArgoAnnotations = Form{
	Name: "argocd-annotations", Title: fromArgoAnnotations.Title, Writes: "the other objects of the input, each with the annotation " + rules.ArgoCDAnnotation,
	readsOthers: true, write: writeArgoAnnotations,
}

// writeArgoAnnotations resolves the rules in the objects and writes what they find.
func writeArgoAnnotations(sources []*source, others []*object.Object, _ Options) ([]*object.Object, []report.Result) {
	others = slices.DeleteFunc(slices.Clone(others), func(o *object.Object) bool { return !o.IsObject() })
	var results []report.Result
	found := make([][]ignorefields.TracedField, len(others))
	isResolved := false
	for _, s := range sources {
		for _, r := range s.rules {
			r.noteChange(argoCD)
			r.leaveOutManagers()
			r.leaveOutOwners()
			for _, t := range r.targets() {
				r.noteRequired(t.selector, r.expressions)
			}
		}
		document := writeIgnoreFields(s)
		results = append(results, s.warnings()...)
		if document == nil {
			continue
		}
		more, failed := s.resolve(document, others)
		if len(failed) > 0 {
			return nil, failed
		}
		isResolved = true // and the objects' own rules with them
		for i, fields := range more {
			found[i] = append(found[i], fields...)
		}
	}
	if !isResolved {
		results = append(results, ownRulesLeftOut(others)...)
	}
	for i, o := range others {
		results = append(results, annotate(o, found[i])...)
	}
	if slices.ContainsFunc(others, func(o *object.Object) bool { return len(annotated(o)) > 0 }) {
		results = append(results, report.New(report.SeverityInfo, report.ReasonLikelyMistake, "in the Application, "+argoSyncOption))
	}
	return others, results
}

// resolve returns what the rules of a functionConfig find in each object, or why they can't be
// resolved.
func (s *source) resolve(document *tree.Node, objects []*object.Object) (found [][]ignorefields.TracedField, failed []report.Result) {
	config := tree.Copy(document)
	config.Content = append(config.Content, tree.NewMap("action", string(ignorefields.ActionThatKeeps()), "onNoMatch", "Ignore").Content...)
	_, results, trace := fn.Traced(config, objects)
	for _, o := range objects {
		o.Reset()
	}
	failed = slices.DeleteFunc(results, func(r report.Result) bool { return r.Severity != report.SeverityError })
	if len(failed) > 0 {
		return nil, failed
	}
	found = make([][]ignorefields.TracedField, len(objects))
	for i, o := range trace.Objects {
		if o != nil {
			found[i] = o.Found
		}
	}
	return found, nil
}

// annotated returns the pointers in the annotation of an object.
func annotated(o *object.Object) []string {
	return rules.ParseArgoCD(rules.ArgoCDAnnotation, tree.GetString(o.Root(), "metadata", "annotations", rules.ArgoCDAnnotation)).JSONPointers
}

// annotate sets the annotation of an object to what Argo CD can take, besides what it has already,
// and says what is left out.
func annotate(o *object.Object, fields []ignorefields.TracedField) []report.Result {
	var results []report.Result
	warnOf := func(place, format string, args ...any) {
		results = append(results, report.New(report.SeverityWarning, report.ReasonNotConverted,
			"left out: "+place+": "+fmt.Sprintf(format, args...)).Of(report.RefOf(o.Root()), o.File()).At(place))
	}
	warn := func(l location.Location, format string, args ...any) { warnOf(l.String(), format, args...) }
	var locations []location.Location
	told := map[string]bool{}
	for _, field := range fields {
		switch {
		case len(field.Inside) == 0:
			locations = append(locations, field.Location)
		case !told[field.Place]: // each source resolves the object's own rules
			told[field.Place] = true
			warnOf(field.Place, "it is in a document inside a string, which Argo CD treats as one field")
		}
	}
	lists := map[string]bool{}
	at := location.Location{location.Key("metadata"), location.Key("annotations"), location.Key(rules.ArgoCDAnnotation)}
	had := annotated(o)
	pointers := slices.Clone(had)
	for _, l := range location.Outermost(locations) {
		pointer := l.Pointer()
		last := l[len(l)-1]
		list := l[:len(l)-1].Pointer()
		switch {
		case last.IsIndex && lists[list]:
			warn(l, "Argo CD removes elements one after the other, in any order, so only one element of a list can be named")
			continue
		case location.Compare(l, at) == 0 || slices.Contains(pointers, pointer):
			continue
		}
		lists[list] = lists[list] || last.IsIndex
		pointers = append(pointers, pointer)
	}
	if len(pointers) > len(had) {
		slices.Sort(pointers)
		if err := ignorefields.SetAnnotation(o, at, rules.ArgoCDText(pointers)); err != nil {
			warn(at, "%s", err)
		}
	}
	return results
}
