package applypatches_test

import "testing"

func TestAdd(t *testing.T) {
	testOp(t, []opCase{
		{
			"sets a member and makes its parents", "{op: add, path: /data/a/b, value: 1}",
			"{}", "{a: {b: 1}}", "",
		},
		{
			"goes in before the element", "{op: add, path: /data/l/0, value: 1}",
			"{l: [2]}", "{l: [1, 2]}", "",
		},
		{
			"appends", "{op: add, path: /data/l/-, value: 1}",
			"{}", "{l: [1]}", "",
		},
		{
			"makes no elements", "{op: add, path: /data/l/2, value: 1}",
			"{l: [0]}", "", "path '/data/l/2': the index 2 must be at most 1, the length of data.l",
		},
		{
			"sees the member that it sets", `{op: add, path: /data/a, value: "${current + 1}"}`,
			"{a: 1}", "{a: 2}", "",
		},
	})
}
