package tree

import (
	"strings"
	"testing"
)

// TestScanBytes puts every byte at every place of a text, since several are looked at at once.
func TestScanBytes(t *testing.T) {
	around := strings.Repeat("a", 17)
	for c := range 256 {
		wantASCII := c < 0x80 && byteClasses[c] == 0
		for at := range len(around) {
			text := around[:at] + string([]byte{byte(c)}) + around[at+1:]
			ascii, ok := scanBytes(text)
			if ok != wantASCII || ascii != wantASCII { // a byte beyond ASCII alone is no UTF-8
				t.Errorf("byte %#x at %d: got %v, %v, want %v twice", c, at, ascii, ok, wantASCII)
			}
		}
	}
}
