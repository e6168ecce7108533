package merge

import (
	"cmp"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smd "sigs.k8s.io/structured-merge-diff/v6/merge"

	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// isUnchanged tells whether an apply is found to change nothing without a merge, which then must
// come to the same.
func isUnchanged(t *testing.T, apply Apply) bool {
	t.Helper()
	schemas := &schema.Schemas{}
	gvk, live := kindOf(apply.Package), dataOf(apply.Live)
	kind := schemas.Kind(gvk)
	p := &predictor{schemas: schemas, kind: kind, apply: apply, live: live, version: fieldpath.APIVersion(gvk.APIVersion())}
	p.converter, p.reset = &converter{schemas: schemas, gvk: gvk}, p.resetFields()
	p.updater = (&smd.UpdaterBuilder{Converter: p.converter, IgnoreFilter: p.reset}).BuildUpdater()
	config, _ := schema.Numbers(apply.Package).(map[string]any)
	s := state{live: live, config: config, managers: managersOf(apply.Entries)}
	if err := p.read(&s); err != nil {
		t.Fatal(err)
	}
	value, err := p.converter.typed(live, true)
	if err != nil {
		t.Fatal(err)
	}
	if !p.isUnchanged(s, value) {
		return false
	}
	merged, after, err := p.merge(s, value, false)
	if err != nil {
		t.Fatalf("found to change nothing, but the merge fails: %v", err)
	}
	if !after.fields.Equals(s.managers.fields) {
		t.Errorf("found to change nothing, but the managers were\n%v\nand are\n%v", s.managers.fields, after.fields)
	}
	if is, was := p.stored(merged), p.stored(live); merged != nil && !reflect.DeepEqual(is, was) {
		t.Errorf("found to change nothing, but the object was\n%v\nand is\n%v", was, is)
	}
	return true
}

// TestUnchanged applies a package again, also after others have applied and after it has changed.
func TestUnchanged(t *testing.T) {
	const first, second = `      - name: a
        image: a:1
        ports: [{containerPort: 80}]
        env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
`, "      - {name: b, image: b:1}\n"
	const manifest = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
` + first + second + `      volumes: [{name: tmp, emptyDir: {}}]
`
	const head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop%}\n"
	for name, test := range map[string]struct {
		others   string // the package of another applier
		by       string // its name; "" for one that comes before that of the applier
		old, new string // in the package
		want     bool
	}{
		"same":                       {want: true},
		"an image changes":           {old: "a:1", new: "a:2"},
		"a container comes":          {old: "      volumes", new: "      - {name: c, image: c:1}\n      volumes"},
		"a container goes":           {old: second},
		"a null comes":               {old: "labels: {app: web}}\nspec:\n  sel", new: "labels: {app: web}, annotations: null}\nspec:\n  sel"},
		"a list has another order":   {old: first + second, new: second + first},
		"an atomic map has a member": {old: "{app: web}}\n  template", new: "{app: web, tier: web}}\n  template"},
		"a volume gets a source":     {old: "emptyDir: {}", new: "emptyDir: {medium: Memory}"},
		"another has a label":        {others: head + "spec: {replicas: 3}\n", want: true},
		"another has a container": {
			others: head + "spec: {template: {spec: {containers: [{name: proxy, image: proxy:1}]}}}\n", want: true,
		},
		"another has a label, and a later entry":       {others: head, by: "upgrader"},
		"another has an atomic value with its default": {others: strings.Replace(manifest, "fieldRef: {", "fieldRef: {apiVersion: v1, ", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			apply := Apply{Manager: "tool", Package: dataIn(t, manifest), Force: true}
			apply = applied(t, apply)
			if test.others != "" {
				others := apply
				others.Manager, others.Package = cmp.Or(test.by, "other"), dataIn(t, strings.ReplaceAll(test.others, "%", ", labels: {team: shop}"))
				others = applied(t, others)
				apply.Live, apply.Entries = others.Live, others.Entries
			}
			text := strings.Replace(manifest, test.old, test.new, 1)
			apply.Package = dataIn(t, text)
			if got := isUnchanged(t, apply); got != test.want {
				t.Errorf("found %t, want %t", got, test.want)
			}
		})
	}
}

func dataIn(t *testing.T, text string) map[string]any {
	t.Helper()
	root, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	object, _ := tree.Value(root).(map[string]any)
	return object
}

// applied returns an apply with the object that it leaves as the live one.
func applied(t *testing.T, apply Apply) Apply {
	t.Helper()
	prediction, err := Predict(&schema.Schemas{}, apply)
	if err != nil {
		t.Fatal(err)
	}
	apply.Live = tree.FromValue(prediction.Stored())
	apply.Entries, _ = managedfields.Of(apply.Live)
	return apply
}
