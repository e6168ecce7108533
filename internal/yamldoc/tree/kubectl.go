package tree

import "strings"

// booleans of YAML 1.1 which are strings in YAML 1.2.
const (
	yes = " y Y yes Yes YES on On ON "
	no  = " n N no No NO off Off OFF "
)

// KubectlBool returns the boolean that kubectl reads where n is a string, and whether it does: a
// plain yes, no, on, off, y or n (https://github.com/kubernetes-sigs/yaml).
func KubectlBool(n *Node) (value, ok bool) {
	if n == nil || n.Kind != ScalarNode || n.Style != 0 || n.Tag != StringTag || len(n.text) > len("Yes") {
		return false, false
	}
	value = strings.Contains(yes, " "+n.text+" ")
	return value, value || strings.Contains(no, " "+n.text+" ")
}

// KubectlValue is Value with the booleans that kubectl reads.
func KubectlValue(n *Node) any {
	c := converter{hasYes: true}
	return c.value(n)
}
