package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// workflow is what Sigstore writes of the workflow of a release into the certificate of its key.
const workflow = "https://github.com/krm-fields/krm-fields/.github/workflows/release.yml@refs/tags/" + tag

// authority is a folder that stands in for Sigstore: see e2e/cosign.
type authority string

func newAuthority(t *testing.T) authority {
	t.Helper()
	folder := t.TempDir()
	succeed(t, exec.Command(program(t, "cosign"), "authority", "--authority="+folder))
	return authority(folder)
}

// as is a folder with a cosign whose keys the authority certifies to be of an identity, and which
// trusts the authority alone.
func (a authority) as(t *testing.T, identity string) string {
	t.Helper()
	folder, real := t.TempDir(), program(t, "cosign")
	harness.WriteTree(t, folder, harness.Tree{"cosign": `#!/bin/sh
command=$1
shift
case $command in
verify*) exec ` + real + ` "$command" --authority=` + string(a) + ` "$@" ;;
*) exec ` + real + ` "$command" --authority=` + string(a) + ` --identity=` + identity + ` "$@" ;;
esac
`})
	if err := os.Chmod(filepath.Join(folder, "cosign"), 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// script runs commands of bash in a folder of the clone, with the programs of another folder in
// front of the PATH.
func script(folder, programs, commands string, env ...string) (string, error) {
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", commands)
	cmd.Dir = filepath.Join(clone, folder)
	cmd.Env = append(os.Environ(), append(env, "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// program is the path of a program in bin.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(harness.Root(), "bin", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}
