package applypatches_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// page returns the page docs/apply-patches.md, and the object that it is about.
func page(t *testing.T) (text, sample string) {
	t.Helper()
	read, err := os.ReadFile("../../docs/apply-patches.md")
	if err != nil {
		t.Fatal(err)
	}
	text = string(read)
	_, sample, _ = strings.Cut(text, "are about this object:\n\n```yaml\n")
	sample, _, ok := strings.Cut(sample, "```")
	if !ok {
		t.Fatal("the page must have the object that it is about")
	}
	return text, sample
}

// runOn runs a functionConfig on one object, without a warning or an error, and returns what came
// out.
func runOn(t *testing.T, functionConfig, sample string) []*object.Object {
	t.Helper()
	items, results := run(t, functionConfig, sample)
	for _, result := range results {
		if result.Severity != report.SeverityInfo {
			t.Errorf("%s: %s in\n%s", result.Severity, result.Message, functionConfig)
		}
	}
	return items
}

func TestPatchesOfThePage(t *testing.T) {
	text, sample := page(t)
	blocks := strings.Split(text, "```yaml\n")[1:]
	ran := 0
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		if !strings.Contains(block, "target:") {
			continue
		}
		if !strings.HasPrefix(block, "apiVersion") {
			block = header + block
		}
		ran++
		items := runOn(t, block, sample)
		if len(items) == 1 && !items[0].Changed() {
			t.Errorf("the patches must do something:\n%s", block)
		}
	}
	if ran != 9 {
		t.Errorf("the page must have 9 examples, found %d", ran)
	}
}

// rows returns the cells of the table with a head.
func rows(t *testing.T, text, head string) [][2]string {
	t.Helper()
	_, table, ok := strings.Cut(text, head+"\n| --- | --- |\n")
	if !ok {
		t.Fatalf("the page must have the table %q", head)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var cells [][2]string
	for row := range strings.Lines(table) {
		first, second, _ := strings.Cut(strings.Trim(row, "| \n"), " | ")
		cells = append(cells, [2]string{strings.Trim(first, "`"), second})
	}
	return cells
}

func TestPathsOfThePage(t *testing.T) {
	text, sample := page(t)
	for _, row := range rows(t, text, "| path | selects |") {
		template, err := patchpath.ParseTemplate([]patchpath.Piece{{Text: row[0]}})
		if err != nil {
			t.Error(err)
			continue
		}
		places, err := template.Bind(nil).Resolve(parse(t, sample), tree.Lookup)
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		for _, place := range places {
			got = append(got, "`"+place.Location.String()+"`")
		}
		if diff := cmp.Diff(row[1], strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-page +path):\n%s", row[0], diff)
		}
	}
}

func TestValuesOfThePage(t *testing.T) {
	text, sample := page(t)
	for _, row := range rows(t, text, "| value | becomes |") {
		functionConfig := header + "patches:\n- target: {kind: Deployment}\n  operations:\n" +
			"  - op: add\n    path: /result\n    value: " + row[0] + "\n"
		items := runOn(t, functionConfig, sample)
		want := parse(t, strings.Trim(row[1], "`"))
		if got := tree.Get(items[0].Root(), "result"); !tree.Equal(want, got) {
			t.Errorf("%s: got %v, want %s", row[0], tree.Value(got), row[1])
		}
	}
}
