package jq

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/itchyny/gojq"
)

// failure is why an expression failed on one value, before the expression's text is added.
type failure struct {
	kind failureKind
	// cause may show a value that the expression raises itself; safe is the same without, "" where
	// it is the same.
	cause, safe string
}

type failureKind int

const (
	_ failureKind = iota // any other failure
	// nullFailure is `[]` on null.
	nullFailure
	// valueFailure is an expression that yields a value instead of paths; the cause is the type of
	// that value.
	valueFailure
	// stringFailure is a path that leads into a string.
	stringFailure
)

func (f *failure) Error() string { return f.cause }

// describe makes a failure of an error of gojq, whose own texts quote values of the input.
func describe(err error) *failure {
	if raised, ok := errors.AsType[gojq.ValueError](err); ok {
		return describeRaised(raised.Value())
	}
	cause := structOf(reflect.ValueOf(err)).cause()
	switch {
	case cause == "":
		return &failure{cause: "the evaluation failed"}
	case cause == causeOfNull:
		return &failure{cause: cause, kind: nullFailure}
	}
	return &failure{cause: cause}
}

func describeRaised(value any) *failure {
	text, isText := value.(string)
	if !isText {
		text = gojq.Preview(value)
	}
	return &failure{cause: shorten(text, 200), safe: fmt.Sprintf("the expression raised an error (%s)", typeName(value))}
}
