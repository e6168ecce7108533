package jq

import (
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// spellings are what other languages write for what jq has.
var spellings = strings.NewReplacer("'", `"`, "&&", " and ", "||", " or ", "[*]", "[]", "$.", ".")

// repair returns an expression with jq's own spelling for what other languages write otherwise; ""
// where that does not compile.
func repair(expression string) string {
	var b strings.Builder
	for i, piece := range strings.SplitAfter(expression, `"`) {
		if i%2 == 0 {
			piece = spellings.Replace(piece)
		}
		b.WriteString(piece)
	}
	repaired := strings.ReplaceAll(strings.ReplaceAll(b.String(), "  and  ", " and "), "  or  ", " or ")
	if repaired == expression || !Compiles(repaired) {
		return ""
	}
	return repaired
}

// withDots returns the expression with a dot before a name that is no function; "" where that does
// not compile.
func withDots(expression, name string) string {
	dotted := expression
	for _, at := range slices.Backward(offsetsOfName(expression, name)) {
		dotted = dotted[:at] + "." + dotted[at:]
	}
	if !Compiles(dotted) {
		return ""
	}
	return dotted
}

// Compiles tells whether a text is a jq expression.
func Compiles(expression string) bool {
	query, err := gojq.Parse(expression)
	if err != nil {
		return false
	}
	_, err = gojq.Compile(query)
	return err == nil
}
