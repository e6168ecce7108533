package explain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestManyRules holds that of many rules with an object each, an explanation does not keep why each
// rule is not for each object, but counts right, and tells it of an object that is asked for.
func TestManyRules(t *testing.T) {
	const many, kept = 1000, 200_000
	var text, rules strings.Builder
	rules.WriteString("apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nignoreFields:\n")
	for i := range many {
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: o%d}\ndata: {a: b}\n", i)
		fmt.Fprintf(&rules, "- jsonPointers: [/data/a]\n  selectors: [{name: o%d}]\n", i)
	}
	config, err := tree.Parse([]byte(rules.String()))
	if err != nil {
		t.Fatal(err)
	}
	last, _ := explain.ParseName(fmt.Sprintf("ConfigMap/o%d", many-1))
	for _, trace := range []*ignorefields.Trace{{}, {IsAsked: last.Names}} {
		files, err := manifests.Read([]string{manifests.Stdin}, strings.NewReader(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		run := explain.Run{FunctionConfig: config, Items: manifests.Objects(files), Trace: trace}
		run.Out, run.Results = fn.ItemsWith(fn.Options{IgnoreFields: ignorefields.Options{Trace: trace}}, config, run.Items)
		explanation, err := explain.Of(run)
		if err != nil {
			t.Fatal(err)
		}
		all := 0
		for _, rule := range explanation.Rules {
			if rule.Chosen != 1 || len(rule.NotInRule)+rule.MoreNotInRule != many-1 {
				t.Fatalf("%s is for %d objects, and not for %d and %d more, want 1 and %d in all", rule.Path, rule.Chosen,
					len(rule.NotInRule), rule.MoreNotInRule, many-1)
			}
			all += len(rule.NotInRule)
		}
		if all == 0 || all > kept {
			t.Errorf("reasons that are kept: got %d, want some, and %d at most", all, kept)
		}
		if asked := explanation.Only(last).Rules[0].NotInRule; trace.IsAsked != nil && len(asked) != 1 {
			t.Errorf("the object that is asked for: got %v, want why the first rule is not for it", asked)
		}
	}
}
