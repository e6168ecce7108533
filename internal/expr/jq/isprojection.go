package jq

import "github.com/itchyny/gojq"

// IsProjection tells whether an expression that CompilePath takes makes a value of its input,
// whatever that is, and so is no path expression to other programs: `.data | to_entries |
// map(select(.key | startswith("a"))) | from_entries`.
func IsProjection(expression string) bool {
	query, err := gojq.Parse(expression)
	if err != nil {
		return false
	}
	var f forms
	return f.of(query) == valueForm
}
