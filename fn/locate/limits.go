package locate

import "fmt"

// Bounds on one expression (contract, 2.2).
const (
	maxExpressionBytes = 64 << 10
	maxLevels          = 200
)

// Bounds on resolving one expression in one object. Only data or expressions
// built to hurt reach them: aliases of aliases, say.
const (
	// maxWork counts the map members and list elements that are looked at; a
	// place that is kept in memory counts placeWork.
	maxWork   = 10_000_000
	placeWork = 10
	// maxDepth is beyond what tree.Parse reads; only a node that holds itself,
	// which tree.Parse refuses, is deeper.
	maxDepth     = 10_000
	maxLocations = 1 << 18
)

var (
	tooMuchWork      = fmt.Sprintf("must look at no more than %d map members and list elements", maxWork)
	tooManyLocations = fmt.Sprintf("must find no more than %d fields", maxLocations)
	tooDeep          = fmt.Sprintf("must go no deeper than %d levels", maxDepth)
)

// budget is the work that is left.
type budget struct{ left int }

func newBudget() *budget { return &budget{left: maxWork} }

// spend takes n off and tells whether that was still in the budget.
func (b *budget) spend(n int) bool {
	b.left -= n
	return b.left >= 0
}

// checkLength refuses an expression that is too long to be looked at, and
// quotes its beginning only.
func checkLength(dialect, expression string) error {
	if len(expression) <= maxExpressionBytes {
		return nil
	}
	return &SyntaxError{
		Dialect: dialect, Expression: preview(expression),
		Reason: fmt.Sprintf("must be at most %d bytes long, found %d", maxExpressionBytes, len(expression)),
	}
}

// preview is the beginning of a text that is too long for a message.
func preview(text string) string {
	const length = 60
	n := 0
	for i := range text {
		if n == length {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// tooManyLevels is the reason to refuse an expression of more than maxLevels
// steps.
var tooManyLevels = fmt.Sprintf("must be at most %d levels deep", maxLevels)
