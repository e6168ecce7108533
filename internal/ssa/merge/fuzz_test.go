package merge

import (
	"testing"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FuzzPredict predicts applies of any package to any object: nothing panics, and what comes out can
// be applied to again, by the same manager without a change.
func FuzzPredict(f *testing.F) {
	for _, c := range golden.Cases(f, "testdata/*.txtar") {
		texts := map[string][]byte{}
		for _, name := range []string{"live.yaml", "package.yaml"} {
			var err error
			if texts[name], err = tree.MarshalJSON(read(f, c, name)); err != nil {
				f.Fatal(err)
			}
		}
		f.Add(texts["live.yaml"], texts["package.yaml"], true)
	}
	f.Fuzz(func(t *testing.T, liveText, configText []byte, force bool) {
		var live *tree.Node
		parsed, err := tree.ParseJSON(configText)
		if err == nil && len(liveText) > 0 {
			live, err = tree.ParseJSON(liveText)
		}
		config, isMap := tree.Value(parsed).(map[string]any)
		if err != nil || !isMap || live != nil && !tree.IsMap(live) {
			return
		}
		schemas := &schema.Schemas{}
		entries, _ := managedfields.Of(live)
		prediction, err := Predict(schemas, Apply{Live: live, Entries: entries, Package: config, Manager: "kubectl", Force: force})
		if err != nil || prediction.Refused != nil {
			return
		}
		if _, err := prediction.Fields(); err != nil {
			t.Fatal(err)
		}
		if prediction.Conflicts != nil || !prediction.Changed {
			return
		}
		stored := tree.FromValue(prediction.Stored())
		entries, _ = managedfields.Of(stored)
		second := Apply{Live: stored, Entries: entries, Package: config, Manager: "kubectl"}
		again, err := Predict(schemas, second)
		if err != nil || again.Refused != nil {
			t.Fatalf("%v %v", err, again)
		}
		if len(again.Conflicts) > 0 {
			t.Fatalf("what was applied conflicts with itself: %v", again.Conflicts)
		}
		if config["apiVersion"] == kindOf(config).APIVersion() {
			isUnchanged(t, second)
		}
	})
}
