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

// withQuotes returns the expression with a name that is no function as text; "" where that does not
// compile.
func withQuotes(expression, name string) string {
	quoted := expression
	for _, at := range slices.Backward(offsetsOfName(expression, name)) {
		quoted = quoted[:at] + `"` + name + `"` + quoted[at+len(name):]
	}
	if !Compiles(quoted) {
		return ""
	}
	return quoted
}

// withClosers returns the expression with what is open closed at its end; "" where that does not
// compile, or nothing is in it: .spec[] is not what the author of .spec[ wants to name.
func withClosers(expression string, open []opening) string {
	if len(open) == 0 || strings.TrimSpace(expression[open[len(open)-1].offset+1:]) == "" {
		return ""
	}
	if open[len(open)-1].what == '"' {
		if expression = withQuote(expression, open[len(open)-1].offset+1); expression == "" {
			return ""
		}
		open = unclosed(expression, len(expression))
	}
	end := map[byte]string{'(': ")", '[': "]", '{': "}", '"': `"`}
	for _, o := range slices.Backward(open) {
		expression += end[o.what]
	}
	if !Compiles(expression) {
		return ""
	}
	return expression
}

// withQuote ends the string that begins at an offset before the brackets that the expression ends
// in; "" where other brackets may show that it ends before.
func withQuote(expression string, start int) string {
	text := strings.TrimRight(expression, " )]}")
	if strings.ContainsAny(text[start:], ")]}") {
		return ""
	}
	return text + `"` + expression[len(text):]
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
