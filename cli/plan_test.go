package cli_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/krm-fields/krm-fields/cli"
	"github.com/krm-fields/krm-fields/e2e/golden"
)

// TestPlan makes the plans of testdata/plan: of a package, live objects, perhaps rules and
// CustomResourceDefinitions, and more arguments in the comment, what comes out as text and as JSON,
// after the exit code.
func TestPlan(t *testing.T) { runGoldens(t, "plan") }

// TestHandover makes the handovers of testdata/handover, as TestPlan does plans.
func TestHandover(t *testing.T) { runGoldens(t, "handover") }

func runGoldens(t *testing.T, command string) {
	flags := map[string]string{
		"rules.yaml": "--config", "live.yaml": "--live", "crds.yaml": "--crds", "openapi.json": "--openapi", "package.yaml": "--",
	}
	golden.Run(t, "../testdata/"+command+"/*.txtar", func(t *testing.T, c *golden.Case) {
		t.Chdir(t.TempDir())
		_, more, _ := strings.Cut(c.Comment(), "\n\n")
		args := append([]string{command}, strings.Fields(more)...)
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

// TestPlanBase compares the plans of base.yaml and package.yaml of testdata/planbase, on each
// NAME.live.yaml, with what TestPlan has beside.
func TestPlanBase(t *testing.T) {
	golden.Run(t, "../testdata/planbase/*.txtar", func(t *testing.T, c *golden.Case) {
		t.Chdir(t.TempDir())
		_, more, _ := strings.Cut(c.Comment(), "\n\n")
		args := append([]string{"plan", "--base", "base.yaml"}, strings.Fields(more)...)
		var inputs []string
		for _, input := range c.Files() {
			if !strings.HasSuffix(input.Name, ".yaml") {
				continue
			}
			if err := os.WriteFile(input.Name, input.Data, 0o644); err != nil {
				t.Fatal(err)
			}
			inputs = append(inputs, input.Name)
			if name, isLive := strings.CutSuffix(input.Name, ".live.yaml"); isLive {
				args = append(args, "--live", name+"="+input.Name)
			} else if input.Name == "rules.yaml" {
				args = append(args, "--config", input.Name)
			}
		}
		args = append(args, "package.yaml")
		c.Expect(t, inputs,
			txtar.File{Name: "want.txt", Data: planned(append(args, "-o", "text"))},
			txtar.File{Name: "want.md", Data: planned(append(args, "-o", "markdown"))},
			txtar.File{Name: "want.github", Data: planned(append(args, "-o", "github"))},
			txtar.File{Name: "want.json", Data: planned(append(args, "-o", "json"))})
	})
}

// TestPlanBaseComment compares packages of so many objects that a comment has no room for all.
func TestPlanBaseComment(t *testing.T) {
	t.Chdir(t.TempDir())
	var base, head strings.Builder
	const form = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d, namespace: shop}\ndata: {text: %q}\n"
	for i := range 1500 {
		fmt.Fprintf(&base, form, i, strings.Repeat("ä@b ", i%40))
		fmt.Fprintf(&head, form, i, strings.Repeat("ö|`c ", i%50))
	}
	const live = "apiVersion: v1\nkind: List\nitems: []\n"
	for name, text := range map[string]string{"base.yaml": base.String(), "package.yaml": head.String(), "live.yaml": live} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	comment := string(planned([]string{"plan", "--base", "base.yaml", "--live", "prod=live.yaml", "--live", "eu=live.yaml", "-o", "markdown", "package.yaml"}))
	if length := utf8.RuneCountInString(comment); length > 60_000 || length < 50_000 {
		t.Errorf("the comment must have 60,000 characters at most, and use them, has %d", length)
	}
	if shown := strings.Count(comment, "<details>"); !strings.Contains(comment, fmt.Sprintf("\nNot shown: %d creates.\n", 1492-shown)) {
		t.Errorf("the comment must count what is not shown, with %d objects ends in:\n%s", shown, comment[len(comment)-300:])
	}
}

// planned is what the command line says, the exit code first.
func planned(args []string) []byte {
	var out, errOut bytes.Buffer
	code := cli.Main(slices.Clone(args), cli.Build{Version: "v0.0.0-test"}, cli.Streams{In: os.Stdin, Out: &out, Err: &errOut})
	return fmt.Appendf(nil, "exit code %d\n%s%s", code, errOut.Bytes(), out.Bytes())
}
