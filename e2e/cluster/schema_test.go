package cluster

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSchemaTable generates the table of schemas from the OpenAPI of the module from which the API
// server is built, and compares it with the one in the repository.
func TestSchemaTable(t *testing.T) {
	folder := filepath.Join(root, "internal/ssa/schema")
	made := filepath.Join(t.TempDir(), "table.bin.gz")
	generate := exec.Command("go", "run", "../../../e2e/schematable", "-o", made)
	generate.Dir = folder
	if output, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	want, got := unzipped(t, made), unzipped(t, filepath.Join(folder, "table.bin.gz"))
	if !bytes.Equal(got, want) {
		t.Errorf("table.bin.gz must be what the generator makes (%d bytes), has %d; run go generate ./internal/ssa/schema", len(want), len(got))
	}
}

// unzipped reads a file that is compressed by gzip, which another version of Go may do otherwise.
func unzipped(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
