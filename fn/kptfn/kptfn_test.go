package kptfn_test

import (
	"bytes"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/kptdev/krm-functions-sdk/go/fn"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/kptfn"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestAsOnTheWire runs each golden list that the SDK can read both ways.
func TestAsOnTheWire(t *testing.T) {
	read := 0
	for _, c := range golden.Lists(t, "../../testdata") {
		in := c.List(t)
		list, err := sdk.ParseResourceList(in)
		if err != nil {
			continue
		}
		if c.Name == "ignorefields/mistakes-fields" {
			continue // the SDK writes {a} as {a: ""}, and the message quotes it
		}
		read++
		t.Run(c.Name, func(t *testing.T) {
			var stdout bytes.Buffer
			wireErr := fn.Run(bytes.NewReader(in), &stdout)
			wire, err := sdk.ParseResourceList(stdout.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if len(wire.Results) == 1 && strings.HasPrefix(wire.Results[0].Message, "the input must be one ResourceList") {
				return // the SDK refuses less of what is around the objects
			}
			_, wireFailed := errors.AsType[*fn.FailedError](wireErr)
			ok, err := kptfn.Process(list)
			if err != nil {
				t.Fatal(err)
			}
			if ok == wireFailed {
				t.Errorf("Process returns %v, and the run on the wire fails: %v", ok, wireFailed)
			}
			isAboutText := func(r *sdk.Result) bool {
				return slices.Contains([]string{report.ReasonReformatted, report.ReasonNotAnnotated}, r.Tags["reason"])
			}
			if diff := cmp.Diff(slices.DeleteFunc(wire.Results, isAboutText), slices.DeleteFunc(list.Results, isAboutText)); diff != "" {
				t.Errorf("results (-wire +Process):\n%s", diff)
			}
			items, err := resourcelist.Read(stdout.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if len(items.Items) != len(list.Items) {
				t.Fatalf("%d items come out, want %d", len(list.Items), len(items.Items))
			}
			for i, item := range items.Items {
				got, err := tree.Parse([]byte(list.Items[i].String()))
				if err != nil {
					t.Fatal(err)
				}
				if !tree.Equal(item.Root(), got) {
					t.Errorf("items[%d] (-wire +Process):\n%s", i, cmp.Diff(tree.Value(item.Root()), tree.Value(got)))
				}
			}
		})
	}
	if read < 150 {
		t.Errorf("the SDK must read most of the golden lists, found %d", read)
	}
}

// TestProgramWithoutSDK holds that krm-fields itself is built without the SDK and kyaml.
func TestProgramWithoutSDK(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "github.com/krm-fields/krm-fields").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"krm-functions-sdk", "sigs.k8s.io/kustomize/kyaml"} {
		if strings.Contains(string(out), name) {
			t.Errorf("the program must not import %s", name)
		}
	}
}
