package cli_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/cli"
	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestChunks runs the golden cases on all objects at once and in chunks of a few: what comes out
// must be the same.
func TestChunks(t *testing.T) {
	flags := [][]string{{}, {"--strict", "--quiet"}, {"--dry-run", "--in-place"}, {"--diff"}, {"--check"}, {"-o", "json", "--skip-invalid"}}
	inChunks, all := 0, 0
	for i, c := range golden.Cases(t, "../testdata/golden/ignorefields/*.txtar") {
		list, err := resourcelist.Read(c.List(t))
		if err != nil || list.FunctionConfig == nil || len(list.Items) == 0 {
			continue
		}
		if c.Name == "memory-limit" || strings.Contains(c.Name, "timeout") {
			continue // which object is named may differ from run to run
		}
		p := packageOf(t, list)
		args := flags[i%len(flags)] // all of them on each case take minutes
		t.Run(c.Name, func(t *testing.T) {
			if diff := cmp.Diff(p.outcome(t, math.MaxInt64, args...), p.outcome(t, 0, args...)); diff != "" {
				t.Errorf("%v: in chunks something else comes out (-at once +in chunks):\n%s", args, diff)
			}
			all++
			if cli.RunsInChunks(t, p.config, p.folder) {
				inChunks++
			}
		})
	}
	if inChunks < 50 {
		t.Errorf("of %d cases 50 or more must run in chunks, found %d", all, inChunks)
	}
}

// manifestsOf is a case as files.
type manifestsOf struct{ config, stream, folder string }

// packageOf writes a list as a stream, as files of one object, and a file of all in a folder.
func packageOf(t *testing.T, list *resourcelist.List) manifestsOf {
	t.Helper()
	config, err := yaml.Marshal(tree.ToLibrary(list.FunctionConfig))
	if err != nil {
		t.Fatal(err)
	}
	p := manifestsOf{config: write(t, "config.yaml", string(config)), folder: t.TempDir()}
	var documents []string
	for i, item := range list.Items {
		text, err := item.Document()
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, string(text))
		writeIn(t, p.folder, fmt.Sprintf("item-%02d.yaml", i), string(text))
	}
	stream := "# a comment\n---\n" + strings.Join(documents, "---\n# another one\n---\n")
	writeIn(t, p.folder, "stream.yaml", strings.ReplaceAll(stream, "  name: ", "  name: s-"))
	p.stream = write(t, "stream.yaml", stream)
	return p
}

func writeIn(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// outcome runs over the stream and, in place, over the files. It returns what is printed and what
// the files hold then.
func (p manifestsOf) outcome(t *testing.T, chunkedFrom int64, args ...string) map[string]string {
	t.Helper()
	cli.SetChunks(t, chunkedFrom, 300)
	got := map[string]string{}
	got["stream: stdout"], got["stream: stderr"] = run(t, p.stream, append([]string{"run", "--config", p.config}, args...)...)
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(p.folder)); err != nil {
		t.Fatal(err)
	}
	got["in place: stdout"], got["in place: stderr"] = run(t, "", append([]string{"run", "--config", p.config, "--in-place", folder}, args...)...)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[entry.Name()] = string(text)
	}
	return got
}
