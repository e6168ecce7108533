package jsonpatch_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/jsonpatch"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestAppendix has the examples of RFC 6902, appendix A, except A.13, which is no valid JSON.
func TestAppendix(t *testing.T) {
	tests := []struct {
		section, document, patch, want, wantErr string
	}{
		{
			section: "A.1", document: `{"foo":"bar"}`, patch: `[{"op":"add","path":"/baz","value":"qux"}]`,
			want: `{"foo":"bar","baz":"qux"}`,
		},
		{
			section: "A.2", document: `{"foo":["bar","baz"]}`, patch: `[{"op":"add","path":"/foo/1","value":"qux"}]`,
			want: `{"foo":["bar","qux","baz"]}`,
		},
		{
			section: "A.3", document: `{"baz":"qux","foo":"bar"}`, patch: `[{"op":"remove","path":"/baz"}]`,
			want: `{"foo":"bar"}`,
		},
		{
			section: "A.4", document: `{"foo":["bar","qux","baz"]}`, patch: `[{"op":"remove","path":"/foo/1"}]`,
			want: `{"foo":["bar","baz"]}`,
		},
		{
			section: "A.5", document: `{"baz":"qux","foo":"bar"}`, patch: `[{"op":"replace","path":"/baz","value":"boo"}]`,
			want: `{"baz":"boo","foo":"bar"}`,
		},
		{
			section: "A.6", document: `{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}`,
			patch: `[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]`,
			want:  `{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}`,
		},
		{
			section: "A.7", document: `{"foo":["all","grass","cows","eat"]}`,
			patch: `[{"op":"move","from":"/foo/1","path":"/foo/3"}]`, want: `{"foo":["all","cows","eat","grass"]}`,
		},
		{
			section: "A.8", document: `{"baz":"qux","foo":["a",2,"c"]}`,
			patch: `[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]`,
			want:  `{"baz":"qux","foo":["a",2,"c"]}`,
		},
		{
			section: "A.9", document: `{"baz":"qux"}`, patch: `[{"op":"test","path":"/baz","value":"bar"}]`,
			wantErr: `[0]: test "/baz": must be "bar", found "qux"`,
		},
		{
			section: "A.10", document: `{"foo":"bar"}`, patch: `[{"op":"add","path":"/child","value":{"grandchild":{}}}]`,
			want: `{"foo":"bar","child":{"grandchild":{}}}`,
		},
		{
			section: "A.11", document: `{"foo":"bar"}`, patch: `[{"op":"add","path":"/baz","value":"qux","xyz":123}]`,
			want: `{"foo":"bar","baz":"qux"}`,
		},
		{
			section: "A.12", document: `{"foo":"bar"}`, patch: `[{"op":"add","path":"/baz/bat","value":"qux"}]`,
			wantErr: `[0]: add "/baz/bat": the object has no key "baz"`,
		},
		{
			section: "A.14", document: `{"/":9,"~1":10}`, patch: `[{"op":"test","path":"/~01","value":10}]`,
			want: `{"/":9,"~1":10}`,
		},
		{
			section: "A.15", document: `{"/":9,"~1":10}`, patch: `[{"op":"test","path":"/~01","value":"10"}]`,
			wantErr: `[0]: test "/~01": must be "10", found number 10`,
		},
		{
			section: "A.16", document: `{"foo":["bar"]}`, patch: `[{"op":"add","path":"/foo/-","value":["abc","def"]}]`,
			want: `{"foo":["bar",["abc","def"]]}`,
		},
	}
	for _, test := range tests {
		t.Run(test.section, func(t *testing.T) {
			checkApply(t, test.document, test.patch, test.want, test.wantErr)
		})
	}
}

