// Package quantity parses and formats quantities in the notation of Kubernetes: 256Mi, 500m, 1e3.
// The package of apimachinery for this adds a CBOR codec to the binary, 600 kB.
package quantity

import (
	"math/big"
	"regexp"
	"strconv"
)

// maxExponent bounds the digits of an expanded number.
const maxExponent = 100

// syntax is that of
// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/.
var syntax = regexp.MustCompile(`^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?[0-9]+))?$`)

// decimal and binary are suffixes in the order of their powers, of 1000 from -3 and of 1024 from 1.
var (
	decimal = []string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"}
	binary  = []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
)

// Parse returns the number of a quantity; false if the text is not a quantity, or has an exponent
// beyond 100.
func Parse(text string) (*big.Rat, bool) {
	parts := syntax.FindStringSubmatch(text)
	if parts == nil {
		return nil, false
	}
	number, ok := new(big.Rat).SetString(parts[1])
	if !ok {
		return nil, false
	}
	factor, ok := factorOf(parts[2], parts[3])
	if !ok {
		return nil, false
	}
	return number.Mul(number, factor), true
}

// factorOf returns the factor of a suffix, or of an exponent of ten in its place.
func factorOf(suffix, exponent string) (*big.Rat, bool) {
	if exponent != "" {
		n, err := strconv.Atoi(exponent)
		if err != nil || n < -maxExponent || n > maxExponent {
			return nil, false
		}
		return power(10, n), true
	}
	for i, s := range decimal {
		if s == suffix {
			return power(1000, i-3), true
		}
	}
	for i, s := range binary {
		if s == suffix {
			return power(1024, i), true
		}
	}
	return nil, false
}

func power(base int64, n int) *big.Rat {
	whole := new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(max(n, -n))), nil)
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), whole)
	}
	return new(big.Rat).SetInt(whole)
}

// Bytes formats a number of bytes with the largest binary suffix that needs no fraction, and one
// below 1024 like Decimal.
func Bytes(n int64) string {
	if n > -1024 && n < 1024 {
		return Decimal(n)
	}
	return write(n, 1024, binary)
}

// Decimal formats a number with the largest decimal suffix that needs no fraction.
func Decimal(n int64) string { return write(n, 1000, decimal[3:]) }

func write(n, base int64, suffixes []string) string {
	i := 0
	for n != 0 && n%base == 0 && i < len(suffixes)-1 {
		n /= base
		i++
	}
	return strconv.FormatInt(n, 10) + suffixes[i]
}
