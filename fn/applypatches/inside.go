package applypatches

import (
	"errors"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
)

// inside runs an operation in the documents that its field within names.
func (j *job) inside(o operation, bound *patchpath.Path, in cel.Input) error {
	var within []*patchpath.Path
	for _, p := range o.within {
		path, made, err := p.bind(in)
		if err != nil {
			return err
		}
		within, j.made = append(within, path), append(j.made, made...)
	}
	o.tally.tried.Store(true)
	return j.documents(o, bound, in, within, embedded.Scope{Object: j.object})
}

// documents runs an operation in the documents of the strings that the paths name, the outermost
// first.
func (j *job) documents(o operation, bound *patchpath.Path, in cel.Input, within []*patchpath.Path, d embedded.Scope) error {
	if len(within) == 0 {
		return j.operateIn(o, bound, in, d)
	}
	places, err := within[0].Resolve(d.Root(), d.Lookup)
	if e, ok := errors.AsType[*patchpath.ResolveError](err); ok && o.ignoresMissing && e.Problem == patchpath.NothingSelected {
		return nil
	}
	if err != nil {
		return err
	}
	for _, s := range places {
		fail := func(reason, found string) error {
			return &patchpath.ResolveError{Path: within[0].String(), Reason: s.Location.String() + reason, Found: found}
		}
		if !s.Exists && o.ignoresMissing {
			continue
		}
		if !s.Exists {
			return fail(` must exist and be a string that holds a document; "onMissing: Ignore" skips the operation`, "")
		}
		opened, err := j.strings.Open(d.Object, s.Location, embedded.Auto)
		if err != nil {
			if fault, ok := errors.AsType[*embedded.Error](err); ok && j.shown().HasSecret() {
				err = fault.WithoutQuotes()
			}
			return fail(": ", err.Error())
		}
		for i, inner := range opened.Documents {
			if err := j.documents(o, bound, in, within[1:], d.Enter(s.Location, inner, i)); err != nil {
				return err
			}
		}
		if err := j.strings.Write(d.Object, opened, s.Location); err != nil {
			return err
		}
	}
	return nil
}

// about returns an error of a path in a scope with the document that it is about.
func about(d embedded.Scope, err error) error {
	e, ok := errors.AsType[*patchpath.ResolveError](err)
	if !ok || !d.IsInside {
		return err
	}
	named := *e
	named.Document = strings.TrimSuffix(embedded.Text(d.Place(nil)), "#") + ": "
	return &named
}

// String names the field that was changed.
func (c change) String() string { return embedded.Text(c.location, c.inside) }
