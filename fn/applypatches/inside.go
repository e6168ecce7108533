package applypatches

import (
	"errors"
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// document is what an operation works on: an object, or a document in one of its strings.
type document struct {
	object *object.Object
	// at is the location of the outermost string, inside the places of the strings in it, and
	// number that of the document in the innermost.
	at       location.Location
	inside   []embedded.Place
	number   int
	isInside bool
}

// enter returns a document in the string at a location.
func (d document) enter(l location.Location, inner *embedded.Document, number int) document {
	entered := document{object: inner.Object, at: l, number: number, isInside: true}
	if d.isInside {
		entered.at, entered.inside = d.at, append(slices.Clip(d.inside), embedded.Place{Document: d.number, Location: l})
	}
	return entered
}

// change converts a change in the document to one of the object.
func (d document) change(c change) change {
	if d.isInside {
		c.inside = append(slices.Clip(d.inside), embedded.Place{Document: d.number, Location: c.location})
		c.location = d.at
	}
	return c
}

// inside runs an operation in the documents that its field within names.
func (j *job) inside(o operation, bound *patchpath.Path, in cel.Input) error {
	var within []*patchpath.Path
	for _, p := range o.within {
		path, made, err := p.bind(in)
		if err != nil {
			return err
		}
		j.made = append(j.made, made...)
		within = append(within, path)
	}
	o.tally.tried.Store(true)
	return j.documents(o, bound, in, within, document{object: j.object})
}

// documents runs an operation in the documents of the strings that the paths name, the outermost
// first.
func (j *job) documents(o operation, bound *patchpath.Path, in cel.Input, within []*patchpath.Path, d document) error {
	if len(within) == 0 {
		return j.operateIn(o, bound, in, d)
	}
	strings, err := within[0].Resolve(d.object.Root())
	if e, ok := errors.AsType[*patchpath.ResolveError](err); ok && o.ignoresMissing && e.Problem == patchpath.NothingSelected {
		return nil
	}
	if err != nil {
		return err
	}
	for _, s := range strings {
		fail := func(reason string) error { return &patchpath.ResolveError{Path: within[0].String(), Reason: reason} }
		if !s.Exists && o.ignoresMissing {
			continue
		}
		if !s.Exists {
			return fail(fmt.Sprintf(`%s must exist and be a string that holds a document; "onMissing: Ignore" skips the operation`, s.Location))
		}
		opened, err := j.strings.Open(d.object, s.Location, embedded.Auto)
		if err != nil {
			if fault, ok := errors.AsType[*embedded.Error](err); ok && !j.mask().IsZero() {
				err = fault.WithoutQuotes()
			}
			return fail(fmt.Sprintf("%s: %s", s.Location, err))
		}
		for i, inner := range opened.Documents {
			if err := j.documents(o, bound, in, within[1:], d.enter(s.Location, inner, i)); err != nil {
				return err
			}
		}
		if err := j.strings.Write(d.object, opened, s.Location); err != nil {
			return err
		}
	}
	return nil
}

// String names the field that was changed.
func (c change) String() string { return embedded.Text(c.location, c.inside) }
