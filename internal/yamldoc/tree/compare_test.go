package tree

import (
	"math/big"
	"testing"
)

func TestCompareNumbers(t *testing.T) {
	big53 := 9007199254740993
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	for _, test := range []struct {
		a, b any
		want int
	}{
		{1, 2, -1},
		{2, 2, 0},
		{2, 2.0, 0},
		{2.5, 2, 1},
		{big53, float64(big53 - 1), 1},
		{huge, 1e29, 1},
		{huge, new(big.Int).Add(huge, big.NewInt(1)), -1},
		{-1, "no number", -1},
	} {
		if got := CompareNumbers(test.a, test.b); got != test.want {
			t.Errorf("CompareNumbers(%v, %v) = %d, want %d", test.a, test.b, got, test.want)
		}
		if got := CompareNumbers(test.b, test.a); got != -test.want {
			t.Errorf("CompareNumbers(%v, %v) = %d, want %d", test.b, test.a, got, -test.want)
		}
	}
}
