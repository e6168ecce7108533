package diff_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/author/diff"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const (
	head   = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  namespace: d\n"
	secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  namespace: d\n"
	rules  = "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata: {name: r}\nobjectHash: {emit: false}\nignoreFields:\n- jsonPointers: [/data/b]\n"
	roles  = "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: r, namespace: d}\n" +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}\nsubjects:\n"
	ann, bob = "- {kind: User, name: ann, apiGroup: rbac.authorization.k8s.io}\n", "- {kind: User, name: bob, apiGroup: rbac.authorization.k8s.io}\n"
)

func parse(t *testing.T, text string) []*object.Object {
	t.Helper()
	if text == "" {
		return nil
	}
	o, err := object.ParseDocument([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return []*object.Object{o}
}

// TestOf compares an object with the live one: there are both texts where they differ.
func TestOf(t *testing.T) {
	tests := map[string]struct {
		desired, live, rules string
		options              diff.Options
		before, after        string
	}{
		"new":   {desired: head + "data: {a: one}\n", after: head + "data: {a: one}\n"},
		"equal": {desired: head + "data: {a: one}\n", live: head + "data:\n  a: 'one'\n"},
		"texts of a Secret without data": {
			desired: secret + "stringData: {a: one}\n", live: secret, before: secret, after: secret + "stringData: {a: one}\n",
		},
		"a text of a Secret with other data": {
			desired: secret + "stringData:\n  a: one\n  b: two\n", live: secret + "data: {a: b25l, c: Yw==}\n",
			before: secret + "stringData:\n  a: one\n", after: secret + "stringData:\n  a: one\n  b: two\n",
		},
		"what only the cluster has": {
			desired: head + "data: {a: one}\n", live: head + "data: {a: one, c: three}\n",
		},
		"what only a server sets": {
			desired: head + "data: {a: one}\n", live: head + "  uid: u\n  resourceVersion: \"1\"\ndata: {a: one}\n",
		},
		"a value": {
			desired: head + "data:\n  a: one # the first\n", live: head + "data:\n  a: two\n",
			before: head + "data:\n  a: two # the first\n", after: head + "data:\n  a: one # the first\n",
		},
		"a field of a rule": {
			desired: head + "data: {b: one}\n", live: head + "data: {b: two}\n", rules: rules,
		},
		"a field of a rule beside another": {
			desired: head + "data:\n  a: one\n  b: one\n", live: head + "data:\n  a: two\n  b: two\n", rules: rules,
			before: head + "data:\n  a: two\n", after: head + "data:\n  a: one\n",
		},
		"another order": {
			desired: roles + ann + bob, live: roles + bob + ann,
			before: roles + bob + ann, after: roles + ann + bob,
		},
		"another order that means nothing": {
			desired: roles + ann + bob, live: roles + bob + ann, options: diff.Options{IgnoreOrder: true},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := &world.World{Objects: parse(t, test.desired), Live: parse(t, test.live), HasLive: true}
			if test.rules != "" {
				config, err := tree.Parse([]byte(test.rules))
				if err != nil {
					t.Fatal(err)
				}
				w.Steps = []hostless.ConfigStep{{FunctionConfig: config}}
			}
			out, err := test.options.Of(w)
			if err != nil || out.HasFailed {
				t.Fatalf("must compare, found %v, %v", out.Results, err)
			}
			var before, after string
			for _, texts := range out.Texts {
				before, after = before+string(texts.Before), after+string(texts.After)
			}
			if d := cmp.Diff([]string{test.before, test.after}, []string{before, after}); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
