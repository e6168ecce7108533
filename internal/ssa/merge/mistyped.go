package merge

import (
	"encoding/json"
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
)

var wanted = map[schema.Scalar]string{schema.String: "a string", schema.Number: "a number", schema.Boolean: "true or false", schema.Untyped: "a scalar"}

// mistypes says of values that are not of the type of the schema what they must be, by their paths:
// the merge's own errors show values as Go does.
type mistypes map[string]string

// add looks at the value at a path. Null is of every type.
func (m mistypes) add(value any, t *schema.Type, at fieldpath.Path) {
	if t == nil || value == nil {
		return
	}
	isOK := t.Scalar == schema.Untyped
	switch v := value.(type) {
	case map[string]any:
		isOK = t.Map != nil
		for key, member := range v {
			m.add(member, t.Member(key), append(at, fieldpath.PathElement{FieldName: &key}))
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
