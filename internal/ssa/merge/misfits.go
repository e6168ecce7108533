package merge

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
)

var wanted = map[schema.Scalar]string{schema.String: "a string", schema.Number: "a number", schema.Boolean: "true or false", schema.Untyped: "a scalar"}

// misfits says of fields that the schema lacks, and of values that are not of its type, what is
// wrong, by their paths: the merge's own errors show values as Go does.
type misfits map[string]string

// undeclared is the misfit of a field that the schema lacks.
const undeclared = ": field not declared in schema"

// release says which release the schema of a kind is of, and how to give that of the cluster; ""
// where it is that.
func release(kind *schema.Kind) string {
	name, _, _ := strings.Cut(kind.Source, " https:")
	switch {
	case name == "Kubernetes "+schema.KubernetesVersion():
		return " (" + name + "; krm-fields plan --openapi takes the kinds of the server itself)"
	case kind.Origin == schema.Shipped:
		return " (" + name + "; --crds takes the definition of the cluster)"
	}
	return ""
}

// add looks at the value at a path. Null is of every type.
func (m misfits) add(value any, t *schema.Type, at fieldpath.Path) {
	if t == nil || value == nil {
		return
	}
	isOK := t.Scalar == schema.Untyped
	switch v := value.(type) {
	case map[string]any:
		isOK = t.Map != nil
		for key, member := range v {
			path, inner := append(at, fieldpath.PathElement{FieldName: &key}), t.Member(key)
			if isOK && inner == nil {
				m[path.String()] = undeclared
			}
			m.add(member, inner, path)
		}
	case []any:
		isOK = t.List != nil
		for i := 0; isOK && i < len(v); i++ {
			m.add(v[i], t.Element(), append(at, elementOf(t, i, v[i])))
		}
	case string:
		isOK = isOK || t.Scalar == schema.String
	case bool:
		isOK = isOK || t.Scalar == schema.Boolean
	default:
		isOK = isOK || t.Scalar == schema.Number
	}
	if isOK {
		return
	}
	want := wanted[t.Scalar]
	switch {
	case t.Map != nil:
		want = "a map"
	case t.List != nil:
		want = "a list"
	}
	const maxFound = 60
	found, _ := json.Marshal(value) // of which there is nothing that can't be written
	m[at.String()] = fmt.Sprintf(" must be %s, found %s", want, words.Shorten(string(found), maxFound))
}
