package plan_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/author/plan"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

const (
	mine   = `{manager: kubectl, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:a": {}, "f:b": {}}}}`
	theirs = `{manager: operator, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:b": {}}}}`
	helms  = `{manager: helm, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:c": {}}}}`
)

// configMap returns a ConfigMap with such data and more metadata.
func configMap(data, metadata string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: d%s}, data: %s}", metadata, data)
}

func entries(texts string) string { return ", managedFields: [" + texts + "]" }

// worldOf is a world of a package and what the cluster has of it, "" for nothing.
func worldOf(t *testing.T, desired, live string) *world.World {
	t.Helper()
	parse := func(text string) []*object.Object {
		if text == "" {
			return nil
		}
		o, err := object.ParseDocument([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return []*object.Object{o}
	}
	return &world.World{
		Objects: parse(desired), Live: parse(live), HasLive: true, As: managedfields.Tools[0], Manager: managedfields.Kubectl,
	}
}

// planned is what the tests compare of a planned object.
type planned struct {
	Outcome, Cause              string
	Fields, Conflicts, Leftover []string
}

// TestMake plans the apply of a ConfigMap.
func TestMake(t *testing.T) {
	tests := map[string]struct {
		desired, live string
		force         bool
		want          planned
	}{
		"new": {
			configMap("{a: one}", ""), "", false,
			planned{Outcome: plan.Create, Fields: []string{"data.a set"}},
		},
		"as it is": {
			configMap("{a: one, b: two}", ""), configMap("{a: one, b: two}", entries(mine)), false,
			planned{Outcome: plan.Unchanged},
		},
		"a value of ours": {
			configMap("{a: new, b: two}", ""), configMap("{a: one, b: two}", entries(mine)), false,
			planned{Outcome: plan.Change, Fields: []string{"data.a set"}},
		},
		"a value of another manager": {
			configMap("{a: one, b: new}", ""), configMap("{a: one, b: two}", entries(mine+", "+theirs)), false,
			planned{Outcome: plan.Conflict, Fields: []string{"data.b conflict"}, Conflicts: []string{"operator .data.b"}},
		},
		"a value of another manager, by force": {
			configMap("{a: one, b: new}", ""), configMap("{a: one, b: two}", entries(mine+", "+theirs)), true,
			planned{Outcome: plan.Change, Fields: []string{"data.b set"}},
		},
		"a value that another manager has, too": {
			configMap("{b: two}", ""), configMap("{b: two}", entries(theirs)), false,
			planned{Outcome: plan.Change, Fields: []string{"data.b shared"}},
		},
		"a field that is gone": {
			configMap("{a: one}", ""), configMap("{a: one, b: two}", entries(mine)), false,
			planned{Outcome: plan.Change, Fields: []string{"data.b removed"}},
		},
		"a field that is left to another manager": {
			configMap("{a: one}", ""), configMap("{a: one, b: two}", entries(mine+", "+theirs)), false,
			planned{Outcome: plan.Change, Fields: []string{"data.b left"}},
		},
		"a field of a tool that has applied before": {
			configMap("{a: one, b: two}", ""), configMap("{a: one, b: two, c: three}", entries(helms+", "+mine)), false,
			planned{Outcome: plan.Unchanged, Leftover: []string{"data.c of helm"}},
		},
		"another resourceVersion": {
			configMap("{a: one}", `, resourceVersion: "1"`), configMap("{a: one}", `, resourceVersion: "2"`+entries(mine)), false,
			planned{Outcome: plan.Refused, Cause: "metadata.resourceVersion: the object has been modified: it is 2 on the cluster, and 1 in the package"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			made, results, _, err := plan.Make(plan.Options{World: worldOf(t, test.desired, test.live), Force: test.force})
			if err != nil || len(made.Objects) != 1 {
				t.Fatalf("there must be a plan of one object, found %v, %v, %v", made, results, err)
			}
			o := made.Objects[0]
			got := planned{Outcome: o.Outcome, Cause: o.Cause}
			for _, f := range o.Fields {
				got.Fields = append(got.Fields, f.Path+" "+string(f.Why))
			}
			for _, c := range o.Conflicts {
				got.Conflicts = append(got.Conflicts, c.Manager+" "+c.Field)
			}
			for _, l := range o.Leftover {
				got.Leftover = append(got.Leftover, l.Path+" of "+l.Manager)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if isGood := o.Outcome != plan.Conflict && o.Outcome != plan.Refused; made.Succeeds() != isGood {
				t.Errorf("Succeeds must be %t", isGood)
			}
		})
	}
}

// TestForesee tells apart what need not be sent, what would fail, and the rest.
func TestForesee(t *testing.T) {
	tests := map[string]struct {
		desired   string
		isSettled bool
		failure   string
	}{
		"as it is":   {configMap("{a: one, b: two}", ""), true, ""},
		"changed":    {configMap("{a: new, b: two}", ""), false, ""},
		"a conflict": {configMap("{a: one, b: new}", ""), false, `conflict with "operator": .data.b`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := worldOf(t, test.desired, configMap("{a: one, b: two}", entries(mine+", "+theirs)))
			settled, failing := plan.Foresee(w, w.Objects, false)
			o, failure := w.Objects[0], ""
			if failing[o] != nil {
				failure = failing[o].Error()
			}
			if settled[o] != test.isSettled || failure != test.failure {
				t.Errorf("must be %t, %q, found %t, %q", test.isSettled, test.failure, settled[o], failure)
			}
		})
	}
}
