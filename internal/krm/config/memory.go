package config

import (
	"math"
	"strings"

	"github.com/krm-fields/krm-fields/internal/quantity"
)

// Memory is an amount of memory above zero in the notation of Kubernetes' quantities: 256Mi, 1Gi,
// 500M, or plain bytes.
type Memory struct {
	Bytes int64
	text  string
}

// String returns the amount as written.
func (m Memory) String() string { return m.text }

// UnmarshalText sets m from text. Errors are *TextError. Amounts beyond 8Ei are the largest int64,
// as in Kubernetes.
func (m *Memory) UnmarshalText(text []byte) error {
	bytes, ok := parseBytes(string(text))
	if !ok {
		return &TextError{
			Must: "a whole number of bytes such as 256Mi or 1Gi", Text: string(text), Fix: memoryFix(string(text)),
		}
	}
	if bytes <= 0 {
		return &TextError{Must: "more than zero bytes", Text: string(text)}
	}
	m.Bytes, m.text = bytes, string(text)
	return nil
}

// parseBytes parses a quantity that is a whole number.
func parseBytes(text string) (int64, bool) {
	number, ok := quantity.Parse(text)
	switch {
	case !ok || !number.IsInt():
		return 0, false
	case !number.Num().IsInt64():
		return math.MaxInt64, number.Sign() > 0
	}
	return number.Num().Int64(), true
}

// memoryFix returns the quantity that text may mean: 256Mi for 256MiB or 256mi, 256M for 256m, 1k
// for 1K; or "".
func memoryFix(text string) string {
	fix := strings.TrimSuffix(strings.ToUpper(strings.ReplaceAll(text, " ", "")), "B")
	if digits, ok := strings.CutSuffix(fix, "I"); ok {
		fix = digits + "i"
	}
	if digits, ok := strings.CutSuffix(fix, "K"); ok {
		fix = digits + "k"
	}
	if bytes, ok := parseBytes(fix); ok && bytes > 0 {
		return fix
	}
	return ""
}
