package cel

import (
	"math"
	"math/big"
	"sort"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// adapter converts the data of tree.Value to CEL values on demand. CEL's whole numbers have 64
// bits: a larger one is a uint if it fits, else the nearest double.
type adapter struct{}

// NativeToValue implements types.Adapter.
func (a adapter) NativeToValue(v any) ref.Val {
	switch v := v.(type) {
	case map[string]any:
		return sortedMap{types.NewStringInterfaceMap(a, v)}
	case []any:
		return types.NewDynamicList(a, v)
	case *big.Int:
		if v.IsUint64() {
			return types.Uint(v.Uint64())
		}
		f, _ := new(big.Float).SetInt(v).Float64()
		return types.Double(f)
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}

// sortedMap is a map that is iterated in the order of its keys, since Go's order changes from run
// to run.
type sortedMap struct{ traits.Mapper }

// Iterator implements traits.Iterable.
func (m sortedMap) Iterator() traits.Iterator {
	keys := make([]ref.Val, 0, m.Size().(types.Int))
	for it := m.Mapper.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}
	sort.SliceStable(keys, func(i, j int) bool { return compareKeys(keys[i], keys[j]) < 0 })
	return types.NewRefValList(adapter{}, keys).Iterator()
}

// IsZeroValue implements traits.Zeroer.
func (m sortedMap) IsZeroValue() bool { return m.Size() == types.IntZero }

// AggregateSize implements types.AggregateSizeVisitor.
func (m sortedMap) AggregateSize(sizer types.AggregateSizer) uint32 {
	if visitor, ok := m.Mapper.(types.AggregateSizeVisitor); ok {
		return visitor.AggregateSize(sizer)
	}
	return math.MaxUint32
}

// compareKeys orders keys of one type by value, others by type.
func compareKeys(a, b ref.Val) int {
	if a.Type() != b.Type() {
		return strings.Compare(a.Type().TypeName(), b.Type().TypeName())
	}
	if comparer, ok := a.(traits.Comparer); ok {
		if order, ok := comparer.Compare(b).(types.Int); ok {
			return int(order)
		}
	}
	return 0
}
