package tree

import (
	"strings"
	"testing"
)

// TestScanBytes puts every byte at every place of a text, since several are looked at at once.
func TestScanBytes(t *testing.T) {
	for _, other := range []string{"a", "\n", " ", "~"} {
		around := strings.Repeat(other, 17)
		for c := range 256 {
			wantASCII := c < 0x80 && byteClasses[c] == 0
			for at := range len(around) {
				text := around[:at] + string([]byte{byte(c)}) + around[at+1:]
				ascii, ok := scanBytes(text)
				if ok != wantASCII || ascii != wantASCII { // a byte beyond ASCII alone is no UTF-8
					t.Errorf("byte %#x at %d among %q: got %v, %v, want %v twice", c, at, other, ascii, ok, wantASCII)
				}
			}
		}
	}
}

func TestBehindSpaces(t *testing.T) {
	for spaces := range 20 {
		for _, behind := range []string{"", "a", "\n", "\t", "a       ", "!        b", "\x00", "\xa0"} {
			text := "b" + strings.Repeat(" ", spaces) + behind
			if got, want := behindSpaces(text, 1), 1+spaces; got != want {
				t.Errorf("%q: got %d, want %d", text, got, want)
			}
		}
	}
}
