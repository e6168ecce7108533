package suggest

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const testdata = "../../../testdata/suggest"

var options = Options{Name: "owned-by-others", FieldManager: "kpt"}

// TestGolden compares desired.yaml with live.yaml in each case. The notes and the configuration
// must be those of want.yaml, and the configuration, parsed from its text, must leave of the
// package only what the cluster has.
func TestGolden(t *testing.T) {
	golden.Run(t, testdata+"/*.txtar", func(t *testing.T, c *golden.Case) {
		live := read(t, c, "live.yaml")
		out, err := Suggest(worldOf(read(t, c, "desired.yaml"), live), options)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if out.Config != nil {
			got = text(t, object.NewDocument(out.Config))
			checkGone(t, got, c, live)
			checkLeft(t, out.Config, c)
		} else {
			for _, result := range out.Results {
				got += "# " + result.Line() + "\n"
			}
		}
		c.Expect(t, []string{"desired.yaml", "live.yaml"}, txtar.File{Name: "want.yaml", Data: []byte(got)})
	})
}

// worldOf is the world of the objects. A live object without managedFields gets some: another
// manager has all of it.
func worldOf(desired, live []*object.Object) *world.World {
	for _, o := range live {
		if tree.Get(o.Root(), "metadata", "managedFields") != nil {
			continue
		}
		fields := map[string]any{}
		for key := range tree.Entries(o.Root()) {
			if key != "apiVersion" && key != "kind" && key != "metadata" {
				fields["f:"+key] = map[string]any{}
			}
		}
		own := map[string]any{}
		for key := range tree.Entries(tree.Get(o.Root(), "metadata")) {
			if key != "name" && key != "namespace" {
				own["f:"+key] = map[string]any{}
			}
		}
		fields["f:metadata"] = own
		entry := map[string]any{"manager": "other", "operation": "Update", "fieldsType": "FieldsV1",
			"apiVersion": tree.GetString(o.Root(), "apiVersion"), "fieldsV1": fields}
		at := location.Location{location.Key("metadata"), location.Key("managedFields")}
		if err := o.Set(at, tree.FromValue([]any{entry})); err != nil {
			panic(err)
		}
	}
	return &world.World{Objects: desired, Live: live, HasLive: true, As: managedfields.Tools[0], Manager: managedfields.Kubectl}
}

// drifted are the fields in the test data that get no rule, since a person or an applier has set
// them, or since the API server does not store them, by the name of the object.
var drifted = map[string][]location.Location{
	"one": {{location.Key("spec"), location.Key("port")}},
	"shop": {
		{location.Key("spec"), location.Key("revisionHistoryLimit")}, {location.Key("spec"), location.Key("progressDeadlineSeconds")},
		{location.Key("spec"), location.Key("paused")}, {location.Key("spec"), location.Key("minReadySeconds")},
		{location.Key("spec"), location.Key("template"), location.Key("spec"), location.Key("priorityClassName")},
		{location.Key("spec"), location.Key("template"), location.Key("spec"), location.Key("dnsPolicy")},
		{location.Key("spec"), location.Key("template"), location.Key("spec"), location.Key("terminationGracePeriodSeconds")},
	},
	"first":   {{location.Key("spec"), location.Key("progressDeadlineSeconds")}},
	"unowned": {{location.Key("spec"), location.Key("maxReplicas")}},
	"api":     {{location.Key("spec"), location.Key("paused")}, {location.Key("spec"), location.Key("minReadySeconds")}},
}

// checkGone runs the configuration, and compares the output with the cluster independently of the
// package: each list element must be a part of some element there.
func checkGone(t *testing.T, config string, c *golden.Case, live []*object.Object) {
	t.Helper()
	root, err := tree.Parse([]byte(config))
	if err != nil {
		t.Fatal(err)
	}
	if _, faults := ignorefields.Decode(root); len(faults) > 0 {
		t.Fatalf("the configuration has faults: %v", faults)
	}
	before := partsMissing(read(t, c, "desired.yaml"), live)
	input := read(t, c, "desired.yaml")
	if tree.GetString(root, "action") != "" {
		input = append(input, live...)
		for _, o := range live {
			o.IsLive = true
		}
	}
	items, results := fn.Items(root, input)
	if fn.HasError(results) {
		t.Fatalf("the configuration fails: %v", results)
	}
	after := partsMissing(items, live)
	if len(before) == 0 || len(after) > 0 {
		t.Errorf("before the configuration differ %q, after it %q", before, after)
	}
}

// checkLeft expects of Check that the configuration leaves no field with two writers but those that
// another object of the package owns, and that there is one without it.
func checkLeft(t *testing.T, config *tree.Node, c *golden.Case) {
	t.Helper()
	for _, steps := range [][]hostless.ConfigStep{nil, {{FunctionConfig: config}}} {
		live := read(t, c, "live.yaml")
		w := worldOf(read(t, c, "desired.yaml"), live)
		w.Steps, w.HasLive, w.Mask = steps, true, &redact.Mask{}
		found, results, err := Check(w, options)
		if err != nil || fn.HasError(results) {
			t.Fatalf("Check: %v %v", err, results)
		}
		if (len(found) == 0) != (steps != nil) {
			t.Errorf("with %d configurations, fields with two writers: %v", len(steps), found)
		}
	}
}

