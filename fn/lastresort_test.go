package fn

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const secretList = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: Secret
  metadata: {name: db}
  stringData: {password: hunter2} # not for you
functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: IgnoreFields
`

// panicking are functions that change the items and then panic with the password.
var panicking = map[string]Function{
	"in the function": func(_ *tree.Node, items []*object.Object) ([]*object.Object, []report.Result) {
		edit(items)
		panic("can't read " + tree.GetString(items[0].Root(), "stringData", "password"))
	},
	"in another goroutine": func(_ *tree.Node, items []*object.Object) ([]*object.Object, []report.Result) {
		edit(items)
		_ = parallel.Each(100, func(i int) error { panic(fmt.Errorf("can't read %s", items[0].Source())) })
		return items, nil
	},
	"when the items are written": func(_ *tree.Node, items []*object.Object) ([]*object.Object, []report.Result) {
		edit(items)
		return append(items, nil), nil
	},
}

func edit(items []*object.Object) {
	items[0].Remove([]location.Location{{location.Key("metadata")}})
}

// TestPanicChangesNothing checks that a panic becomes an error result with the items as they came,
// and shows no data.
func TestPanicChangesNothing(t *testing.T) {
	for name, function := range panicking {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(strings.NewReader(secretList), &out, nil, function)
			failed, ok := errors.AsType[*FailedError](err)
			if !ok {
				t.Fatalf("the run must fail with a *FailedError, found %v", err)
			}
			rest, ok := strings.CutPrefix(out.String(), secretList)
			if !ok || !strings.HasPrefix(rest, "results:\n- message: 'krm-fields has a bug: ") {
				t.Errorf("the list must come out as it came in, with an error, found:\n%s", out.String())
			}
			if len(failed.Lines) != 1 || !strings.HasPrefix(failed.Lines[0], "error: krm-fields has a bug: ") {
				t.Errorf("the error must have one line that says so, found:\n%s", failed)
			}
			if strings.Contains(rest+failed.Error(), "hunter2") {
				t.Errorf("no message must show the password, found:\n%s%s", rest, failed)
			}
		})
	}
}

// TestPanicOfKind checks the same where there is no list, as in `krm-fields run`.
func TestPanicOfKind(t *testing.T) {
	item, err := object.ParseDocument([]byte("apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: hunter2}\n"))
	if err != nil {
		t.Fatal(err)
	}
	items := []*object.Object{item}
	for name, function := range panicking {
		if name == "when the items are written" {
			continue // which the caller does
		}
		t.Run(name, func(t *testing.T) {
			out, results := runKind(nil, items, function, nil)
			if len(out) != 1 || out[0] != item || item.Changed() {
				t.Errorf("the items must be as they came, found %d, changed: %v", len(out), item.Changed())
			}
			if len(results) != 1 || results[0].Severity != report.SeverityError || strings.Contains(results[0].Message, "hunter2") {
				t.Errorf("there must be one error that shows no data, found %v", results)
			}
		})
	}
}

// brokenReader fails.
type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestInputThatCannotBeRead(t *testing.T) {
	var out bytes.Buffer
	err := run(brokenReader{}, &out, nil, Items)
	if want := "error: the input can't be read: io: read/write on closed pipe [InvalidInput]"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}
