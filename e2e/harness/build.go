// Package harness has what the tests of the hosts share: it builds krm-fields, runs programs on
// copies of packages, and compares the output with expected files.
//
// It knows no host. It doesn't install kpt or docker, and reports which one is missing.
package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// release are the linker flags for the version that pages show.
const release = "-X main.version=v0.1.0 -X main.commit=8843d7f92416211de9ebb963ff4ce28125932878"

// Main makes the given targets of the Makefile, builds krm-fields into a temporary folder, puts
// that folder in front of the PATH, runs the tests, and returns their exit code. Call it from
// TestMain.
func Main(m *testing.M, targets ...string) int {
	bin, err := os.MkdirTemp("", "krm-fields")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(bin)
	if err := command("go", "build", "-ldflags", release, "-o", filepath.Join(bin, "krm-fields"), "."); err != nil {
		return fail(err)
	}
	if len(targets) > 0 {
		if err := command("make", targets...); err != nil {
			return fail(err)
		}
	}
	if err := os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
		return fail(err)
	}
	return m.Run()
}

// Make makes targets of the Makefile, with variables as "NAME=value".
func Make(t *testing.T, targets ...string) {
	t.Helper()
	if err := command("make", targets...); err != nil {
		t.Fatal(err)
	}
}

// Root is the root of the repository, as tests in a folder of e2e/ see it.
func Root() string {
	return filepath.Join("..", "..")
}

// command runs a program in the root of the repository.
func command(program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Dir = Root()
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as the Makefile builds what is shipped
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, out)
	}
	return nil
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}
