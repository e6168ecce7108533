package schema

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestUnorderedFields looks the fields of order.txt up in the schemas: they must be lists.
func TestUnorderedFields(t *testing.T) {
	types, seen := map[string]*Type{}, map[*Type]bool{}
	var visit func(*Type)
	visit = func(of *Type) {
		if of == nil || seen[of] {
			return
		}
		seen[of], types[of.Name] = true, of
		if of.Map != nil {
			for _, field := range of.Map.Fields {
				visit(field.Type)
			}
			visit(of.Map.Element)
		}
		visit(of.Element())
	}
	for _, kind := range table().Kinds {
		visit(kind.Type)
	}
	for name, fields := range unordered() {
		of := types[name]
		if of == nil {
			t.Errorf("there must be a type %s", name)
			continue
		}
		for _, name := range fields {
			if field := of.Field(name); field == nil || field.Type.List == nil {
				t.Errorf("%s of %s must be a list", name, of.Name)
			}
		}
	}
	eachRule(orderFile, func(types []string, text string) {
		if _, words, ok := strings.Cut(text, ": "); !ok || len(words) < 15 {
			t.Errorf("%q of %q must have the words of its source", text, types)
		}
	})
	if len(unordered()) < 15 {
		t.Errorf("found %d types", len(unordered()))
	}
}

func TestAlign(t *testing.T) {
	var schemas Schemas
	for name, test := range map[string]struct {
		kind                GVK
		before, after, want string
		isReordered         bool
	}{
		"other order": {GVK{"rbac.authorization.k8s.io", "v1", "Role"},
			`{rules: [{verbs: [get, list]}, {verbs: [watch]}]}`, `{rules: [{verbs: [watch]}, {verbs: [list, get]}]}`,
			`{rules: [{verbs: [watch]}, {verbs: [list, get]}]}`, true},
		"other order and another element": {GVK{"autoscaling", "v2", "HorizontalPodAutoscaler"},
			`{spec: {metrics: [{type: A}, {type: B}, {type: C}]}}`, `{spec: {metrics: [{type: C}, {type: X}, {type: A}]}}`,
			`{spec: {metrics: [{type: C}, {type: B}, {type: A}]}}`, false},
		"fewer": {GVK{"autoscaling", "v2", "HorizontalPodAutoscaler"},
			`{spec: {metrics: [{type: A}, {type: B}]}}`, `{spec: {metrics: [{type: B}]}}`,
			`{spec: {metrics: [{type: B}, {type: A}]}}`, false},
		"one twice": {GVK{"autoscaling", "v2", "HorizontalPodAutoscaler"},
			`{spec: {metrics: [{type: A}, {type: B}, {type: B}]}}`, `{spec: {metrics: [{type: B}, {type: A}, {type: A}]}}`,
			`{spec: {metrics: [{type: B}, {type: A}, {type: B}]}}`, false},
		"an order that means something": {GVK{"apps", "v1", "Deployment"},
			`{spec: {template: {spec: {containers: [{name: a, args: [x, y]}]}}}}`, `{spec: {template: {spec: {containers: [{name: a, args: [y, x]}]}}}}`,
			`{spec: {template: {spec: {containers: [{name: a, args: [x, y]}]}}}}`, false},
		"finalizers of a custom kind": {GVK{"example.com", "v1", "Widget"},
			`{metadata: {finalizers: [a, b]}}`, `{metadata: {finalizers: [b, a]}}`, `{metadata: {finalizers: [b, a]}}`, true},
		"equal": {GVK{"autoscaling", "v2", "HorizontalPodAutoscaler"},
			`{spec: {metrics: [{type: A}]}}`, `{spec: {metrics: [{type: A}]}}`, `{spec: {metrics: [{type: A}]}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			value := func(text string) any {
				root, err := tree.Parse([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				return tree.Value(root)
			}
			of, before, after := schemas.Kind(test.kind).Type, value(test.before), value(test.after)
			kept := value(test.before)
			if got := of.Align(before, after); !reflect.DeepEqual(got, value(test.want)) {
				t.Errorf("found %v", got)
			}
			if got := of.IsReordered(before, after); got != test.isReordered {
				t.Errorf("IsReordered must be %t", test.isReordered)
			}
			if !reflect.DeepEqual(before, kept) {
				t.Errorf("the value must stay, found %v", before)
			}
		})
	}
}

// TestAlignKeepsElements holds that no element comes or goes.
func TestAlignKeepsElements(t *testing.T) {
	element := &Type{Scalar: String}
	for _, like := range [][]any{nil, {"a"}, {"b", "a", "x", "x"}, {"c", "c"}} {
		list := []any{"a", "b", "b", "c"}
		got := element.alignElements(list, like)
		slices.SortFunc(got, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		if !reflect.DeepEqual(got, list) {
			t.Errorf("as %v: found %v", like, got)
		}
	}
}
