package tree

import (
	"cmp"
	"math/big"
)

// CompareNumbers compares two numbers of Scalar by their exact values: it is negative, zero or
// positive. Other values count as 0.
func CompareNumbers(a, b any) int {
	x, xIsInt := a.(int)
	y, yIsInt := b.(int)
	if xIsInt && yIsInt {
		return cmp.Compare(x, y)
	}
	return rationalOrZero(a).Cmp(rationalOrZero(b))
}

func rationalOrZero(v any) *big.Rat {
	if r := toRational(v); r != nil {
		return r
	}
	return new(big.Rat)
}
