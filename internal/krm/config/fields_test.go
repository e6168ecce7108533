package config

import (
	"iter"
	"maps"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// fruit is one of the names of a table.
type fruit string

func (fruit) Enum() []string { return []string{"apple", "pear"} }
func (fruit) Doc() string    { return "Both grow on trees." }

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
		Mode     string  `json:"mode" enum:"A,B" default:"A"`
		Fruit    *fruit  `json:"fruit" doc:"The fruit."`
		Basket   []fruit `json:"basket"`
		Hidden   string  `json:"-"`
		Untagged string
	}
	want := []Member{
		{Name: "name", Doc: "The name.", Required: true, Type: reflect.TypeFor[string]()},
		{Name: "tagged", Type: reflect.TypeFor[Tagged]()},
		{Name: "mode", Enum: []string{"A", "B"}, Default: "A", Type: reflect.TypeFor[string]()},
		{Name: "fruit", Doc: "The fruit. Both grow on trees.", Enum: []string{"apple", "pear"}, Type: reflect.TypeFor[*fruit]()},
		{Name: "basket", Doc: "Both grow on trees.", Enum: []string{"apple", "pear"}, Type: reflect.TypeFor[[]fruit]()},
	}
	sameType := cmp.Comparer(func(a, b reflect.Type) bool { return a == b })
	got := Fields(reflect.TypeFor[outer]())
	if diff := cmp.Diff(want, got, sameType, cmpopts.IgnoreUnexported(Member{})); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

// Seeds are fields of a table.
type Seeds map[string][]string

func (Seeds) ConfigFields() iter.Seq2[string, string] {
	return maps.All(map[string]string{"seeds": "What is sown."})
}

func (Seeds) FieldFor(string, string) string { return "" }

// TestFieldMap decodes the fields of a table beside those of the struct.
func TestFieldMap(t *testing.T) {
	var c struct {
		Seeds
		Name string `json:"name"`
	}
	n, err := tree.Parse([]byte("name: garden\nseeds: [cress, 7]\nsoil: dry\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, fault := range Decode(n, "", &c) {
		got = append(got, fault.Path+": "+fault.Message)
	}
	want := []string{
		`seeds[1]: must be a string, found number 7; write it in quotes: "7"`, `soil: unknown field "soil"; known fields: seeds, name`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if c.Name != "garden" || len(c.Seeds["seeds"]) != 2 || c.Seeds["seeds"][0] != "cress" {
		t.Errorf("decoded %+v", c)
	}
	if Decode(nil, "", &c); len(c.Seeds) != 1 {
		t.Errorf("a field that is missing must leave no entry, is %v", c.Seeds)
	}
}
