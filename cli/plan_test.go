package cli_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/krm-fields/krm-fields/cli"
)

var update = flag.Bool("update", false, "write what comes out into the files of testdata/plan")

// TestPlan makes the plans of testdata/plan: of a package, live objects, perhaps rules and CustomResourceDefinitions, and
// more arguments in the comment, what comes out as text and as JSON, after the exit code.
func TestPlan(t *testing.T) {
	files, err := filepath.Glob("../testdata/plan/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata/plan must have files (%v)", err)
	}
	for i, file := range files {
		if files[i], err = filepath.Abs(file); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			_, more, _ := strings.Cut(string(archive.Comment), "\n\n")
			args := append([]string{"plan"}, strings.Fields(more)...)
			inputs := archive.Files[:0:0]
			for _, input := range archive.Files {
				flags := map[string]string{"rules.yaml": "--config", "live.yaml": "--live", "crds.yaml": "--crds", "package.yaml": "--"}
				flag, isInput := flags[input.Name]
				if !isInput {
					continue
				}
				inputs = append(inputs, input)
				if err := os.WriteFile(input.Name, input.Data, 0o644); err != nil {
					t.Fatal(err)
				}
				if flag == "--" {
					args = append(args, input.Name)
				} else {
					args = append(args, flag, input.Name)
				}
			}
			text := planned(append(args, "-o", "text"))
			got := &txtar.Archive{Comment: archive.Comment, Files: append(inputs,
				txtar.File{Name: "want.txt", Data: text}, txtar.File{Name: "want.json", Data: planned(append(args, "-o", "json"))})}
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(got))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// planned is what the command line says, the exit code first.
func planned(args []string) []byte {
	var out, errOut bytes.Buffer
	code := cli.Main(slices.Clone(args), "v0.0.0-test", cli.Streams{In: os.Stdin, Out: &out, Err: &errOut})
	return fmt.Appendf(nil, "exit code %d\n%s%s", code, errOut.Bytes(), out.Bytes())
}
