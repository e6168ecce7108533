package tree

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// kubectlBools are the plain strings that kubectl reads as booleans: those of YAML 1.1
// (https://github.com/kubernetes-sigs/yaml).
var kubectlBools = map[string]bool{
	"y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "on": true, "On": true, "ON": true,
	"n": false, "N": false, "no": false, "No": false, "NO": false, "off": false, "Off": false, "OFF": false,
}

// KubectlScalar returns what kubectl reads of a scalar, nil where it refuses it, and whether that
// is something else than Value has of a value, or Entries of a key.
func KubectlScalar(n *Node, isKey bool) (value any, differs bool) {
	if n.Tag == StringTag && (n.Style != 0 || len(n.text) > len("off")) { // as most are
		return nil, false
	}
	return differing(n, isKey)
}

func differing(n *Node, isKey bool) (value any, differs bool) {
	const in64Bits = 18
	_, isBool := kubectlBools[n.text]
	switch {
	case n.Tag == StringTag && !isBool:
		return nil, false
	case n.Kind != ScalarNode,
		!isKey && (n.Tag == BoolTag || n.Tag == NullTag),
		!isKey && n.Tag == IntTag && len(n.text) <= in64Bits && !strings.HasPrefix(n.text, "0o"):
		return nil, false
	}
	value = kubectlScalar(n)
	if isKey {
		value = kubectlKey(value)
		return value, value != n.text
	}
	if _, isNumber := value.(notJSON); isNumber {
		return nil, true
	}
	return value, !EqualScalars(value, Scalar(n))
}

// notJSON is a number that JSON does not have.
type notJSON string

func kubectlScalar(n *Node) any {
	v := Scalar(n)
	text, isText := v.(string)
	isPlain := n.Style&(quoted|TaggedStyle) == 0
	switch {
	case isPlain && (strings.HasPrefix(n.text, "0o-") || strings.HasPrefix(n.text, "0o+")):
		return n.text
	case n.Tag == FloatTag && isText:
		return notJSON(strings.ToLower(strings.TrimPrefix(text, "+")))
	case n.Tag == BinaryTag:
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil
		}
		return string([]rune(string(decoded)))
	case isText && isPlain:
		if b, ok := kubectlBools[text]; ok {
			return b
		}
	}
	if whole, isBig := v.(*big.Int); isBig {
		f, _ := new(big.Float).SetInt(whole).Float64()
		return f
	}
	return v
}

// kubectlKey is the text that kubectl makes of a key, nil where it refuses the key.
func kubectlKey(key any) any {
	switch key := key.(type) {
	case string:
		return key
	case notJSON:
		return string(key)
	case bool:
		return strconv.FormatBool(key)
	case int:
		return strconv.Itoa(key)
	case float64:
		short := strconv.FormatFloat(key, 'g', -1, 32)
		return strings.Replace(strings.TrimPrefix(short, "+"), "Inf", ".inf", 1)
	}
	return nil
}

// KubectlObject is the Value of a map, nil for another node, with the scalars that kubectl reads,
// but those that it refuses. The error is that of the first key that kubectl reads as another one.
func KubectlObject(n *Node) (map[string]any, error) {
	var fault error
	c := converter{scalar: func(scalar *Node) any {
		if v, differs := KubectlScalar(scalar, false); differs && v != nil {
			return v
		}
		return Scalar(scalar)
	}, key: func(key *Node) {
		if v, differs := KubectlScalar(key, true); differs && v != nil {
			fault = cmp.Or(fault, fmt.Errorf("kubectl reads the key %s as %q; write it in quotes", key.text, v))
		}
	}}
	object, _ := c.value(n).(map[string]any)
	return object, fault
}
