package cel

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"math/big"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// adapter converts the data of tree.Value to CEL values on demand. CEL's whole numbers have 64
// bits: a larger one is a uint if it fits, else the nearest double.
type adapter struct{}

// NativeToValue implements types.Adapter.
func (a adapter) NativeToValue(v any) ref.Val {
	switch v := v.(type) {
	case map[string]any:
		return types.NewStringInterfaceMap(a, v)
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

// fromCEL returns the data of a CEL value with the types that tree.Value returns.
func fromCEL(v ref.Val) (any, error) {
	switch v := v.(type) {
	case types.Null:
		return nil, nil
	case types.Bool:
		return bool(v), nil
	case types.Int:
		return int(v), nil
	case types.Uint:
		if v > math.MaxInt64 {
			return new(big.Int).SetUint64(uint64(v)), nil
		}
		return int(v), nil
	case types.Double:
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("the result must be a number that JSON has, found %v", f)
		}
		return float64(v), nil
	case types.String:
		return string(v), nil
	case types.Bytes:
		return base64.StdEncoding.EncodeToString(v), nil
	case types.Timestamp, types.Duration:
		return v.ConvertToType(types.StringType).Value(), nil
	case *types.Optional:
		if !v.HasValue() {
			return nil, errors.New("the result must be a value, found optional.none(); give one with .orValue(…)")
		}
		return fromCEL(v.GetValue())
	case traits.Mapper:
		return fromMap(v)
	case traits.Lister:
		return fromList(v)
	}
	return nil, fmt.Errorf("the result must be data, found a value of the type %s", v.Type().TypeName())
}

// bytesOfResult returns what fromCEL takes for v, or more than most where it is that: what is in a
// CEL value several times takes it several times.
func bytesOfResult(v ref.Val, most int64) int64 {
	const scalar, emptyMap, member = 24, 100, 60
	switch v := v.(type) {
	case *types.Optional:
		if v.HasValue() {
			return bytesOfResult(v.GetValue(), most)
		}
	case traits.Mapper:
		if _, isNative := v.Value().(map[string]any); isNative {
			return scalar
		}
		bytes := int64(emptyMap)
		for it := v.Iterator(); bytes <= most && it.HasNext() == types.True; {
			bytes += member + bytesOfResult(v.Get(it.Next()), most-bytes)
		}
		return bytes
	case traits.Lister:
		bytes := int64(scalar)
		for it := v.Iterator(); bytes <= most && it.HasNext() == types.True; {
			bytes += bytesOfResult(it.Next(), most-bytes)
		}
		return bytes
	}
	return scalar
}

func fromMap(m traits.Mapper) (any, error) {
	if native, ok := m.Value().(map[string]any); ok {
		return native, nil
	}
	out := make(map[string]any, m.Size().(types.Int))
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		name, ok := key.(types.String)
		if !ok {
			return nil, fmt.Errorf("the keys of a map must be strings, found %s %v", key.Type().TypeName(), key.Value())
		}
		value, err := fromCEL(m.Get(key))
		if err != nil {
			return nil, err
		}
		out[string(name)] = value
	}
	return out, nil
}

func fromList(l traits.Lister) (any, error) {
	out := make([]any, 0, l.Size().(types.Int))
	for it := l.Iterator(); it.HasNext() == types.True; {
		value, err := fromCEL(it.Next())
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	return out, nil
}

// textOf returns a string as it is, and all other data as compact JSON.
func textOf(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	text, err := tree.JSONText(v)
	if err != nil {
		return "", fmt.Errorf("the result must be data that JSON has: %w", err)
	}
	return text, nil
}

// typeName names the type of data as messages show it.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case []any:
		return "a list"
	case map[string]any:
		return "a map"
	}
	return "a number"
}
