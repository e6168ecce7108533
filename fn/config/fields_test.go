package config

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestFields(t *testing.T) {
	type inner struct {
		Name string `json:"name,omitempty" required:"true" doc:"The name."`
	}
	type Tagged struct {
		X string `json:"x"`
	}
	type outer struct {
		inner
		Tagged   `json:"tagged"`
		Mode     string `json:"mode" enum:"A,B" default:"A"`
		Hidden   string `json:"-"`
		Untagged string
	}
	want := []Field{
		{Name: "name", Doc: "The name.", Required: true, Type: reflect.TypeFor[string]()},
		{Name: "tagged", Type: reflect.TypeFor[Tagged]()},
		{Name: "mode", Enum: []string{"A", "B"}, Default: "A", Type: reflect.TypeFor[string]()},
	}
	sameType := cmp.Comparer(func(a, b reflect.Type) bool { return a == b })
	got := Fields(reflect.TypeFor[outer]())
	if diff := cmp.Diff(want, got, sameType, cmpopts.IgnoreUnexported(Field{})); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}
