package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TextError reports a text that is no value of its type.
type TextError struct {
	// Must says what the text must be: `a duration such as 500ms or 1s`.
	Must string
	// Text is what was found.
	Text string
	// Fix is what may have been meant, or "".
	Fix string
}

func (e *TextError) Error() string {
	message := fmt.Sprintf("must be %s, found %s", e.Must, Quote(e.Text))
	if e.Fix != "" {
		message += fmt.Sprintf("; did you mean %q?", e.Fix)
	}
	return message
}

// Duration is a time span longer than zero, in the notation of time.ParseDuration: 500ms, 1s,
// 1m30s.
type Duration struct {
	time.Duration
}

// UnmarshalText sets d from text. Errors are *TextError.
func (d *Duration) UnmarshalText(text []byte) error {
	span, err := time.ParseDuration(string(text))
	if err != nil {
		refusal := &TextError{Must: "a duration such as 500ms or 1s", Text: string(text)}
		if seconds, err := time.ParseDuration(string(text) + "s"); err == nil && seconds > 0 {
			refusal.Fix = string(text) + "s"
		}
		return refusal
	}
	if span <= 0 {
		return &TextError{Must: "a duration longer than zero", Text: string(text)}
	}
	d.Duration = span
	return nil
}

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
	switch {
	case !ok:
		return &TextError{Must: "a whole number of bytes such as 256Mi or 1Gi", Text: string(text), Fix: memoryFix(string(text))}
	case bytes <= 0:
		return &TextError{Must: "more than zero bytes", Text: string(text)}
	}
	m.Bytes, m.text = bytes, string(text)
	return nil
}

// parseBytes parses a quantity that is a whole number.
func parseBytes(text string) (int64, bool) {
	number, ok := words.ParseQuantity(text)
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

// DefaultLimit is how many results of one kind are written one by one where the functionConfig sets
// no number.
const DefaultLimit = 20

// Results say how the results of a run are written.
type Results struct {
	Limit Number `json:"limit" default:"20" doc:"How many results of one severity, reason and expression are written one by one. All further ones are one result, which says how many more objects they are about. With 0 there are only such sums."`
}

// LimitOf returns the limit of a functionConfig, which need not be valid.
func LimitOf(functionConfig *tree.Node) int {
	limit := tree.Get(functionConfig, "results", "limit")
	if tree.GetString(functionConfig, "kind") == "ConfigMap" {
		limit = tree.Get(functionConfig, "data", "results.limit")
	}
	var number Number
	if limit == nil || number.UnmarshalText([]byte(limit.Text())) != nil {
		return DefaultLimit
	}
	return number.N
}

// Number is a whole number, which may be zero.
type Number struct{ N int }

// UnmarshalText sets n from text. The error is a *TextError.
func (n *Number) UnmarshalText(text []byte) error {
	number, err := strconv.ParseUint(string(text), 10, 31)
	if err != nil {
		return &TextError{Must: "a whole number such as 20, or 0", Text: string(text)}
	}
	n.N = int(number)
	return nil
}
