package words

import (
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

// exponent is one of more than two digits.
var exponent = regexp.MustCompile(`[eE][+-]?[0-9]{3}`)

func FuzzParseQuantity(f *testing.F) {
	for _, text := range []string{
		"0", "1", "-1", "+1", "256Mi", "1Gi", "500m", "0.5", ".5", "5.", "1e3", "1E3", "1E", "1e-3", "100u", "7n", "1K", "1Mib", "1 Mi", "", "-", ".",
		"1e", "12E+2", "1e101", "9223372036854775807", "1.5Ki", "0x10", "1_000", "٣",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 32 || exponent.MatchString(text) {
			return // apimachinery writes 1e-999999999 out in full
		}
		number, ok := ParseQuantity(text)
		if !ok {
			if _, err := resource.ParseQuantity(text); err == nil && hasDigit(text) {
				t.Fatalf("%q must be a quantity, as for apimachinery", text)
			}
			return
		}
		want, err := resource.ParseQuantity(text)
		if err != nil {
			t.Fatalf("%q must not be a quantity: %v", text, err)
		}
		if !isExact(number) {
			return // apimachinery rounds what is finer than a billionth or beyond an int64
		}
		want.Add(resource.Quantity{}) // a text that counts as canonical would be kept, such as 1E3
		if got := CanonicalQuantity(text); got != want.String() {
			t.Fatalf("CanonicalQuantity(%q) must be %q, got %q", text, want.String(), got)
		}
		exact, _ := new(big.Rat).SetString(want.AsDec().String())
		if number.Cmp(exact) != 0 {
			t.Errorf("%q must be %s, found %s", text, exact, number)
		}
	})
}

// isExact tells whether apimachinery can represent a number exactly.
func isExact(number *big.Rat) bool {
	scaled := new(big.Rat).Mul(number, big.NewRat(1e9, 1))
	limit := new(big.Rat).SetInt64(math.MaxInt64)
	return scaled.IsInt() && new(big.Rat).Abs(number).Cmp(limit) <= 0
}

// hasDigit is false for "-", "." and "E0", which apimachinery parses as zero.
func hasDigit(text string) bool {
	text = strings.TrimPrefix(strings.TrimLeft(text, "+-"), ".")
	return text != "" && text[0] >= '0' && text[0] <= '9'
}

func FuzzWrite(f *testing.F) {
	for _, n := range []int64{0, 1, 999, 1000, 1023, 1024, 25_000_000, 16 << 20, 1 << 62, math.MaxInt64, -1, -2048, -1000} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, n int64) {
		if want := resource.NewQuantity(n, resource.BinarySI).String(); Bytes(n) != want {
			t.Errorf("%d bytes must be written %s, found %s", n, want, Bytes(n))
		}
		if want := resource.NewQuantity(n, resource.DecimalSI).String(); Decimal(n) != want {
			t.Errorf("%d must be written %s, found %s", n, want, Decimal(n))
		}
	})
}
