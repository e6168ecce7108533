package kubectl

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPatchFile has one stdin that is a file, and one that is not.
func TestPatchFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const patch = `[{"op": "test", "path": "/a", "value": 1}]`
	path, stdin, remove, err := patchFile([]byte(patch))
	if err != nil || path != stdinFile || string(stdin) != patch {
		t.Errorf("must be read from %s, found %s with %q (%v)", stdinFile, path, stdin, err)
	}
	remove()

	defer func(name string) { stdinFile = name }(stdinFile)
	stdinFile = filepath.Join(t.TempDir(), "none")
	path, stdin, remove, err = patchFile([]byte(patch))
	if err != nil || len(stdin) > 0 {
		t.Fatalf("must be read from a file, found stdin %q (%v)", stdin, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file must be readable by its owner alone, found %v (%v)", info.Mode(), err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != patch {
		t.Errorf("the file must hold the patch, found %q (%v)", text, err)
	}
	remove()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file must go, found %v", err)
	}
}
