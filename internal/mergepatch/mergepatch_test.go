package mergepatch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/mergepatch"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestApply has the examples of RFC 7386, appendix A and section 3, in their order, and what the
// RFC leaves to JSON.
func TestApply(t *testing.T) {
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
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{
			`{"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"},"tags":["example","sample"],"content":"x"}`,
			`{"title":"Hello!","phoneNumber":"+01-123-456-7890","author":{"familyName":null},"tags":["example"]}`,
			`{"title":"Hello!","author":{"givenName":"John"},"tags":["example"],"content":"x","phoneNumber":"+01-123-456-7890"}`,
		},
		{`{}`, `{"a":[null,{"b":null}]}`, `{"a":[null,{"b":null}]}`},
		{`{"c":1,"b":2,"a":3}`, `{"z":1,"a":9007199254740993,"x":1e3}`, `{"c":1,"b":2,"a":9007199254740993,"z":1,"x":1e3}`},
		{`{"":1,"a/b":{"~":2}}`, `{"":null,"a/b":{"~":3}}`, `{"a/b":{"~":3}}`},
	}
	for _, test := range tests {
		target, patch := parse(t, test.target), parse(t, test.patch)
		if diff := cmp.Diff(test.want, text(t, mergepatch.Apply(target, patch))); diff != "" {
			t.Errorf("%s patched with %s (-want +got):\n%s", test.target, test.patch, diff)
		}
		if text(t, target) != test.target || text(t, patch) != test.patch {
			t.Errorf("%s and %s must stay as they are", test.target, test.patch)
		}
	}
}

func TestApplyToAliases(t *testing.T) {
	target, err := tree.Parse([]byte("a: &a\n  x: 1\n  y: 2\nb:\n  <<: *a\n  z: 3\nc: *a\n"))
	if err != nil {
		t.Fatal(err)
	}
	patch := parse(t, `{"b":{"x":null},"c":{"y":4}}`)
	want := `{"a":{"x":1,"y":2},"b":{"z":3,"y":2},"c":{"x":1,"y":4}}`
	if diff := cmp.Diff(want, text(t, mergepatch.Apply(target, patch))); diff != "" {
		t.Errorf("patched (-want +got):\n%s", diff)
	}
}

func parse(t *testing.T, text string) *tree.Node {
	t.Helper()
	n, err := tree.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func text(t *testing.T, n *tree.Node) string {
	t.Helper()
	text, err := tree.MarshalJSON(n)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
