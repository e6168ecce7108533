package applypatches_test

import "testing"

func TestMergeShallow(t *testing.T) {
	testOp(t, []opCase{
		{
			"sets members", "{op: mergeShallow, path: /data, value: {a: {x: 1}}}",
			"{a: {y: 2}, b: 3}", "{a: {x: 1}, b: 3}", "",
		},
		{
			"makes the map", "{op: mergeShallow, path: /data/m, value: {a: 1}}",
			"{}", "{m: {a: 1}}", "",
		},
		{
			"needs a map", "{op: mergeShallow, path: /data/a, value: {a: 1}}",
			"{a: 1}", "", "path '/data/a': data.a must be a map, found a number",
		},
		{
			"needs a map that an expression makes", `{op: mergeShallow, path: /data/a, value: "${current}"}`,
			"{}", "", "path '/data/a': the value must be a map, found null",
		},
		{
			"sees the map", `{op: mergeShallow, path: /data/m, value: {b: "${current.a}"}}`,
			"{m: {a: 1}}", "{m: {a: 1, b: 1}}", "",
		},
	})
}
