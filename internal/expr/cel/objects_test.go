package cel_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
)

func TestObject(t *testing.T) {
	lookup := cel.ObjectLookup(func(apiVersion, kind, name string, namespace *string) (any, bool, error) {
		switch {
		case name == "broken":
			return nil, false, errors.New("it is broken")
		case name == "nothing":
			return nil, false, nil
		case namespace == nil:
			return map[string]any{"data": map[string]any{"name": apiVersion + " " + kind + " " + name}}, true, nil
		}
		return map[string]any{"data": map[string]any{"name": "in " + *namespace}}, true, nil
	})
	tests := map[string]struct {
		expression string
		want       any
		wantErr    string
	}{
		"three arguments":      {`object("v1", "ConfigMap", "a").data.name.value()`, "v1 ConfigMap a", ""},
		"four arguments":       {`object("v1", "ConfigMap", "a", "b").data.name.value()`, "in b", ""},
		"optional yields data": {`object("v1", "ConfigMap", "a").data`, map[string]any{"name": "v1 ConfigMap a"}, ""},
		"nothing there":        {`object("v1", "ConfigMap", "nothing").data.?name.orValue("else")`, "else", ""},
		"no value":             {`object("v1", "ConfigMap", "nothing")`, nil, "the result must be a value, found optional.none(); give one with .orValue(…)"},
		"an error":             {`object("v1", "ConfigMap", "broken").hasValue()`, nil, "it is broken"},
		"an argument that is no string": {
			`object("v1", "ConfigMap", parameters.number)`, nil, "no such overload: object(string, string, int)",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			environment, err := cel.NewEnvironment(cel.Options{Variables: []string{cel.Parameters}})
			if err != nil {
				t.Fatal(err)
			}
			program, err := environment.Compile(test.expression)
			if err != nil {
				t.Fatal(err)
			}
			if !program.Reads(cel.ObjectFunction) || program.Reads(cel.Parameters) != strings.Contains(test.expression, cel.Parameters) {
				t.Error("the program must know what it reads")
			}
			got, err := program.Eval(cel.Input{Variables: map[string]any{cel.Parameters: map[string]any{"number": 1}}, Objects: lookup})
			if test.wantErr != "" {
				if failed, ok := errors.AsType[*cel.EvalError](err); !ok || failed.Cause != test.wantErr {
					t.Errorf("the error must have the cause %q, found %v", test.wantErr, err)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("got %v (-want +got):\n%s", err, diff)
			}
			if _, err := program.Eval(cel.Input{Variables: map[string]any{cel.Parameters: map[string]any{}}}); err == nil ||
				!strings.Contains(err.Error(), "there are no objects here") {
				t.Errorf("without objects it must say so, found %v", err)
			}
		})
	}
}
