package ignorefields

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestActions holds what the configuration can say against the table of actions.
func TestActions(t *testing.T) {
	var names []string
	for _, a := range actions {
		names = append(names, a.name)
	}
	for _, form := range []any{Config{}, textConfig{}} {
		field, _ := reflect.TypeOf(form).FieldByName("Action")
		if diff := cmp.Diff(names, strings.Split(field.Tag.Get("enum"), ",")); diff != "" {
			t.Errorf("the actions that %T takes must be those of the table (-table +tag):\n%s", form, diff)
		}
		if got := field.Tag.Get("default"); got != actions[0].name {
			t.Errorf("the default of %T must be the first of the table, %q, found %q", form, actions[0].name, got)
		}
	}
}
