package applypatches_test

import "testing"

func TestReplace(t *testing.T) {
	testOp(t, []opCase{
		{
			"replaces an existing value", "{op: replace, path: /data/a, value: 1}",
			"{a: 2}", "{a: 1}", "",
		},
		{
			"sees what is there", `{op: replace, path: "/data/l[*]", value: "${current * 2}"}`,
			"{l: [1, 2]}", "{l: [2, 4]}", "",
		},
		{
			"needs something", "{op: replace, path: /data/a, value: 1}",
			"{}", "", `path '/data/a': data.a must exist to be replaced; "op: add" creates what is missing, "onMissing: Ignore" skips the operation`,
		},
		{
			"needs nothing where that is said", "{op: replace, path: /data/a, value: 1, onMissing: Ignore}",
			"{}", "{}", "",
		},
	})
}
