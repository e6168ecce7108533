package mergepatch_test

import (
	"testing"

	evanphx "github.com/evanphx/json-patch/v5"

	"github.com/krm-fields/krm-fields/internal/mergepatch"
)

// TestLibrary has what github.com/evanphx/json-patch makes otherwise than RFC 7386 and this
// package, which is why merge patches are not carried out by it. A row that fails may go, since the
// library has learnt it.
func TestLibrary(t *testing.T) {
	tests := map[string]struct{ target, patch, want, library string }{
		"nulls in maps in lists stay": {`{"a":1}`, `{"b":[{"c":null}]}`, `{"a":1,"b":[{"c":null}]}`, `{"a":1,"b":[{}]}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := text(t, mergepatch.Apply(parse(t, test.target), parse(t, test.patch))); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			got, err := evanphx.MergePatch([]byte(test.target), []byte(test.patch))
			if err != nil || string(got) != test.library {
				t.Errorf("the library: got %s, %v, want %s", got, err, test.library)
			}
		})
	}
}
