package cluster

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A command is a program that is run in the root of the repository, as a user.
type command struct {
	user  string
	stdin string
	env   []string
	// folder is where it runs.
	folder string
}

// commandLimit is how long a program may take.
const commandLimit = 2 * time.Minute

var asAdmin, asDeployer = command{user: admin}, command{user: deployer}

// printed is what a program printed, on stdout and stderr, and its exit code.
type printed struct {
	out, err string
	code     int
}

func (c command) prepare(t *testing.T, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), commandLimit) // also behind the test
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = c.folder
	if cmd.Dir == "" {
		cmd.Dir = root
	}
	cmd.Stdin = strings.NewReader(c.stdin)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+cluster.kubeconfig(c.user))
	cmd.Env = append(cmd.Env, c.env...)
	return cmd
}

func (c command) run(t *testing.T, args ...string) printed {
	t.Helper()
	cmd := c.prepare(t, args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	}
	return printed{out: out.String(), err: errOut.String(), code: cmd.ProcessState.ExitCode()}
}

// succeed runs a program that must end with 0, and returns its stdout without the last line break.
func (c command) succeed(t *testing.T, args ...string) string {
	t.Helper()
	got := c.run(t, args...)
	if got.code != 0 {
		t.Fatalf("%s must succeed, has exit code %d\n%s%s", strings.Join(args, " "), got.code, got.out, got.err)
	}
	return strings.TrimSuffix(got.out, "\n")
}

// applied applies manifests as the administrator.
func applied(t *testing.T, manifests string) {
	t.Helper()
	command{user: admin, stdin: manifests}.succeed(t, "kubectl", "apply", "-f", "-")
}

// namespace creates a namespace, and deletes the objects in it after the test. Without controllers
// the namespace itself stays, so that tests may share it.
func namespace(t *testing.T, name string) {
	t.Helper()
	applied(t, `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "`+name+`"}}`)
	t.Cleanup(func() {
		asAdmin.succeed(t, "kubectl", "delete", "deployments,configmaps,secrets,roles,rolebindings", "--all", "--namespace", name, "--wait=false")
	})
}

// file writes a text to a new file and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
