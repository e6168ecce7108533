package manifests

import (
	"fmt"
	"strings"
	"testing"
)

// TestLongList parses a List whose items have more nodes than one document may have.
func TestLongList(t *testing.T) {
	const items, keys = 15, 20_000
	var item strings.Builder
	item.WriteString("- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n  data:\n")
	for i := range keys {
		fmt.Fprintf(&item, "    k%d: v\n", i)
	}
	for _, list := range []string{
		"apiVersion: v1\nitems:\n%skind: List\nmetadata:\n  resourceVersion: \"\"\n",
		"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n%s",
	} {
		file, err := Parse("list.yaml", fmt.Appendf(nil, list, strings.Repeat(item.String(), items)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(Objects([]*File{file})); got != items {
			t.Errorf("want %d objects, found %d", items, got)
		}
	}
}
