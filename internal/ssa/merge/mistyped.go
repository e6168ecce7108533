package merge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
)

// maxFound is how many characters of a value a message shows.
const maxFound = 60

var wanted = map[schema.Scalar]string{schema.String: "a string", schema.Number: "a number", schema.Boolean: "true or false", schema.Untyped: "a scalar"}

// mistyped says which value is not of the type that the schema wants, which the merge's own error
// says with Go's notation of the value. It returns nil if all are, and null is of every type.
func mistyped(value any, t *schema.Type, at location.Location) error {
	if t == nil || value == nil {
		return nil
	}
	isOK := t.Scalar == schema.Untyped
	switch v := value.(type) {
	case map[string]any:
		isOK = t.Map != nil
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if err := mistyped(v[key], t.Member(key), at.With(location.Key(key))); err != nil {
				return err
			}
		}
	case []any:
		isOK = t.List != nil
		for i := range v {
			if err := mistyped(v[i], t.Element(), at.With(location.Index(i))); err != nil {
				return err
			}
		}
	case string:
		isOK = isOK || t.Scalar == schema.String
	case bool:
		isOK = isOK || t.Scalar == schema.Boolean
	default:
		isOK = isOK || t.Scalar == schema.Number
	}
	if isOK {
		return nil
	}
	want := wanted[t.Scalar]
	switch {
	case t.Map != nil:
		want = "a map"
	case t.List != nil:
		want = "a list"
	}
	found, _ := json.Marshal(value) // of which there is nothing that can't be written
	return fmt.Errorf("%s must be %s, found %s", at, want, words.Shorten(string(found), maxFound))
}
