package tree

import (
	"strconv"
	"testing"
)

func TestKeyTableOfAMapThatGrows(t *testing.T) {
	var table KeyTable
	var content []*Node
	for i := range 4 * ManyKeys {
		key := strconv.Itoa(i)
		if at := table.Index(content, key); at != -1 {
			t.Fatalf("the key %s must not be there yet, is at %d", key, at)
		}
		content = append(content, NewString(key), NewInt(i))
		if at := table.Index(content, key); at != 2*i {
			t.Fatalf("the key %s must be at %d, is at %d", key, 2*i, at)
		}
	}
}

func TestMembersOf(t *testing.T) {
	n, err := Parse([]byte("base: &b {x: 1, y: 2}\nkey: &k name\nmap: {<<: *b, y: 3, *k : 4}\n"))
	if err != nil {
		t.Fatal(err)
	}
	members := MembersOf(Get(n, "map"))
	for key, want := range map[string]any{"x": 1, "y": 3, "name": 4, "z": nil, "<<": nil} {
		if got := Value(members.Get(key)); got != want {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
}
