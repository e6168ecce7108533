package cel

import (
	"math"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/krm-fields/krm-fields/internal/quota"
)

const (
	// costLimit bounds the work of one evaluation. A step of the expression is one unit, and so is
	// a list element or unitBytes of a string that a function visits or makes. It keeps an
	// evaluation below some 100 MB, and on most machines below a fifth of a second.
	//
	// The cost limit of cel-go itself counts a function call only afterwards, and its counter slows
	// a loop over 100,000 elements down to seconds.
	costLimit = 1_000_000
	unitBytes = 16
	// maxValueDepth is how deep a value may be that a function walks.
	maxValueDepth = 1000
	// endless is more work than any budget has.
	endless = math.MaxUint64
)

// budget is the remaining work of one evaluation.
type budget struct{ left uint64 }

// budgetName is the variable that carries the budget through an evaluation. No expression can name
// it.
const budgetName = "#budget"

// Quota is the variable whose value is the *quota.Account that is charged for an evaluation. No
// expression can name it.
const Quota = "#quota"

// quotaOf returns the account among the variables, nil for none.
func quotaOf(variables map[string]any) *quota.Account {
	account, _ := variables[Quota].(*quota.Account)
	return account
}

// Steps of an evaluation, and of a unit of its cost.
const (
	evaluationSteps = 10
	unitSteps       = 2
)

// activation has the variables of one evaluation, and its budget.
type activation struct {
	variables map[string]any
	budget    *budget
}

var calculator = types.NewSizeCalculator(
	types.SizeCalculatorMaxDepth(maxValueDepth),
	types.SizeCalculatorMaxTraversal(costLimit),
	types.SizeCalculatorStringUnitLength(unitBytes),
)

// weightOf returns the units of everything in v. A value that occurs twice counts twice, because
// functions visit it twice; that makes small expressions such as [x, x] in a chain of maps costly.
func weightOf(v ref.Val) uint64 {
	estimate := calculator.EstimateAggregateSize(v)
	if estimate.LimitExceeded {
		return endless
	}
	return uint64(estimate.Size)
}

// bytesOf returns the length of a string or of bytes; 0 of all else.
func bytesOf(v ref.Val) uint64 {
	switch v := v.(type) {
	case types.String:
		return uint64(len(v))
	case types.Bytes:
		return uint64(len(v))
	}
	return 0
}

// sizeOf returns the number of elements of a list or a map; 0 of all else.
func sizeOf(v ref.Val) uint64 {
	switch v := v.(type) {
	case traits.Lister:
		return uint64(v.Size().(types.Int))
	case traits.Mapper:
		return uint64(v.Size().(types.Int))
	}
	return 0
}

// intOf returns a whole number that is not negative; 0 of all else.
func intOf(v ref.Val) uint64 {
	if i, ok := v.(types.Int); ok && i > 0 {
		return uint64(i)
	}
	return 0
}

// times multiplies and stays below endless.
func times(a, b uint64) uint64 {
	if a != 0 && b > endless/a {
		return endless
	}
	return a * b
}

// plus adds and stays below endless.
func plus(terms ...uint64) uint64 {
	sum := uint64(0)
	for _, term := range terms {
		if term > endless-sum {
			return endless
		}
		sum += term
	}
	return sum
}