func TestApply(t *testing.T) {
	tests := []struct {
		name, document, patch, want, wantErr string
	}{
		{
			name: "numbers are equal by value", document: `{"a":1.0,"b":1e3}`,
			patch: `[{"op":"test","path":"","value":{"b":1000,"a":1}}]`, want: `{"a":1.0,"b":1e3}`,
		},
		{
			name: "numbers keep their text", document: `{"a":9007199254740993,"b":1e3}`,
			patch: `[{"op":"move","from":"/a","path":"/c"},{"op":"copy","from":"/b","path":"/d"}]`,
			want:  `{"b":1e3,"c":9007199254740993,"d":1e3}`,
		},
		{
			name: "nulls", document: `{"a":null,"b":[null]}`,
			patch: `[{"op":"test","path":"/a","value":null},{"op":"replace","path":"/b/0","value":{"c":null}}]`,
			want:  `{"a":null,"b":[{"c":null}]}`,
		},
		{
			name: "the whole document", document: `{"a":1}`,
			patch: `[{"op":"test","path":"","value":{"a":1.0}},{"op":"replace","path":"","value":{"b":[1]}},{"op":"add","path":"/b/0","value":0}]`,
			want:  `{"b":[0,1]}`,
		},
		{
			name: "a copy of the whole document", document: `{"a":[1]}`,
			patch: `[{"op":"copy","from":"","path":"/b"},{"op":"copy","from":"","path":"/a/-"},{"op":"remove","path":"/b"}]`,
			want:  `{"a":[1,{"a":[1],"b":{"a":[1]}}]}`,
		},
		{
			name: "a value that moves to itself", document: `{"a":1,"b":2}`,
			patch: `[{"op":"move","from":"/a","path":"/a"}]`, want: `{"a":1,"b":2}`,
		},
		{
			name: "a copy has a life of its own", document: `{"a":{"b":1}}`,
			patch: `[{"op":"copy","from":"/a","path":"/c"},{"op":"replace","path":"/a/b","value":2}]`,
			want:  `{"a":{"b":2},"c":{"b":1}}`,
		},
		{
			name: "a number is a key of a map", document: `{"a":{"01":1}}`,
			patch: `[{"op":"replace","path":"/a/01","value":2},{"op":"add","path":"/a/-","value":3}]`,
			want:  `{"a":{"01":2,"-":3}}`,
		},
		{
			name: "an empty key", document: `{"a":{"":1},"":2}`,
			patch: `[{"op":"replace","path":"/a/","value":3},{"op":"test","path":"/","value":2},{"op":"remove","path":"/"}]`,
			want:  `{"a":{"":3}}`,
		},
		{
			name: "a list as the document", document: `[1,[2,[3]]]`,
			patch: `[{"op":"add","path":"/0","value":0},{"op":"replace","path":"/2/1/0","value":4},{"op":"remove","path":"/1"}]`,
			want:  `[0,[2,[4]]]`,
		},
		{
			name: "a key that is there is added, with another type", document: `{"a":[1,2],"b":null}`,
			patch: `[{"op":"add","path":"/a","value":false},{"op":"replace","path":"/b","value":""}]`, want: `{"a":false,"b":""}`,
		},
		{
			name: "elements move and are copied within a list", document: `{"a":[1,2,3]}`,
			patch: `[{"op":"move","from":"/a/0","path":"/a/-"},{"op":"copy","from":"/a/2","path":"/a/0"}]`, want: `{"a":[1,2,3,1]}`,
		},
		{
			name: "the order of members and the notation of a number do not matter", document: `{"a":{"x":1,"y":[1e0]}}`,
			patch: `[{"op":"test","path":"/a","value":{"y":[1.0],"x":1}}]`, want: `{"a":{"x":1,"y":[1e0]}}`,
		},
		{
			name: "null is not what is missing", document: `{"a":1}`, patch: `[{"op":"test","path":"/b","value":null}]`,
			wantErr: `[0]: test "/b": the object has no key "b"`,
		},
		{
			name: "the order of elements matters", document: `{"a":[1,2]}`, patch: `[{"op":"test","path":"/a","value":[2,1]}]`,
			wantErr: `[0]: test "/a": must be list [2, 1], found list [1, 2]`,
		},
		{
			name: "case matters", document: `{"foo":1}`, patch: `[{"op":"replace","path":"/FOO","value":2}]`,
			wantErr: `[0]: replace "/FOO": the object has no key "FOO"; did you mean "foo"?`,
		},
		{
			name: "an index in another notation", document: `{"a":[1,2]}`, patch: `[{"op":"add","path":"/a/1e0","value":1}]`,
			wantErr: `[0]: add "/a/1e0": "/a" is a list, and "1e0" is not an index: an index is a number without sign and without leading zeros`,
		},
		{
			name: "an index with a leading zero", document: `{"a":[1,2]}`, patch: `[{"op":"remove","path":"/a/01"}]`,
			wantErr: `[0]: remove "/a/01": "/a" is a list, and "01" is not an index: ` +
				`an index is a number without sign and without leading zeros`,
		},
		{
			name: "an index with a sign", document: `{"a":[1,2]}`, patch: `[{"op":"add","path":"/a/-1","value":1}]`,
			wantErr: `[0]: add "/a/-1": "/a" is a list, and "-1" is not an index: ` +
				`an index is a number without sign and without leading zeros`,
		},
		{
			name: "no index at all", document: `{"a":[1,2]}`, patch: `[{"op":"test","path":"/a/","value":1}]`,
			wantErr: `[0]: test "/a/": "/a" is a list, and "" is not an index: an index is a number without sign and without leading zeros`,
		},
		{
			name: "an index beyond the list", document: `{"a":[1]}`, patch: `[{"op":"add","path":"/a/2","value":1}]`,
			wantErr: `[0]: add "/a/2": "/a" has no element "2"; its length is 1`,
		},
		{
			name: "an index beyond all numbers", document: `{"a":[1]}`,
			patch:   `[{"op":"test","path":"/a/99999999999999999999","value":1}]`,
			wantErr: `[0]: test "/a/99999999999999999999": "/a" has no element "99999999999999999999"; its length is 1`,
		},
		{
			name: "the place behind the last element", document: `{"a":[1]}`,
			patch:   `[{"op":"add","path":"/a/1","value":2},{"op":"remove","path":"/a/-"}]`,
			wantErr: `[1]: remove "/a/-": "/a" has no element "-"; its length is 2`,
		},
		{
			name: "a key that is not there", document: `{"spec":{"replicas":1}}`,
			patch:   `[{"op":"replace","path":"/spec/replica","value":2}]`,
			wantErr: `[0]: replace "/spec/replica": "/spec" has no key "replica"; did you mean "replicas"?`,
		},
		{
			name: "a way through a scalar", document: `{"a":"text"}`, patch: `[{"op":"add","path":"/a/b/c","value":2}]`,
			wantErr: `[0]: add "/a/b/c": "/a" is neither a map nor a list, so it has no "b"`,
		},
		{
			name: "a parent that is a scalar", document: `{"a":"text"}`, patch: `[{"op":"add","path":"/a/b","value":2}]`,
			wantErr: `[0]: add "/a/b": "/a" is neither a map nor a list, so it has no "b"`,
		},
		{
			name: "nothing to move", document: `{"a":1}`, patch: `[{"op":"move","from":"/b","path":"/c"}]`,
			wantErr: `[0]: move "/c": the object has no key "b"`,
		},
		{
			name: "a move to the place behind the last element, which is one less then", document: `{"a":[1,2,3]}`,
			patch:   `[{"op":"move","from":"/a/0","path":"/a/3"}]`,
			wantErr: `[0]: move "/a/3": "/a" has no element "3"; its length is 2`,
		},
		{
			name: "a field that is tested is misspelt", document: `{"spec":{"replicas":1}}`,
			patch:   `[{"op":"test","path":"/spec/replica","value":2}]`,
			wantErr: `[0]: test "/spec/replica": "/spec" has no key "replica"; did you mean "replicas"?`,
		},
		{
			name: "nothing to move to itself", document: `{"a":1}`, patch: `[{"op":"move","from":"/bcd","path":"/bcd"}]`,
			wantErr: `[0]: move "/bcd": the object has no key "bcd"`,
		},
		{
			name: "the whole document need be an object in the end alone", document: `{"a":1}`,
			patch: `[{"op":"replace","path":"","value":null},{"op":"add","path":"","value":{"b":2}}]`, want: `{"b":2}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			checkApply(t, test.document, test.patch, test.want, test.wantErr)
		})
	}
}

func checkApply(t *testing.T, document, patch, want, wantErr string) {
	t.Helper()
	p, faults := jsonpatch.Parse(parse(t, patch), "")
	if len(faults) > 0 {
		t.Fatalf("the patch has faults: %v", faults)
	}
	root := parse(t, document)
	patched, err := applied(p, root)
	if text(t, root) != document {
		t.Errorf("the document must stay as it is, found %s", text(t, root))
	}
	if wantErr != "" {
		if _, ok := errors.AsType[*jsonpatch.Error](err); !ok || err.Error() != wantErr {
			t.Errorf("the error must be\n%s\nfound\n%v", wantErr, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, text(t, patched)); diff != "" {
		t.Errorf("patched (-want +got):\n%s", diff)
	}
}

func TestApplyToAliases(t *testing.T) {
	root, err := tree.Parse([]byte("a: &a\n  x: 1\n  y: 2\nb:\n  <<: *a\n  z: 3\nc: *a\n"))
	if err != nil {
		t.Fatal(err)
	}
	p, _ := jsonpatch.Parse(parse(t, `[{"op":"test","path":"/b/x","value":1},{"op":"remove","path":"/b/x"},
		{"op":"replace","path":"/c/y","value":4}]`), "")
	patched, err := applied(p, root)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a":{"x":1,"y":2},"b":{"z":3,"y":2},"c":{"x":1,"y":4}}`
	if diff := cmp.Diff(want, text(t, patched)); diff != "" {
		t.Errorf("patched (-want +got):\n%s", diff)
	}
}

// TestApplyLimits has patches that would make a document of any size or depth.
func TestApplyLimits(t *testing.T) {
	doubling := make([]string, 40)
	deepening := make([]string, 3)
	for i := range doubling {
		doubling[i] = fmt.Sprintf(`{"op":"copy","from":"/x","path":"/x/a%d"}`, i)
	}
	for i := range deepening {
		value := strings.Repeat(`{"a":`, 400) + "1" + strings.Repeat("}", 400)
		deepening[i] = fmt.Sprintf(`{"op":"add","path":"%s","value":%s}`, strings.Repeat("/a", 400*i), value)
	}
	tests := []struct {
		patch []string
		want  string
	}{
		{doubling, `[16]: copy "/x/a16": the patch must not copy more than 1Mi`},
		{deepening, fmt.Sprintf(`[2]: add %q: values must be nested at most 1000 levels deep`, strings.Repeat("/a", 800))},
	}
	for _, test := range tests {
		p, faults := jsonpatch.Parse(parse(t, "["+strings.Join(test.patch, ",")+"]"), "")
		if len(faults) > 0 {
			t.Fatalf("the patch has faults: %v", faults)
		}
		if _, err := applied(p, parse(t, `{"x":{"y":1}}`)); err == nil || err.Error() != test.want {
			t.Errorf("the error must be %q, found %v", test.want, err)
		}
	}
}

// applied returns the whole document with what a patch makes of its parts.
func applied(p jsonpatch.Patch, root *tree.Node) (*tree.Node, error) {
	before, after, err := p.Apply(tree.Lookup, root)
	if err != nil {
		return nil, err
	}
	return overlaid(root, before, after), nil
}

// overlaid returns whole with the changes from before, parts of it, to after.
func overlaid(whole, before, after *tree.Node) *tree.Node {
	if !tree.IsMap(whole) || !tree.IsMap(before) || !tree.IsMap(after) {
		return after
	}
	n := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag}
	for key, value := range tree.Entries(whole) {
		if was, now := tree.Lookup(before, key), tree.Lookup(after, key); was != nil {
			value = nil
			if now != nil {
				value = overlaid(tree.Lookup(whole, key), was, now)
			}
		}
		if value != nil {
			n.Content = append(n.Content, tree.NewString(key), value)
		}
	}
	for key, value := range tree.Entries(after) {
		if tree.Lookup(before, key) == nil {
			n.Content = append(n.Content, tree.NewString(key), value)
		}
	}
	return n
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
