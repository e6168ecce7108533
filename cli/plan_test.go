package cli_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/krm-fields/krm-fields/cli"
	"github.com/krm-fields/krm-fields/e2e/golden"
)

// TestPlan makes the plans of testdata/plan: of a package, live objects, perhaps rules and
// CustomResourceDefinitions, and more arguments in the comment, what comes out as text and as JSON,
// after the exit code.
func TestPlan(t *testing.T) {
	flags := map[string]string{
		"rules.yaml": "--config", "live.yaml": "--live", "crds.yaml": "--crds", "openapi.json": "--openapi", "package.yaml": "--",
	}
	golden.Run(t, "../testdata/plan/*.txtar", func(t *testing.T, c *golden.Case) {
		t.Chdir(t.TempDir())
		_, more, _ := strings.Cut(c.Comment(), "\n\n")
		args := append([]string{"plan"}, strings.Fields(more)...)
		for _, input := range c.Files() {
			flag, isInput := flags[input.Name]
			if !isInput {
				continue
			}
			if err := os.WriteFile(input.Name, input.Data, 0o644); err != nil {
				t.Fatal(err)
			}
			if flag != "--" {
				args = append(args, flag)
			}
			args = append(args, input.Name)
		}
		c.Expect(t, slices.Collect(maps.Keys(flags)),
			txtar.File{Name: "want.txt", Data: planned(append(args, "-o", "text"))},
			txtar.File{Name: "want.json", Data: planned(append(args, "-o", "json"))})
	})
}

// planned is what the command line says, the exit code first.
func planned(args []string) []byte {
	var out, errOut bytes.Buffer
	code := cli.Main(slices.Clone(args), cli.Build{Version: "v0.0.0-test"}, cli.Streams{In: os.Stdin, Out: &out, Err: &errOut})
	return fmt.Appendf(nil, "exit code %d\n%s%s", code, errOut.Bytes(), out.Bytes())
}
