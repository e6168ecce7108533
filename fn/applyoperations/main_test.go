package applyoperations_test

import (
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const header = "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyOperations\nmetadata: {name: test}\n"

// runOn runs a functionConfig, given without its header, on documents with `---` between them.
func runOn(t *testing.T, config, documents string) ([]*object.Object, []report.Result) {
	t.Helper()
	return applyoperations.Run(parse(t, header+config), items(t, documents), nil)
}

func parse(t *testing.T, text string) *tree.Node {
	t.Helper()
	n, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func items(t *testing.T, documents string) []*object.Object {
	t.Helper()
	var items []*object.Object
	for _, text := range strings.Split(documents, "---\n") {
		item, err := object.ParseDocument([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	return items
}

// texts returns the items as documents with `---` between them.
func texts(t *testing.T, items []*object.Object) string {
	t.Helper()
	var all []string
	for _, item := range items {
		text, err := item.Text()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return strings.Join(all, "---\n")
}

// messages returns the results, one a line: severity, message.
func messages(results []report.Result) string {
	var all strings.Builder
	for _, result := range results {
		all.WriteString(result.Severity + ": " + result.Message + "\n")
	}
	return all.String()
}
