package suggest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/owners"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TwoWriters is a field that the package sets and that others write, too. Its JSON is an element of
// what `krm-fields suggest --check -o json` prints.
type TwoWriters struct {
	report.Ref
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"` // 0 if it is not known
	Path string `json:"path"`
	// Owners are the others.
	Owners []Writer `json:"owners"`
	// Rule is the entry for ignoreFields that leaves the field to them.
	Rule json.RawMessage `json:"rule"`

	in report.File
}

// Writer is who writes a field, and Source the page that documents it.
type Writer struct {
	Name   string `json:"name"`
	Source string `json:"source,omitempty"`
}

func (w Writer) String() string {
	if w.Source == "" {
		return w.Name
	}
	return w.Name + " (" + w.Source + ")"
}

// Result is the field as an error.
func (t TwoWriters) Result() report.Result {
	who := strings.Join(lists.Map(t.Owners, Writer.String), " and ")
	result := report.New(report.SeverityError, report.ReasonTwoWriters,
		fmt.Sprintf("%s is also written by %s, and no rule leaves it to them; add to ignoreFields: %s", t.Path, who, t.Rule))
	result.Field = report.Field{Path: t.Path}
	return result.Of(t.Ref, t.in)
}

// Check finds the fields of a package that somebody else writes, too, and that no functionConfig
// of the world leaves to them. They are the fields that suggestions are for, without live objects
// and with them. The results are those of the functionConfigs, one of which may have failed, so
// that nothing is found, not even none, and why objects are not compared.
func Check(w *world.World, options Options) ([]TwoWriters, []report.Result, error) {
	left, results := leftByRules(w)
	if fn.HasError(results) {
		return nil, results, nil
	}
	desired := slices.Concat(w.Objects, w.DefinitionsBeside())
	pairs, faults := differing(w, desired, options)
	results = slices.Concat(results, faults, withoutOwners(pairs))
	c := checker{packaged: byKind(desired), groupings: map[selector.GroupKind]*grouping{}, left: left}
	found := []TwoWriters{}
	for _, p := range pairs {
		fields, err := c.inPair(p)
		if err != nil {
			return nil, results, err
		}
		found = append(found, fields...)
	}
	return found, results, nil
}

// checker finds the fields of a package with two writers.
type checker struct {
	packaged map[selector.GroupKind][]report.Ref
	// groupings are those of the kinds that were asked for.
	groupings map[selector.GroupKind]*grouping
	left      map[*object.Object]leftFields
}

// inPair returns the fields of an object with two writers.
func (c *checker) inPair(p *pairOfObjects) (found []TwoWriters, err error) {
	slices.SortStableFunc(p.differences, func(a, b difference) int { return location.Compare(a.place.here, b.place.here) })
	for _, d := range p.differences {
		who := p.writers(d)
		if who == nil || c.left[p.object].has(d.place.here) {
			continue
		}
		t := TwoWriters{Ref: p.ref, File: p.file.Path, Path: d.place.here.String(), Owners: who, in: p.file}
		if t.Rule, err = tree.MarshalJSON(c.rule(p, d)); err != nil {
			return nil, err
		}
		found = append(found, t)
	}
	return found, nil
}

// rule returns the rule for one field.
func (c *checker) rule(p *pairOfObjects, d difference) *tree.Node {
	alone := *p
	alone.differences = []difference{d}
	named, kind := fieldsOf([]*pairOfObjects{&alone})[0], selector.KindOf(p.ref)
	if c.groupings[kind] == nil {
		c.groupings[kind] = newGrouping(kind, c.packaged[kind])
	}
	rule := &suggestion{
		selectors: c.groupings[kind].selectors(named.found),
		fields:    map[string][]namedField{named.dialect: {named.namedField}},
	}
	return rule.node()
}

// writers are those who write a field besides the package.
func (p *pairOfObjects) writers(d difference) (all []Writer) {
	if d.owner != "" {
		all = append(all, Writer{d.owner, p.owners[d.place.here.Pointer()].Page})
	}
	for _, e := range d.owners {
		all = append(all, Writer{Name: e.String(), Source: owners.SourceOf(e.Manager, e.Subresource == "scale")})
	}
	return all
}

// leftFields are the fields of an object that rules leave to their owners; those that are taken
// have their live values.
type leftFields struct{ all, taken location.Set }

// has tells whether a field is left, or one in it taken.
func (f leftFields) has(l location.Location) bool { return f.all.HasAround(l) || f.taken.HasIn(l) }

// leftByRules runs each functionConfig that names fields on copies of the package after the other
// ones, so that none changes where another finds its fields.
func leftByRules(w *world.World) (map[*object.Object]leftFields, []report.Result) {
	namesFields := func(s hostless.ConfigStep) bool { return s.Kind().Name == ignorefields.Kind }
	others := *w
	others.Steps = slices.DeleteFunc(slices.Clone(w.Steps), namesFields)
	session := others.Session(hostless.Settings{})
	outcome, _ := session.Run(w.Objects)
	results, _ := session.End()
	if w.Objects = outcome.Out; session.HasFailed() {
		return nil, results
	}
	left := map[*object.Object]leftFields{}
	for _, step := range w.Steps {
		if !namesFields(step) {
			continue
		}
		items := lists.Map(w.Objects, (*object.Object).Copy)
		trace, isTaken := &ignorefields.Trace{FoundOnly: true}, false
		options := ignorefields.Options{Trace: trace, Purpose: w.Purpose}
		if !w.HasLive {
			options.Purpose = ignorefields.WithoutLive(&isTaken)
		}
		_, found := options.Run(step.FunctionConfig, slices.Concat(items, w.Beside()), w.Mask)
		step.NameIn(found)
		if results = append(results, found...); fn.HasError(found) {
			return nil, results
		}
		isTaken = isTaken || trace.Keeps || trace.Effect == ignorefields.TakenFromLive
		for i, o := range w.Objects {
			if i >= len(trace.Objects) || trace.Objects[i] == nil {
				continue
			}
			fields, known := left[o]
			if !known {
				fields = leftFields{location.NewSet(), location.NewSet()}
				left[o] = fields
			}
			for _, f := range slices.Concat(trace.Objects[i].Found, trace.Objects[i].InLive) {
				if fields.all.Add(f.Location); isTaken {
					fields.taken.Add(f.Location)
				}
			}
		}
	}
	return left, results
}
