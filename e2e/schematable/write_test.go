package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// TestWrite checks that writing the parsed table gives the same bytes.
func TestWrite(t *testing.T) {
	file, err := os.Open("../../internal/ssa/schema/table.bin.gz")
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
	again, err := write(schema.ReadTable(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, text) {
		t.Errorf("the table must come out as it was read: %d bytes, not %d", len(again), len(text))
	}
}
