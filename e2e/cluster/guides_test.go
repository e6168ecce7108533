package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const (
	root   = "../.."
	guides = "docs/guides"
	// pageLimit is how long the commands of one page may take.
	pageLimit = 5 * time.Minute
)

// TestGuides runs the pages as a reader would: each in its own shell, in the root of the
// repository.
func TestGuides(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(root, guides, "*.md"))
	if err != nil || len(paths) < 2 {
		t.Fatalf("%s must have pages, found %q (%v)", guides, paths, err)
	}
	for _, path := range paths {
		if filepath.Base(path) == "README.md" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".md"), func(t *testing.T) { follow(t, path) })
	}
}

// TestPages runs pages of the documentation whose commands need a cluster, along with their others.
func TestPages(t *testing.T) {
	for _, name := range []string{"apply", "diff", "start/kubectl"} {
		t.Run(name, func(t *testing.T) { follow(t, filepath.Join(root, "docs", name+".md")) })
	}
}

// follow runs the commands of a page and compares what they print with what the page shows.
func follow(t *testing.T, path string) {
	page, err := readPage(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(page.steps) == 0 {
		t.Fatalf("%s must have commands in a block of ```console", path)
	}
	folder := t.TempDir()
	outputs := runSteps(t, page.steps, folder)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		for i, output := range outputs {
			outputs[i] = temporary(folder).ReplaceAllString(output, "…")
		}
		if err := os.WriteFile(path, []byte(page.with(outputs)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, s := range page.steps {
		if !page.prints(s, outputs[i]) {
			t.Errorf("%s, line %d: $ %s\nthe page shows:\n%s\nit prints:\n%s", path, s.first+1, s.command,
				page.want(s), outputs[i])
		}
	}
}

// temporary matches the path that "mktemp" creates in a folder.
func temporary(folder string) *regexp.Regexp {
	return regexp.MustCompile(regexp.QuoteMeta(folder) + `/tmp\.[[:alnum:]]+`)
}

// runSteps runs the commands in one shell, with a folder for temporary files, and returns what each
// prints, to stdout and stderr, without the newlines at the end.
func runSteps(t *testing.T, steps []step, folder string) []string {
	t.Helper()
	var script strings.Builder
	end := fmt.Sprintf("\n-- end of a step in %s --\n", folder)
	for _, s := range steps {
		fmt.Fprintf(&script, "%s\nprintf '%%s' '%s'\n", s.command, end)
	}
	ctx, cancel := context.WithTimeout(t.Context(), pageLimit)
	defer cancel()
	var printed bytes.Buffer
	cmd := exec.CommandContext(ctx, "bash", "-c", script.String())
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "TMPDIR="+folder, "LC_ALL=C.UTF-8")
	cmd.Stdout, cmd.Stderr = &printed, &printed // one writer, so that the order stays
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	outputs := strings.Split(printed.String(), end)
	if err != nil || len(outputs) != len(steps)+1 {
		t.Fatalf("the shell must come to the end of the page, did %d of %d steps: %v\n%s", len(outputs)-1, len(steps),
			err, outputs[len(outputs)-1])
	}
	for i, output := range outputs {
		outputs[i] = strings.TrimRight(output, "\n")
	}
	return outputs[:len(steps)]
}
