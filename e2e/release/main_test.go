// Package release builds what a release has, from a clone at a tag, publishes it to a registry of
// its own, and uses it in each of the ways that docs/start/install.md names.
package release

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

const (
	tag      = "v0.9.0"
	snapshot = "0.9.1-snapshot" // that of the next patch
)

// clone is a clone of what is committed, at the tag; commit is its commit.
var clone, commit string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "krm-fields-release")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(folder)
	clone = filepath.Join(folder, "krm-fields")
	root, err := filepath.Abs(harness.Root())
	if err != nil {
		return fail(err)
	}
	for _, args := range [][]string{
		{"git", "clone", "--quiet", "--no-tags", root, clone},
		{"git", "-C", clone, "tag", tag},
		{"git", "-C", clone, "remote", "set-url", "origin", "https://github.com/krm-fields/krm-fields"},
		{"make", "-C", clone, "snapshot-host"},
		{"make", "-C", root, "bin/cosign", "bin/helm"},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fail(fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out))
		}
	}
	out, err := exec.Command("git", "-C", clone, "rev-parse", "HEAD").Output()
	if err != nil {
		return fail(err)
	}
	commit = strings.TrimSpace(string(out))
	return m.Run()
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// dist is the path of a file of the release: its name behind name and version.
func dist(suffix string) string {
	return filepath.Join(clone, "dist", "krm-fields_"+snapshot+"_linux_"+runtime.GOARCH+suffix)
}

// succeed runs a command, and returns what it prints on stdout.
func succeed(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(cmd.Args, " "), err, out, errOut.String())
	}
	return string(out)
}
