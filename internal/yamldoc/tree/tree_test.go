package tree

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestType(t *testing.T) {
	tests := map[string]string{
		"{}": Map, "[]": List, "a": String, "'1'": String, "2024-01-02": String, ".inf": String, "1": Number,
		"1.5":                  Number,
		"18446744073709551616": Number, "true": Boolean, "~": Null, "": Null,
	}
	for text, want := range tests {
		n := mustParse(t, text)
		if got := Type(n); got != want {
			t.Errorf("Type(%q) = %s, want %s", text, got, want)
		}
		if n == nil {
			continue
		}
		alias := &Node{Kind: AliasNode}
		alias.setAlias(n)
		if got := Type(alias); got != want {
			t.Errorf("Type of an alias of %q = %s, want %s", text, got, want)
		}
	}
}

func TestGet(t *testing.T) {
	n := mustParse(t, "a: {b: [c], d: 1, e: &x {f: g}}\nh: *x\ni: {<<: *x, f: j}\n")
	tests := []struct {
		keys []string
		want string
	}{
		{[]string{"a", "d"}, "1"}, {[]string{"h", "f"}, "g"}, {[]string{"i", "f"}, "j"},
		{[]string{"a", "e", "f"}, "g"},
		{[]string{"a", "b"}, ""}, {[]string{"a", "x"}, ""}, {[]string{"a", "d", "x"}, ""},
		{[]string{"i", "<<"}, ""}, {nil, ""},
	}
	for _, test := range tests {
		if got := GetString(n, test.keys...); got != test.want {
			t.Errorf("GetString(%q) = %q, want %q", test.keys, got, test.want)
		}
	}
	if got := Elements(Get(n, "a", "b")); len(got) != 1 || got[0].Text() != "c" {
		t.Errorf("Elements of a list = %v", got)
	}
	if Elements(n) != nil || Lookup(nil, "a") != nil || IsMap(nil) || IsList(nil) || Deref(nil) != nil {
		t.Error("what is no list has no elements, nil has nothing")
	}
}

func TestEntries(t *testing.T) {
	n := mustParse(t, "a: &x {b: 1, c: 2}\nd: &y {c: 3, e: 4}\nf:\n  g: 5\n  <<: [*x, *y]\n  b: 6\n")
	var got []string
	for key, value := range Entries(Lookup(n, "f")) {
		got = append(got, key+value.Text())
	}
	if diff := cmp.Diff([]string{"g5", "b6", "c2", "e4"}, got); diff != "" {
		t.Errorf("own members first, then merged ones (-want +got):\n%s", diff)
	}
	for _, key := range []string{"a", "f"} {
		for range Entries(Lookup(n, key)) {
			break
		}
	}
	for key := range Entries(mustParse(t, "[a]")) {
		t.Errorf("a list has no entries, got %q", key)
	}
}
