package config

import (
	"strconv"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

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
