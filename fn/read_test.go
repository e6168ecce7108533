package fn

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestReadFile(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdefg"), 100_000)
	path := filepath.Join(t.TempDir(), "list.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	size := int64(len(text))
	for _, test := range []struct {
		name        string
		start, size int64
	}{
		{"a whole file", 0, size},
		{"a file of which a part has been read", 12345, size},
		{"a file that has been read", size, size},
		{"a file that has become longer", 0, size - 600_000},
		{"a file that has become shorter", 0, size + 600_000},
		{"a file that was empty", 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if _, err := file.Seek(test.start, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			got, err := readFile(file, test.size)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, text[test.start:]) {
				t.Errorf("got %d bytes, want the %d from %d on", len(got), size-test.start, test.start)
			}
			if at, err := file.Seek(0, io.SeekCurrent); err != nil || at != size {
				t.Errorf("the offset is %d (%v), want the end, %d", at, err, size)
			}
		})
	}
}
