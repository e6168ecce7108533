package cluster

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSchemaTable generates the table of schemas from the OpenAPI of the module from which the API
// server is built, and compares it with the one in the repository.
func TestSchemaTable(t *testing.T) {
	folder := filepath.Join(root, "internal/ssa/schema")
	made := filepath.Join(t.TempDir(), "table.bin")
	generate := exec.Command("go", "run", "../../../e2e/schematable", "-o", made)
	generate.Dir = folder
	if output, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	want, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(folder, "table.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("table.bin must be what the generator makes (%d bytes), has %d; run go generate ./internal/ssa/schema", len(want), len(got))
	}
}
