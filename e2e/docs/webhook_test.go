package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// work is a ManifestWork up to its one rule.
const work = `apiVersion: work.open-cluster-management.io/v1
kind: ManifestWork
metadata: {name: web, namespace: cluster1}
spec:
  workload:
    manifests:
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: default}}
  manifestConfigs:
  - resourceIdentifier: {resource: configmaps, namespace: default, name: settings}
    updateStrategy:
      type: ServerSideApply
      serverSideApply:
        ignoreFields:
        - `

// TestWebhookTable runs the rule of each row of the table of what the proposal's webhook would
// reject. The only fault that is printed must end with the message of the row.
func TestWebhookTable(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(harness.Root(), "docs", "manifestwork.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "| the proposal: rejected with | the rule | here |\n| --- | --- | --- |\n")
	if !found {
		t.Fatal("docs/manifestwork.md must have the table")
	}
	config, err := tree.Parse([]byte("apiVersion: " + fn.APIVersion + "\nkind: IgnoreFields\nmanifestWorks: Validate\n"))
	if err != nil {
		t.Fatal(err)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.ReplaceAll(strings.Trim(line, "| \n"), `\|`, "\x00"), " | ")
		if len(cells) != 3 {
			t.Fatalf("a row must have 3 cells, found %q", line)
		}
		rule, want := codeIn(cells[1]), codeIn(cells[2])
		o, err := object.ParseDocument([]byte(work + rule + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		_, results := fn.Items(config, []*object.Object{o})
		var lines []string
		for _, result := range results {
			lines = append(lines, result.Line())
		}
		if len(results) != 1 || results[0].Tags["reason"] != report.ReasonInvalidFunctionConfig || !strings.HasSuffix(results[0].Message, want) {
			t.Errorf("%s must give the one fault %s, prints %q", rule, want, lines)
		}
	}
}

// codeIn returns the code of a cell of a table.
func codeIn(cell string) string {
	return strings.ReplaceAll(strings.Trim(cell, "`"), "\x00", "|")
}
