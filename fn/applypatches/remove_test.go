package applypatches_test

import "testing"

func TestRemove(t *testing.T) {
	testOp(t, []opCase{
		{
			"removes several elements at once", `{op: remove, path: "/data/l[?(@.a==1)]"}`,
			"{l: [{a: 1}, {a: 2}, {a: 1}]}", "{l: [{a: 2}]}", "",
		},
		{
			"takes nothing for removed", "{op: remove, path: /data/a/b}",
			"{}", "{}", "",
		},
		{
			"needs an element that a filter selects", `{op: remove, path: "/data/l[?(@.a==1)]"}`,
			"{l: []}", "", `path '/data/l[?(@.a==1)]': [?(@.a==1)] must select an element of data.l, which is empty; "onMissing: Ignore" skips the operation`,
		},
	})
}
