package main

import (
	"bytes"
	"testing"
)

func TestBounded(t *testing.T) {
	const types, export = "\x01\x04\x01\x60\x00\x00", "\x07\x05\x01\x01m\x02\x00"
	module := magic + types + "\x05\x03\x01\x00\x11" + export
	got, err := bounded([]byte(module))
	if want := magic + types + "\x05\x05\x01\x01\x11\x80\x40" + export; err != nil || !bytes.Equal(got, []byte(want)) {
		t.Errorf("got %x, %v, want %x", got, err, want)
	}
}

func TestFaults(t *testing.T) {
	for name, module := range map[string]string{
		"no module":      "a",
		"nothing":        magic,
		"cut off":        magic + "\x05\x09\x01",
		"no length":      magic + "\x05",
		"a maximum":      magic + "\x05\x04\x01\x01\x11\x20",
		"two memories":   magic + "\x05\x05\x02\x00\x11\x00\x11",
		"too much of it": magic + "\x05\x05\x01\x00\xff\xff\x03",
	} {
		if got, err := bounded([]byte(module)); err == nil {
			t.Errorf("%s: got %x, want an error", name, got)
		}
	}
}
