package dialect

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/words"
)

// Bounds on one expression.
const (
	MaxBytes  = 64 << 10
	MaxLevels = 200
)

// Bounds on resolving one expression in one object. Only malicious data or expressions reach them,
// aliases of aliases for example.
const (
	// MaxWork bounds the map members and list elements that are visited; a place that is kept in
	// memory counts PlaceWork.
	MaxWork   = 10_000_000
	PlaceWork = 10
	// MaxDepth is beyond what tree.Parse reads; only a node that holds itself, which tree.Parse
	// refuses, is deeper.
	MaxDepth     = 10_000
	MaxLocations = 1 << 18
	// UsualDepth is the usual depth of places; deeper ones need another allocation.
	UsualDepth = 16
)

// Reasons to refuse an expression.
var (
	TooManyLevels    = fmt.Sprintf("must be at most %d levels deep", MaxLevels)
	TooMuchWork      = fmt.Sprintf("must visit at most %d map members and list elements", MaxWork)
	TooManyLocations = fmt.Sprintf("must find at most %d fields", MaxLocations)
	TooDeep          = fmt.Sprintf("must go at most %d levels deep", MaxDepth)
)

// Budget is the remaining work.
type Budget struct{ Left int }

// NewBudget returns the budget for one expression and object.
func NewBudget() *Budget { return &Budget{Left: MaxWork} }

// Spend subtracts n and tells whether the budget allowed it.
func (b *Budget) Spend(n int) bool {
	b.Left -= n
	return b.Left >= 0
}

// CheckLength refuses an expression that is too long, and quotes only its beginning.
func CheckLength(names Names, expression string) error {
	if len(expression) <= MaxBytes {
		return nil
	}
	return &fault.SyntaxError{Noun: names.Noun, Expression: Preview(expression), Reason: TooLong(expression)}
}

// TooLong says that an expression has more than MaxBytes.
func TooLong(expression string) string {
	return fmt.Sprintf("must be at most %d bytes long, found %d", MaxBytes, len(expression))
}

// Preview is the beginning of a text that is too long for a message.
func Preview(text string) string { return words.Shorten(text, 60) }
