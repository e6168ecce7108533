package suggest

import (
	"math/big"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// quantityMaps are the fields of Kubernetes whose members are quantities, and quantityFields those
// that are quantities themselves.
var (
	quantityMaps = []string{
		"allocatable", "capacity", "default", "defaultRequest", "hard", "limits", "max", "maxLimitRequestRatio", "min", "podFixed",
		"requests", "used",
	}
	quantityFields = []string{"averageValue", "divisor", "sizeLimit"}
)

// isQuantityField tells whether a field is likely to be a quantity, which the server normalises:
// 1000m to 1.
func isQuantityField(l location.Location) bool {
	last := len(l) - 1
	return slices.Contains(quantityFields, l[last].Key) || last > 0 && slices.Contains(quantityMaps, l[last-1].Key)
}

// sameQuantity tells whether two scalars are the same quantity.
func sameQuantity(a, b *tree.Node) bool {
	x, okX := quantityOf(a)
	y, okY := quantityOf(b)
	return okX && okY && x.Cmp(y) == 0
}

func quantityOf(n *tree.Node) (*big.Rat, bool) {
	n = tree.Deref(n)
	if kind := tree.Type(n); kind != tree.String && kind != tree.Number {
		return nil, false
	}
	return words.ParseQuantity(n.Text())
}
