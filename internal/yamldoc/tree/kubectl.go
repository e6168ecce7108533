package tree

// kubectlBools are the plain strings that kubectl reads as booleans: those of YAML 1.1
// (https://github.com/kubernetes-sigs/yaml).
var kubectlBools = map[string]bool{
	"y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "on": true, "On": true, "ON": true,
	"n": false, "N": false, "no": false, "No": false, "NO": false, "off": false, "Off": false, "OFF": false,
}

// KubectlBool returns the boolean that kubectl reads where n is a string, and whether it does.
func KubectlBool(n *Node) (value, ok bool) {
	const longest = len("off")
	if n.Kind != ScalarNode || n.Style != 0 || n.Tag != StringTag || len(n.text) > longest {
		return false, false
	}
	value, ok = kubectlBools[n.text]
	return value, ok
}

// KubectlValue is Value with the booleans that kubectl reads.
func KubectlValue(n *Node) any {
	c := converter{hasYes: true}
	return c.value(n)
}
