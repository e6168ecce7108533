package applypatches_test

import "testing"

func TestReplace(t *testing.T) {
	testOp(t, []opCase{
		{
			"sets what is there", "{op: replace, path: /data/a, value: 1}",
			"{a: 2}", "{a: 1}", "",
		},
		{
			"sees what is there", `{op: replace, path: "/data/l[*]", value: "${current * 2}"}`,
			"{l: [1, 2]}", "{l: [2, 4]}", "",
		},
		{
			"needs something", "{op: replace, path: /data/a, value: 1}",
			"{}", "", `path '/data/a': data.a must be there to be replaced; "op: add" sets what may be missing, "onMissing: Ignore" passes over it`,
		},
		{
			"needs nothing where that is said", "{op: replace, path: /data/a, value: 1, onMissing: Ignore}",
			"{}", "{}", "",
		},
	})
}