// partsMissing returns the objects that are not a part of the live ones.
func partsMissing(items, live []*object.Object) []string {
	var names []string
	for _, item := range items {
		for _, l := range live {
			if selector.Of(item.Root()).Identity("") != selector.Of(l.Root()).Identity("") {
				continue
			}
			o := object.NewDocument(tree.Copy(item.Root()))
			name := tree.GetString(o.Root(), "metadata", "name")
			o.Remove(drifted[name])
			if !isPart(inTexts(o.Root()), inTexts(l.Root()), nil) {
				names = append(names, name)
			}
		}
	}
	return names
}

func isPart(a, b *tree.Node, at location.Location) bool {
	if documentsOf(a) != nil && documentsOf(b) != nil { // texts that are documents
		return isPart(documentsOf(a), documentsOf(b), at)
	}
	switch {
	case tree.IsMap(a):
		for key, value := range tree.Entries(a) {
			inner := at.With(location.Key(key))
			switch there := tree.Lookup(b, key); {
			case world.IsLeftOut(inner) || isNothing(value) && isNothingOrMissing(there):
			case there == nil && tree.IsMap(value):
				if !isPart(value, &tree.Node{Kind: tree.MappingNode}, inner) {
					return false
				}
			case there == nil || !isPart(value, there, inner):
				return false
			}
		}
		return true
	case tree.IsList(a):
		for i, element := range tree.Elements(a) {
			found := false
			for _, other := range tree.Elements(b) {
				found = found || isPart(element, other, at.With(location.Index(i)))
			}
			if !found {
				return false
			}
		}
		return true
	}
	return tree.Equal(a, b) || isQuantityField(at) && sameQuantity(a, b)
}

func isNothingOrMissing(n *tree.Node) bool { return n == nil || isNothing(n) }

// read returns the objects in a file of a case.
func read(t *testing.T, c *golden.Case, name string) []*object.Object {
	t.Helper()
	files, err := manifests.Read([]string{manifests.Stdin}, bytes.NewReader(c.File(name)))
	if err != nil {
		t.Fatal(err)
	}
	return manifests.Objects(files)
}

func text(t *testing.T, o *object.Object) string {
	t.Helper()
	var out strings.Builder
	if err := manifests.WriteStream(&out, []*object.Object{o}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestVerify breaks a correct suggestion, which must then fail its verification.
func TestVerify(t *testing.T) {
	c := golden.Cases(t, testdata+"/one-of-two.txtar")[0]
	desired, live := read(t, c, "desired.yaml"), read(t, c, "live.yaml")
	for name, change := range map[string][2]string{
		"a field too many":  {"- /spec/replicas", "- /spec/replicas\n  - /spec/paused"},
		"another field":     {"/spec/replicas", "/spec/paused"},
		"an object less":    {"name: api", "name: nobody"},
		"a syntax error":    {"/spec/replicas", "spec/replicas"},
		"no field is found": {"/spec/replicas", "/spec/replica"},
	} {
		out, err := Suggest(worldOf(desired, live), options)
		if err != nil {
			t.Fatal(err)
		}
		good := text(t, object.NewDocument(out.Config))
		bad, err := tree.Parse([]byte(strings.Replace(good, change[0], change[1], 1)))
		if err != nil {
			t.Fatal(err)
		}
		w := worldOf(desired, live)
		pairs, _ := pair(w, nil, func(p *pairOfObjects) { p.compare(w, options) })
		if err := verifyPairs(bad, pairs, nil); err == nil {
			t.Errorf("%s: the suggestion passes its test", name)
		} else if _, ok := errors.AsType[*VerificationError](err); !ok {
			t.Errorf("%s: got %v, want a VerificationError", name, err)
		}
		if good, err := tree.Parse([]byte(good)); err != nil || verifyPairs(good, pairs, nil) != nil {
			t.Errorf("the good suggestion does not pass: %v", err)
		}
	}
}

// inTexts returns a Secret with its data decoded, stringData included; any other object unchanged.
func inTexts(root *tree.Node) *tree.Node {
	value, isMap := tree.Value(root).(map[string]any)
	if !isMap || value["kind"] != "Secret" {
		return root
	}
	texts := map[string]any{}
	for key, encoded := range tree.Entries(tree.Get(root, "data")) {
		text, err := base64.StdEncoding.DecodeString(encoded.Text())
		if err != nil {
			text = []byte(err.Error())
		}
		texts[key] = string(text)
	}
	for key, text := range tree.Entries(tree.Get(root, "stringData")) {
		texts[key] = text.Text()
	}
	value["data"] = texts
	delete(value, "stringData")
	return tree.FromValue(value)
}

// documentsOf returns the list of the maps in a text of YAML documents; nil for another node.
func documentsOf(n *tree.Node) *tree.Node {
	if tree.Type(n) != tree.String {
		return nil
	}
	list := &tree.Node{Kind: tree.SequenceNode}
	for text := range strings.SplitSeq(tree.Deref(n).Text(), "---\n") {
		root, err := tree.Parse([]byte(text))
		if err != nil || !tree.IsMap(root) {
			return nil
		}
		list.Content = append(list.Content, root)
	}
	return list
}
