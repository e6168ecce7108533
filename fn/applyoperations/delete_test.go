package applyoperations_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestDelete deletes the ConfigMap o. Objects are written as their name and, behind a colon, the
// names of their owners.
func TestDelete(t *testing.T) {
	tests := []struct {
		name, objects, want, wantOrphaned string
	}{
		{name: "alone", objects: "o; a", want: "a", wantOrphaned: "a"},
		{name: "a chain, its end first", objects: "c: b; b: a; a: o; o", want: "", wantOrphaned: "c: b; b: a; a"},
		{name: "another owner in the list", objects: "o; p; a: o p", want: "p; a: p", wantOrphaned: "p; a: p"},
		{name: "another owner that is not in the list", objects: "o; a: p o", want: "", wantOrphaned: "a: p"},
		{
			name: "another owner that goes, too", objects: "o; a: o b; b: c o; c: o",
			want: "", wantOrphaned: "a: b; b: c; c",
		},
		{name: "a circle through the object", objects: "a: c; b: o; c: b; o: a", want: "", wantOrphaned: "a: c; b; c: b"},
		{name: "a circle below the object", objects: "o; a: o b; b: a", want: "a: b; b: a", wantOrphaned: "a: b; b: a"},
		{name: "an object that owns itself", objects: "o: o; a: a o", want: "", wantOrphaned: "a: a"},
		{name: "the same owner twice", objects: "o; a: o o", want: "", wantOrphaned: "a"},
		{name: "a dependent's other owner is its dependent", objects: "o; a: o; b: a p; p: b", want: "b: p; p: b", wantOrphaned: "a; b: a p; p: b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for operation, want := range map[string]string{
				"Delete": test.want, "DeleteInBackground": test.want, "EnsureDeleted": test.want, "EnsureDeleteBackground": test.want,
				"DeleteNonCascading": test.wantOrphaned, "EnsureDeleteOrphan": test.wantOrphaned,
			} {
				config := fmt.Sprintf("operations: [{operation: %s, kind: ConfigMap, name: o}]", operation)
				out, results := runOn(t, config, owned(test.objects))
				if diff := cmp.Diff(want, ownership(out)); diff != "" {
					t.Errorf("%s (-want +got):\n%s%s", operation, diff, messages(results))
				}
			}
		})
	}
}

// owned returns the documents of objects that are written as in TestDelete.
func owned(objects string) string {
	var documents []string
	for _, o := range strings.Split(objects, "; ") {
		name, owners, _ := strings.Cut(o, ": ")
		text := configMap(name)
		if owners != "" {
			text += "  ownerReferences:\n"
		}
		for _, owner := range strings.Fields(owners) {
			text += "  - {apiVersion: v1, kind: ConfigMap, name: " + owner + "}\n"
		}
		documents = append(documents, text)
	}
	return strings.Join(documents, "---\n")
}

