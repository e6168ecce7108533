package jq

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"

	"github.com/itchyny/gojq"
)

// typeName names the type of a value of gojq.
func typeName(v any) string {
	switch v.(type) {
	case nil, bool, string, []any, map[string]any:
		return gojq.TypeOf(v)
	}
	return "number"
}

// plain returns v made of the types that values have. gojq's fromjson makes numbers of a type of
// its own; v is copied only where it has one.
func plain(v any) any {
	if !hasJSONNumber(v) {
		return v
	}
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = plain(element)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, member := range v {
			object[key] = plain(member)
		}
		return object
	}
	return plainNumber(v)
}

func hasJSONNumber(v any) bool {
	switch v := v.(type) {
	case json.Number:
		return true
	case []any:
		return slices.ContainsFunc(v, hasJSONNumber)
	case map[string]any:
		for _, member := range v {
			if hasJSONNumber(member) {
				return true
			}
		}
	}
	return false
}

// plainNumber returns a number as an int where it is whole and fits in one, a *big.Int where it is
// whole and was not given as a float64, else as a float64.
func plainNumber(v any) any {
	switch n := v.(type) {
	case json.Number:
		if i, ok := new(big.Int).SetString(n.String(), 10); ok {
			return plainNumber(i)
		}
		f, _ := gojq.ToFloat64(n)
		return f
	case *big.Int:
		if n.IsInt64() {
			return int(n.Int64())
		}
	}
	return v
}

// weightPerValue is what a value weighs beside the bytes of its text.
const weightPerValue = 16

// maxDepth is how deep values may be nested, the list of results included, and tooDeep the rest of
// the weight for a value that is deeper.
const (
	maxDepth = 10_000
	tooDeep  = math.MinInt
)

// weigh subtracts the weight of v from left and returns the rest, which is negative if v is
// heavier, or tooDeep. It stops there, so that a value which contains another one many times can't
// keep it busy.
func weigh(v any, left, levels int) int {
	if levels < 0 {
		return tooDeep
	}
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
			left = weigh(element, left, levels-1)
		}
	case map[string]any:
		for key, value := range v {
			if left < 0 {
				return left
			}
			left = weigh(value, left-len(key), levels-1)
		}
	}
	return left
}
