package kiofilter_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/kiofilter"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// list is a ResourceList as kyaml reads it.
type list struct {
	items          []*yaml.RNode
	functionConfig *yaml.RNode
	results        framework.Results
}

func read(text []byte) (list, error) {
	var l list
	root, err := yaml.Parse(string(text))
	if err != nil {
		return l, err
	}
	if items := root.Field("items"); items != nil && !items.Value.IsNil() {
		if l.items, err = items.Value.Elements(); err != nil {
			return l, err
		}
	}
	if config := root.Field("functionConfig"); config != nil {
		l.functionConfig = config.Value
	}
	if results := root.Field("results"); results != nil {
		err = results.Value.YNode().Decode(&l.results)
	}
	return l, err
}

// TestAsOnTheWire runs each golden list that kyaml can read both ways.
func TestAsOnTheWire(t *testing.T) {
	count := 0
	for _, c := range golden.Lists(t, "../../testdata") {
		in := c.List(t)
		if c.Name == "ignorefields/mistakes-fields" {
			continue // kyaml writes {a} as {a: ""}, and the message quotes it
		}
		l, err := read(in)
		isError := func(r *framework.Result) bool { return r.Severity == framework.Error }
		if err != nil || slices.ContainsFunc(l.results, isError) {
			continue // a filter does not see the results that came with a list
		}
		count++
		t.Run(c.Name, func(t *testing.T) {
			var stdout bytes.Buffer
			wireErr := fn.Run(bytes.NewReader(in), &stdout)
			wire, err := read(stdout.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			results := wire.results[len(l.results):]
			if len(results) == 1 && strings.HasPrefix(results[0].Message, "the input must be one ResourceList") {
				return // kyaml refuses less of what is around the objects
			}
			filter := kiofilter.Filter{FunctionConfig: l.functionConfig}
			out, err := filter.Filter(l.items)
			_, failed := errors.AsType[*kiofilter.FailedError](err)
			if err != nil && !failed {
				t.Fatal(err)
			}
			if _, wireFailed := errors.AsType[*fn.FailedError](wireErr); failed != wireFailed {
				t.Errorf("the filter fails: %v, the run on the wire: %v", failed, wireFailed)
			}
			if failed {
				out = l.items
			}
			isAboutText := func(r *framework.Result) bool {
				return slices.Contains([]string{report.ReasonReformatted, report.ReasonNotAnnotated}, r.Tags["reason"])
			}
			if diff := cmp.Diff(slices.DeleteFunc(results, isAboutText), slices.DeleteFunc(filter.Results, isAboutText)); diff != "" {
				t.Errorf("results (-wire +filter):\n%s", diff)
			}
			items, err := resourcelist.Read(stdout.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if len(items.Items) != len(out) {
				t.Fatalf("%d items come out, want %d", len(out), len(items.Items))
			}
			for i, item := range items.Items {
				got, err := tree.Parse([]byte(out[i].MustString()))
				if err != nil {
					t.Fatal(err)
				}
				if !tree.Equal(item.Root(), got) {
					t.Errorf("items[%d] (-wire +filter):\n%s", i, cmp.Diff(tree.Value(item.Root()), tree.Value(got)))
				}
			}
		})
	}
	if count < 150 {
		t.Errorf("kyaml must read most of the golden lists, found %d", count)
	}
}
