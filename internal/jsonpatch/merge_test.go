package jsonpatch_test

import (
	"testing"

	evanphx "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/jsonpatch"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestMerge has the examples of RFC 7386, appendix A and section 3, in their order, and what the
// RFC leaves to JSON. Objects and patches are maps.
func TestMerge(t *testing.T) {
	tests := []struct {
		target, patch, want string
	}{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{
			`{"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"},"tags":["example","sample"],"content":"x"}`,
			`{"title":"Hello!","phoneNumber":"+01-123-456-7890","author":{"familyName":null},"tags":["example"]}`,
			`{"title":"Hello!","author":{"givenName":"John"},"tags":["example"],"content":"x","phoneNumber":"+01-123-456-7890"}`,
		},
		{`{}`, `{"a":[null,{"b":null}]}`, `{"a":[null,{"b":null}]}`},
		{`{"c":1,"b":2,"a":3}`, `{"z":1,"a":9007199254740993,"x":1e3}`, `{"c":1,"b":2,"a":9007199254740993,"z":1,"x":1e3}`},
		{`{"a":{"x":1}}`, `{"a":{},"b":{}}`, `{"a":{"x":1},"b":{}}`},
		{`{"a":{"x":null}}`, `{"a":{"x":{"y":null,"z":[]}}}`, `{"a":{"x":{"z":[]}}}`},
		{`{"a":1}`, `{"z":1,"y":2,"x":3,"w":4,"v":5,"u":6,"t":7}`, `{"a":1,"z":1,"y":2,"x":3,"w":4,"v":5,"u":6,"t":7}`},
		{`{"":1,"a/b":{"~":2}}`, `{"":null,"a/b":{"~":3}}`, `{"a/b":{"~":3}}`},
	}
	for _, test := range tests {
		target, patch := parse(t, test.target), parse(t, test.patch)
		if diff := cmp.Diff(test.want, text(t, merged(t, target, patch))); diff != "" {
			t.Errorf("%s patched with %s (-want +got):\n%s", test.target, test.patch, diff)
		}
		if text(t, target) != test.target || text(t, patch) != test.patch {
			t.Errorf("%s and %s must stay as they are", test.target, test.patch)
		}
	}
}

// merged returns the whole target with what a merge patch makes of its parts.
func merged(t *testing.T, target, patch *tree.Node) *tree.Node {
	t.Helper()
	before, after, err := jsonpatch.Merge(tree.Lookup, target, patch)
	if err != nil {
		t.Fatal(err)
	}
	return overlaid(target, before, after)
}

func TestMergeIntoAliases(t *testing.T) {
	target, err := tree.Parse([]byte("a: &a\n  x: 1\n  y: 2\nb:\n  <<: *a\n  z: 3\nc: *a\n"))
	if err != nil {
		t.Fatal(err)
	}
	patch := parse(t, `{"b":{"x":null},"c":{"y":4}}`)
	want := `{"a":{"x":1,"y":2},"b":{"z":3,"y":2},"c":{"x":1,"y":4}}`
	if diff := cmp.Diff(want, text(t, merged(t, target, patch))); diff != "" {
		t.Errorf("patched (-want +got):\n%s", diff)
	}
}

// TestLibraryMerges has what github.com/evanphx/json-patch makes otherwise than RFC 7386 and this
// package. If a row fails, the library has learnt it, and what is here for it may go.
func TestLibraryMerges(t *testing.T) {
	tests := map[string]struct{ target, patch, want, library string }{
		"nulls in maps in lists stay": {`{"a":1}`, `{"b":[{"c":null}]}`, `{"a":1,"b":[{"c":null}]}`, `{"a":1,"b":[{}]}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := text(t, merged(t, parse(t, test.target), parse(t, test.patch))); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			got, err := evanphx.MergePatch([]byte(test.target), []byte(test.patch))
			if err != nil || string(got) != test.library {
				t.Errorf("the library: got %s, %v, want %s", got, err, test.library)
			}
		})
	}
}
