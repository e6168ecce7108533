package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// TestWrite checks that writing the parsed table gives the same bytes.
func TestWrite(t *testing.T) {
	text, err := os.ReadFile("../../internal/ssa/schema/table.bin")
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
