package tree

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Scalar returns the Go value of the scalar n in gojq's types: nil, bool, int, *big.Int, float64 or
// string. It is the value that go.yaml.in/yaml/v3 resolves, with these exceptions: a decimal whole
// number keeps its value at any size up to 10,000 digits, unless its tag is that of a string, which
// yaml.v3 gives those beyond the range of float64; timestamps, binary data and the numbers that
// JSON does not have (.inf, .nan) are strings, as in sigs.k8s.io/yaml.
func Scalar(n *Node) any {
	n = Deref(n)
	if n == nil {
		return nil
	}
	switch n.Tag {
	case NoTag, NonSpecificTag:
		if n.Style&quoted != 0 {
			return n.Text()
		}
		return resolvePlain(n.Text())
	case NullTag:
		return nil
	case BoolTag, IntTag:
		return resolvePlain(n.Text())
	case FloatTag:
		if n.Style&TaggedStyle != 0 {
			return toFloat(resolvePlain(n.Text()))
		}
		return resolvePlain(n.Text())
	}
	return n.Text()
}

// quoted has the styles of scalars that are always strings.
const quoted = DoubleQuotedStyle | SingleQuotedStyle | LiteralStyle | FoldedStyle

// toFloat converts a number to a float, for example a whole number tagged !!float.
func toFloat(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return f
	}
	return v
}

// keyword returns what a plain scalar stands for that is null or a boolean.
func keyword(s string) (v any, isKeyword bool) {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nil, true
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return nil, false
}

// resolvePlain resolves the text of a plain scalar as go.yaml.in/yaml/v3 does, except that whole
// numbers beyond 64 bits stay whole.
func resolvePlain(s string) any {
	if v, isKeyword := keyword(s); isKeyword {
		return v
	}
	if !startsLikeNumber(s[0]) {
		return s
	}
	if v, ok := resolveNumber(s); ok {
		return v
	}
	return s
}

func startsLikeNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.'
}

// maxNumberLength is the length of the longest text that is parsed as a number. Parsing one takes
// time quadratic in its length.
const maxNumberLength = 10_000

func resolveNumber(s string) (any, bool) {
	if len(s) > maxNumberLength {
		return nil, false
	}
	if s[0] == '.' {
		f, err := strconv.ParseFloat(s, 64)
		return f, err == nil && isFinite(f)
	}
	plain := strings.ReplaceAll(s, "_", "")
	if i, err := strconv.ParseInt(plain, 0, strconv.IntSize); err == nil {
		return int(i), true
	}
	if u, err := strconv.ParseUint(plain, 0, 64); err == nil {
		return new(big.Int).SetUint64(u), true
	}
	if i, ok := resolveSigned(plain); ok {
		return i, true
	}
	if !floatText.MatchString(plain) {
		return nil, false
	}
	if wholeText.MatchString(plain) {
		return new(big.Int).SetString(plain, 10)
	}
	f, err := strconv.ParseFloat(plain, 64)
	return f, err == nil && isFinite(f)
}

// resolveSigned resolves a binary or octal number whose sign is behind the prefix, `0b-1`, which
// yaml.v3 accepts.
func resolveSigned(plain string) (int, bool) {
	base := 2
	digits, found := strings.CutPrefix(plain, "0b")
	if !found {
		base = 8
		digits, found = strings.CutPrefix(plain, "0o")
	}
	if !found {
		return 0, false
	}
	i, err := strconv.ParseInt(digits, base, strconv.IntSize)
	return int(i), err == nil
}

// The notations of whole numbers and of floats.
var (
	wholeText = regexp.MustCompile(`^[-+]?[1-9][0-9]*$`)
	floatText = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

func leadingDigits(s string) int {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

func isFinite(f float64) bool {
	return !math.IsInf(f, 0) && !math.IsNaN(f)
}
