package jq

import (
	"encoding/json"
	"errors"
	"math/big"

	"github.com/itchyny/gojq"
)

// The functions that confine puts into an expression.
const (
	smallCheck  = "jq:small"
	mediumCheck = "jq:medium"
	keyCheck    = "jq:key"
)

// The weights that operands may have; see weigh. An operation that is quadratic takes small ones.
const (
	smallWeight  = 4 << 10
	mediumWeight = 256 << 10
	// inputWeight is for the input of an expression in this process.
	inputWeight = 512 << 10
)

// errBeyond is the end of an evaluation that is too large for this process.
var errBeyond = errors.New("the evaluation needs a process of its own")

// weightPerValue is what a value weighs beside the bytes of its text.
const weightPerValue = 16

// weigh subtracts the weight of v from left and returns the rest, which is negative if v is
// heavier. It stops there, so that a value which contains another one many times can't keep it
// busy.
func weigh(v any, left int) int {
	left -= weightPerValue
	switch v := v.(type) {
	case string:
		left -= len(v)
	case json.Number:
		left -= len(v)
	case *big.Int:
		left -= v.BitLen() / 8
	case []any:
		for _, element := range v {
			if left < 0 {
				return left
			}
			left = weigh(element, left)
		}
	case map[string]any:
		for key, value := range v {
			if left < 0 {
				return left
			}
			left = weigh(value, left-len(key))
		}
	}
	return left
}

// checks are the functions that confine puts into an expression.
func checks() []gojq.CompilerOption {
	check := func(name string, isLight func(any) bool) gojq.CompilerOption {
		return gojq.WithFunction(name, 0, 0, func(v any, _ []any) any {
			if isLight(v) {
				return v
			}
			// The one error that gojq does not let an expression catch. An expression can't raise
			// it: halt is refused.
			return new(gojq.HaltError)
		})
	}
	return []gojq.CompilerOption{
		check(smallCheck, func(v any) bool { return weigh(v, smallWeight) >= 0 }),
		check(mediumCheck, func(v any) bool { return weigh(v, mediumWeight) >= 0 }),
		// A list as an index searches the list that it indexes.
		check(keyCheck, func(v any) bool { _, isList := v.([]any); return !isList }),
	}
}
