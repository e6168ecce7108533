package applypatches_test

import "testing"

func TestEnsure(t *testing.T) {
	testOp(t, []opCase{
		{
			"lays over the element", "{op: ensure, path: /data/l, key: n, value: {n: a, x: 1}}",
			"{l: [{n: b}, {n: a, y: 2}]}", "{l: [{n: b}, {n: a, y: 2, x: 1}]}", "",
		},
		{
			"appends", "{op: ensure, path: /data/l, key: n, value: {n: a}}",
			"{l: [{n: b}]}", "{l: [{n: b}, {n: a}]}", "",
		},
		{
			"makes the list", "{op: ensure, path: /data/l, key: n, value: {n: a}}",
			"{}", "{l: [{n: a}]}", "",
		},
		{
			"sees the element", `{op: ensure, path: /data/l, key: n, value: {n: a, x: "${current == null ? 0 : current.x + 1}"}}`,
			"{l: [{n: a, x: 1}]}", "{l: [{n: a, x: 2}]}", "",
		},
		{
			"sees no element", `{op: ensure, path: /data/l, key: n, value: {n: b, x: "${current == null ? 0 : current.x + 1}"}}`,
			"{l: [{n: a, x: 1}]}", "{l: [{n: a, x: 1}, {n: b, x: 0}]}", "",
		},
		{
			"needs a list", "{op: ensure, path: /data/a, key: n, value: {n: a}}",
			"{a: 1}", "", "path '/data/a': data.a must be a list, found a number",
		},
	})
}
