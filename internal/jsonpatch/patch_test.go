package jsonpatch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/jsonpatch"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func TestParseFaults(t *testing.T) {
	tests := []struct {
		patch string
		want  []report.Fault
	}{
		{`[1]`, []report.Fault{{Path: "p[0]", Message: "must be a map, found number 1"}}},
		{
			`[{"path":"/a"},{"op":"ad","path":"/a"},{"op":1,"path":"/a"},{"op":"Remove","path":"/a"}]`,
			[]report.Fault{
				{Path: "p[0].op", Message: "must be set, found nothing"},
				{Path: "p[1].op", Message: `must be add, remove, replace, move, copy or test, found "ad"; did you mean "add"?`},
				{Path: "p[2].op", Message: "must be add, remove, replace, move, copy or test, found number 1"},
				{
					Path:    "p[3].op",
					Message: `must be add, remove, replace, move, copy or test, found "Remove"; did you mean "remove"?`,
				},
			},
		},
		{
			`[{"op":"remove"},{"op":"remove","path":null},{"op":"remove","path":"spec/x"},{"op":"remove","path":"/a~2"}]`,
			[]report.Fault{
				{Path: "p[0].path", Message: "must be set, found nothing"},
				{Path: "p[1].path", Message: "must be set, found nothing"},
				{Path: "p[2].path", Message: `must start with "/", found "spec/x"; did you mean "/spec/x"?`},
				{Path: "p[3].path", Message: `must have "~" only as "~0" or "~1", found "/a~2"`},
			},
		},
		{
			`[{"op":"add","path":"/a"},{"op":"replace","path":"/a"},{"op":"test","path":"/a"}]`,
			[]report.Fault{
				{Path: "p[0].value", Message: "must be set for add, found nothing; for null, write null"},
				{Path: "p[1].value", Message: "must be set for replace, found nothing; for null, write null"},
				{Path: "p[2].value", Message: "must be set for test, found nothing; for null, write null"},
			},
		},
		{
			`[{"op":"move","path":"/a"},{"op":"copy","path":"/a","from":1},{"op":"move","from":"/a","path":"/a/b"}]`,
			[]report.Fault{
				{Path: "p[0].from", Message: "must be set for move, found nothing"},
				{Path: "p[1].from", Message: `must start with "/", found "1"; did you mean "/1"?`},
				{
					Path:    "p[2].from",
					Message: `must not be a parent of the path that the value is moved to, found "/a" and "/a/b"`,
				},
			},
		},
		{
			`[{"op":"remove","path":""},{"op":"move","from":"","path":"/a"},{"op":"move","from":"/a","path":""}]`,
			[]report.Fault{
				{Path: "p[0].path", Message: "must name a field for remove, found the whole object"},
				{Path: "p[1].from", Message: `must not be a parent of the path that the value is moved to, found "" and "/a"`},
				{Path: "p[2].path", Message: "must name a field for move, found the whole object"},
			},
		},
		{
			`[{"op":"add","path":"/a//b","value":1},{"op":"copy","from":"/a/","path":"/b"},{"op":"add","path":"/a/","value":1}]`,
			[]report.Fault{
				{Path: "p[0]", Message: `must name no field inside an empty key, and move or copy none, found "/a//b"`},
				{Path: "p[1]", Message: `must name no field inside an empty key, and move or copy none, found "/a/"`},
			},
		},
		{`[{"op":"move","from":"/a","path":"/a"},{"op":"move","from":"/a","path":"/ab"}]`, nil},
		{`[{"op":"remove","path":"/a","value":1,"from":"x","other":true}]`, nil},
		{`[]`, nil},
	}
	for _, test := range tests {
		_, faults := jsonpatch.Parse(parse(t, test.patch), "p")
		if diff := cmp.Diff(test.want, faults); diff != "" {
			t.Errorf("faults of %s (-want +got):\n%s", test.patch, diff)
		}
	}
}

// TestDuplicateMember is appendix A.13 of RFC 6902: the text is no JSON with members that are there
// once, so it is refused before it is a patch.
func TestDuplicateMember(t *testing.T) {
	_, err := tree.ParseJSON([]byte(`[{"op":"add","path":"/baz","value":"qux","op":"remove"}]`))
	want := `line 1: the key "op" is twice in one object`
	if err == nil || err.Error() != want {
		t.Errorf("the error must be %q, found %v", want, err)
	}
}
