package object

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestHead reads the head of an object, and then the whole of it.
func TestHead(t *testing.T) {
	const text = "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n  data:\n    b: c\n"
	item := Items(1, func(int) []byte { return []byte(text) })[0]
	head := item.Head()
	if name, data := tree.GetString(head, "metadata", "name"), tree.GetString(head, "data", "b"); name != "a" || data != "" {
		t.Errorf("the head has the name %q and the data %q, want a and none", name, data)
	}
	if !item.IsObject() || item.Head() != head {
		t.Error("the head must be read once")
	}
	if data := tree.GetString(item.Root(), "data", "b"); data != "c" {
		t.Errorf("the whole has the data %q, want c", data)
	}
	if err := item.Flush(); err != nil {
		t.Fatal(err)
	}
	checkText(t, item, text)
}

// TestHeadOfInvalid reads the head of an item that has a fault behind it.
func TestHeadOfInvalid(t *testing.T) {
	item := Items(1, func(int) []byte { return []byte("- apiVersion: v1\n  kind: ConfigMap\n  data: {a: b\n") })[0]
	if item.Head(); item.IsObject() || item.Err() == nil {
		t.Errorf("got the error %v, want that of the flow map, and no object", item.Err())
	}
}

// TestShareAfterHead flushes an object whose head was read, and a copy: each has its own memory.
func TestShareAfterHead(t *testing.T) {
	item := Items(1, func(int) []byte { return []byte("- apiVersion: v1\n  kind: ConfigMap\n") })[0]
	item.Head()
	if c := item.Share(); c.headMemory != nil || c.head != nil {
		t.Error("the copy has the memory of the object, want none")
	}
}
