package locate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// fieldSearch finds a field by its location, as results show it, or, if an object has no such
// place, by an expression.
type fieldSearch struct {
	text       string
	location   location.Location
	expression expr.Expression
	// hint is why an object has no such field, from the one that comes nearest.
	hint  string
	depth int
}

// NewField returns a search for the field that a text names: spec.replicas, /spec/replicas, or one
// in a list element as the API server or a JSONPath names it: .spec.containers[name="app"].image.
// The error is a *location.FieldError or a *fault.SyntaxError.
func NewField(text string) (Search, error) {
	s := &fieldSearch{text: text}
	var err error
	if strings.HasPrefix(text, "/") {
		s.expression, err = jsonpointer.Parse(text)
		return s, err
	}
	if s.location, err = location.ParseField(text); err != nil {
		path, ok := hint.FromKustomize(strings.TrimPrefix(text, "."))
		if !ok || slices.ContainsFunc(path, isUnnamed) {
			return nil, err
		}
		s.expression, err = jsonpath.Parse(jsonpath.Write(path))
		return s, err
	}
	if s.expression, err = jsonpath.Parse("." + strings.TrimPrefix(text, ".")); err != nil {
		s.expression, err = jsonpointer.Parse(s.location.Pointer())
	}
	return s, err
}

// isUnnamed tells whether a step leads to a list element by several keys or by a number, for which
// its index must be given.
func isUnnamed(s hint.Step) bool {
	return s.Kind == hint.Filter && (strings.ContainsAny(s.Conditions[0].Value, `"=`) || location.IsDigits(s.Conditions[0].Value))
}

func (s *fieldSearch) in(o *object.Object) ([]location.Location, error) {
	if s.location != nil && location.At(o.Root(), s.location) != nil {
		return []location.Location{s.location}, nil
	}
	found, err := s.expression.Locate(&expr.Input{Root: o.Root()})
	if err == nil && s.hint == "" || found.Depth > s.depth {
		s.hint, s.depth = found.Hint, found.Depth
	}
	if _, failed := errors.AsType[*fault.RuntimeError](err); failed {
		return nil, nil // an index where there is no list: another object may have the field
	}
	return found.Locations, err
}

func (s *fieldSearch) inside(*object.Object, location.Location) [][]embedded.InnerLocation {
	return nil
}

func (s *fieldSearch) nothing(objects []*object.Object) error {
	message := fmt.Sprintf("none of the %d objects has the field '%s'", len(objects), s.text)
	if len(objects) == 1 {
		message = fmt.Sprintf("%s has no field '%s'", report.RefOf(objects[0].Root()), s.text)
	}
	if s.hint != "" {
		message += "; " + s.hint
	}
	return errors.New(message)
}
