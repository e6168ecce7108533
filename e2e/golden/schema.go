package golden

import (
	"bytes"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Validate validates a functionConfig with a JSON Schema. The error is a
// *jsonschema.ValidationError.
func Validate(t *testing.T, schema interface{ Text() ([]byte, error) }, functionConfig *tree.Node) error {
	t.Helper()
	text, err := schema.Text()
	if err != nil {
		t.Fatal(err)
	}
	instance, err := tree.MarshalJSON(functionConfig)
	if err != nil {
		t.Fatal(err)
	}
	return compiledSchema(t, text).Validate(decodeJSON(t, instance))
}

// schemas are those compiled so far, by their texts: to compile one takes longer than to use it.
var schemas sync.Map

func compiledSchema(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	if known, ok := schemas.Load(string(text)); ok {
		return known.(*jsonschema.Schema)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("kind.json", decodeJSON(t, text)); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("kind.json")
	if err != nil {
		t.Fatal(err)
	}
	schemas.Store(string(text), compiled)
	return compiled
}

func decodeJSON(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}
