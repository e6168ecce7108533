package convert

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// listsOfRules are the keys under which sources have their rules.
var listsOfRules = []string{"ignoreDifferences", "ignoreFields", "rebaseRules", "comparePatches", "driftExclusions"}

// Misspelt says which key of some objects may mean a list of rules; "" for none.
func Misspelt(objects []*object.Object) string {
	for _, o := range objects {
		if key, meant := misspeltIn(o.Root()); key != "" {
			return fmt.Sprintf("; did you mean %s, in place of %s?", meant, key)
		}
	}
	return ""
}

// misspeltIn does not follow aliases, which may lead back.
func misspeltIn(n *tree.Node) (key, meant string) {
	for i, child := range n.Content {
		if n.Kind == tree.MappingNode && i%2 == 0 {
			if meant, ok := words.Nearest(child.Text(), listsOfRules); ok && meant != child.Text() {
				return child.Text(), meant
			}
			continue
		}
		if key, meant := misspeltIn(child); key != "" {
			return key, meant
		}
	}
	return "", ""
}