// ownership is the reverse of owned.
func ownership(objects []*object.Object) string {
	var all []string
	for _, o := range objects {
		text := tree.GetString(o.Root(), "metadata", "name")
		references := tree.Get(o.Root(), "metadata", "ownerReferences")
		for i, reference := range tree.Elements(references) {
			text += []string{": ", " "}[min(i, 1)] + tree.GetString(reference, "name")
		}
		if references != nil && len(references.Content) == 0 {
			text += ": []"
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// TestOwnersChange deletes objects between operations that change who owns whom.
func TestOwnersChange(t *testing.T) {
	const ownedByB = "ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: b}]"
	out, results := runOn(t, `
operations:
- {operation: Delete, kind: ConfigMap, name: a}
- {operation: Create, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: new, `+ownedByB+`}}}
- {operation: MergePatch, kind: ConfigMap, name: c, mergePatch: {metadata: {`+ownedByB+`}}}
- {operation: MergePatch, kind: ConfigMap, name: f, mergePatch: {metadata: {uid: u}}}
- {operation: DeleteNonCascading, kind: ConfigMap, name: d}
- {operation: Delete, kind: ConfigMap, name: b}
- {operation: Delete, kind: ConfigMap, name: f}
- {operation: Delete, kind: ConfigMap, name: e}
`, owned("a; b; c; d; e: d; f; g: f; h: e")+`---
apiVersion: v1
kind: ConfigMap
metadata:
  name: i
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: any, uid: u}]
`)
	want := "info: operations[0]: deleted\n" +
		"info: operations[2]: patched; operations[5]: deleted, as a dependent of ConfigMap b\n" +
		"info: operations[3]: patched; operations[6]: deleted\n" +
		"info: operations[4]: deleted\n" +
		"info: operations[4]: owner reference to ConfigMap d removed; operations[7]: deleted\n" +
		"info: operations[5]: deleted\n" +
		"info: operations[6]: deleted, as a dependent of ConfigMap f\n" + // g, by its name
		"info: operations[6]: deleted, as a dependent of ConfigMap f\n" + // i, by its uid
		"info: operations[7]: deleted, as a dependent of ConfigMap e\n"
	if diff := cmp.Diff(want, messages(results)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if len(out) != 0 {
		t.Errorf("all objects must go, found %s", ownership(out))
	}
}

func TestOwners(t *testing.T) {
	tests := []struct {
		name, owner, reference string
		dependentNamespace     string
		isDependent            bool
	}{
		{name: "by name", owner: "{name: o}", reference: "apiVersion: v1, kind: ConfigMap, name: o", isDependent: true},
		{name: "another apiVersion", owner: "{name: o}", reference: "apiVersion: v2, kind: ConfigMap, name: o"},
		{name: "another kind", owner: "{name: o}", reference: "apiVersion: v1, kind: Secret, name: o"},
		{name: "no kind", owner: "{name: o}", reference: "apiVersion: v1, name: o"},
		{
			name: "by uid, whatever the name", owner: "{name: o, uid: u}",
			reference: "apiVersion: v9, kind: Any, name: any, uid: u", isDependent: true,
		},
		{name: "another uid", owner: "{name: o, uid: u}", reference: "apiVersion: v1, kind: ConfigMap, name: o, uid: v"},
		{
			name: "the owner has no uid", owner: "{name: o}", reference: "apiVersion: v1, kind: ConfigMap, name: o, uid: v",
			isDependent: true,
		},
		{
			name: "the reference has no uid", owner: "{name: o, uid: u}",
			reference: "apiVersion: v1, kind: ConfigMap, name: o, uid: null", isDependent: true,
		},
		{
			name: "an owner without a namespace", owner: "{name: o}", dependentNamespace: "any",
			reference: "apiVersion: v1, kind: ConfigMap, name: o", isDependent: true,
		},
		{
			name: "an owner in the same namespace", owner: "{name: o, namespace: one}", dependentNamespace: "one",
			reference: "apiVersion: v1, kind: ConfigMap, name: o", isDependent: true,
		},
		{
			name: "an owner in another namespace", owner: "{name: o, namespace: one, uid: u}", dependentNamespace: "two",
			reference: "apiVersion: v1, kind: ConfigMap, name: o, uid: u",
		},
		{
			name: "a dependent without a namespace", owner: "{name: o, namespace: one}",
			reference: "apiVersion: v1, kind: ConfigMap, name: o",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dependent := fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata:\n  name: d\n  namespace: %s\n  ownerReferences: [{%s}]\n",
				test.dependentNamespace, test.reference)
			owner := "apiVersion: v1\nkind: ConfigMap\nmetadata: " + test.owner + "\n"
			namespace := tree.GetString(parse(t, owner), "metadata", "namespace")
			config := fmt.Sprintf("operations: [{operation: Delete, kind: ConfigMap, name: o, namespace: %q}]", namespace)
			out, _ := runOn(t, config, dependent+"---\n"+owner)
			if isDependent := len(out) == 0; isDependent != test.isDependent {
				t.Errorf("the object must count as a dependent: %v, found %v", test.isDependent, isDependent)
			}
		})
	}
}
