package words

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxExponent bounds the digits of an expanded number.
const maxExponent = 100

// quantitySyntax is that of Kubernetes: 256Mi, 500m, 1e3. The package of apimachinery for it adds a
// CBOR codec to the binary, 600 kB. See
// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/.
var quantitySyntax = regexp.MustCompile(`^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?[0-9]+))?$`)

// decimal and binary are suffixes in the order of their powers, of 1000 from -3 and of 1024 from 1.
var (
	decimal = []string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"}
	binary  = []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
)

// IsQuantity tells whether a text is a quantity, however large. Blanks around it do not count.
func IsQuantity(text string) bool { return quantitySyntax.MatchString(strings.TrimSpace(text)) }

// ParseQuantity returns the number of a quantity; false if the text is not a quantity, or has an
// exponent beyond 100.
func ParseQuantity(text string) (*big.Rat, bool) {
	parts := quantitySyntax.FindStringSubmatch(text)
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
	if i := slices.Index(decimal, suffix); i >= 0 {
		return power(1000, i-3), true
	}
	return power(1024, slices.Index(binary, suffix)), true
}

func power(base int64, n int) *big.Rat {
	whole := new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(max(n, -n))), nil)
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), whole)
	}
	return new(big.Rat).SetInt(whole)
}

// CanonicalQuantity returns the notation in which Kubernetes stores a quantity: without a fraction,
// and with the largest suffix of the kind that it has. Another text stays as it is.
func CanonicalQuantity(text string) string {
	parts := quantitySyntax.FindStringSubmatch(text)
	number, ok := ParseQuantity(text)
	if !ok {
		return text
	}
	whole := new(big.Int).Set(number.Num())
	if strings.HasSuffix(parts[2], "i") && number.IsInt() && whole.CmpAbs(big.NewInt(1024)) >= 0 {
		return shorten(whole, 1024, binary)
	}
	nano := number.Mul(number, power(1000, 3))
	whole.Add(nano.Num(), new(big.Int).Sub(nano.Denom(), big.NewInt(1))) // fractions of a nano are rounded up
	whole.Div(whole, nano.Denom())
	if parts[3] != "" {
		return shorten(whole, 1000, exponents)
	}
	return shorten(whole, 1000, decimal)
}

// exponents are the powers of 1000 from -3 in the notation with an exponent.
var exponents = []string{"e-9", "e-6", "e-3", "", "e3", "e6", "e9", "e12", "e15", "e18"}

func shorten(n *big.Int, base int64, suffixes []string) string {
	if n.Sign() == 0 {
		return "0"
	}
	i := 0
	for b, rest := big.NewInt(base), new(big.Int); i < len(suffixes)-1; i++ {
		shorter, rest := new(big.Int).QuoRem(n, b, rest)
		if rest.Sign() != 0 {
			break
		}
		n = shorter
	}
	return n.String() + suffixes[i]
}

// Bytes formats a number of bytes with the largest binary suffix that needs no fraction, and one
// below 1024 like Decimal.
func Bytes(n int64) string {
	if n > -1024 && n < 1024 {
		return Decimal(n)
	}
	return shorten(big.NewInt(n), 1024, binary)
}

// Decimal formats a number with the largest decimal suffix that needs no fraction.
func Decimal(n int64) string { return shorten(big.NewInt(n), 1000, decimal[3:]) }
