package objecthash

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// unstructured prints as unstructured.Unstructured of
// k8s.io/apimachinery/pkg/apis/meta/v1/unstructured does, which is what the agent hashes
// (hashOfResourceStruct in
// https://github.com/open-cluster-management-io/ocm/blob/main/pkg/work/spoke/apply/server_side_apply.go).
type unstructured struct {
	Object any
}

// sumOCM differs from the agent in what it skips: the agent hashes status, annotations of any kind
// and empty annotations, too, and drops a null creationTimestamp only in a map named metadata.
func sumOCM(root *tree.Node, f filter) string {
	sum := md5.New()
	fmt.Fprintf(sum, "%v", &unstructured{f.decode(root, object)})
	return hex.EncodeToString(sum.Sum(nil))
}

// decode returns the hashed part of n as the Kubernetes JSON decoder does: whole numbers as int64,
// others as float64.
func (f filter) decode(n *tree.Node, at position) any {
	n = tree.Deref(n)
	switch {
	case tree.IsMap(n):
		m := make(map[string]any, len(n.Content)/2)
		for key, value := range tree.Entries(n) {
			if next, hashed := f.member(at, key, value); hashed {
				m[key] = f.decode(value, next)
			}
		}
		return m
	case tree.IsList(n):
		l := make([]any, len(n.Content))
		for i, element := range n.Content {
			l[i] = f.decode(element, other)
		}
		return l
	}
	return decodeNumber(tree.Scalar(n))
}

// decodeNumber converts v, if it is a number, as a round trip through JSON does: 1e3 becomes 1000,
// a whole number.
func decodeNumber(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return f
	case float64:
		if i, err := strconv.ParseInt(strconv.FormatFloat(v, 'f', -1, 64), 10, 64); err == nil {
			return i
		}
	}
	return v
}
