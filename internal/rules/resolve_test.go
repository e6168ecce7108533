package rules_test

import (
	"fmt"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// TestResolveBoundsHints holds that thousands of expressions that find nothing do not each look for
// a near key.
func TestResolveBoundsHints(t *testing.T) {
	var pointers []string
	for i := range 5000 {
		pointers = append(pointers, fmt.Sprintf("/data/colour%d", i))
	}
	var c rules.Compiler
	all := c.Rules([]rules.Config{{OwnConfig: rules.OwnConfig{
		Condition: rules.OnSpokePresent, Lists: expr.Lists{jsonpointer.Dialect.Field: pointers},
	}}}, func(int) string { return "ignoreFields[0]" })
	if len(c.Faults) > 0 {
		t.Fatal(c.Faults)
	}
	o, err := object.ParseDocument([]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {colour: red}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := rules.Resolver{KeepsMissing: true}
	r.Resolve(o, all, nil)
	if len(r.Missing) != len(pointers) || len(r.Hints) == 0 || len(r.Hints) > 2000 {
		t.Errorf("want %d missing expressions, and hints for at most 2000, got %d and %d", len(pointers), len(r.Missing), len(r.Hints))
	}
}
