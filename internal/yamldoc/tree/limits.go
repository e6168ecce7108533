package tree

import (
	"fmt"
	"math"
	"strings"

	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
)

const (
	// MaxDepth bounds the nesting of maps and lists, with aliases followed.
	MaxDepth = 1000
	// minExpansion is how many nodes any document may have with every alias expanded.
	minExpansion = 100_000
	// maxGrowth bounds the expansion of a larger document, in multiples of its own nodes.
	maxGrowth = 10
	// minNodes is how many keys, values, maps and lists any document may have, and nodeText how
	// many bytes it must have for each further one: a node takes some 200 bytes, and some 700 if
	// yaml.v3 makes it, however short its text is.
	minNodes = 400_000
	nodeText = 40
	// itemText is nodeText for a list of documents, whose nodes the reader makes, in some 70 bytes.
	itemText = 10
	// maxTagDirectives is how many %TAG directives a text may have: yaml.v3 compares each with all
	// others.
	maxTagDirectives = 1000
)

// maxNodes returns how many nodes a text may have.
func maxNodes(length int) int { return minNodes + length/nodeText }

// checkNodes returns a *SyntaxError if text, which yaml.v3 reads, may have too many nodes. Each
// node but the first follows one of a few characters, so it counts these, also within scalars.
func checkNodes(text string) error {
	limit := maxNodes(len(text))
	if len(text) <= limit {
		return nil
	}
	count, line := 0, 1
	for i := range len(text) {
		switch text[i] {
		case '\n':
			line++
			count++
		case ',', ':', '[', '{':
			count++
		case '-':
			if strings.HasPrefix(text[i:], "- - ") { // lists in lists on one line
				count++
			}
		}
		if count > limit {
			return &SyntaxError{Line: line, Reason: tooManyNodes(len(text), limit) + "; where it has rare notations, " +
				"each line break and each of the characters , : [ { counts, also in text"}
		}
	}
	return nil
}

// checkTagDirectives returns a *SyntaxError if the text has too many %TAG directives.
func checkTagDirectives(text string) error {
	const directive = "%TAG"
	text = strings.TrimPrefix(text, lines.ByteOrderMark)
	if strings.Count(text, directive) <= maxTagDirectives {
		return nil
	}
	count := 0
	for _, start := range lines.Starts([]byte(text)) {
		if !strings.HasPrefix(text[start:], directive) {
			continue
		}
		if count++; count > maxTagDirectives {
			reason := fmt.Sprintf("a document must have at most %d %s directives", maxTagDirectives, directive)
			return &SyntaxError{Line: 1 + strings.Count(text[:start], "\n"), Reason: reason}
		}
	}
	return nil
}

func tooManyNodes(length, limit int) string {
	return fmt.Sprintf("a document of %d bytes must have at most %d keys, values, maps and lists", length, limit)
}

// checkLimits returns a *SyntaxError if root has what YAML allows and no Kubernetes object can
// have, or is endless or huge with aliases expanded: a duplicate key, a key that is no scalar, a
// merge key without a map, a scalar that does not fit its tag, an alias inside its own anchor, deep
// nesting, aliases that multiply. Of keys and tags that are known to be right, onlyAliases is true.
func checkLimits(root *Node, onlyAliases bool) error {
	c := checker{
		limit:       max(minExpansion, maxGrowth*countNodes(root)),
		onlyAliases: onlyAliases,
		anchored:    map[*Node]extent{},
	}
	_, err := c.check(root, 0)
	return err
}

// countNodes counts the nodes, each with its text: a long one counts as several.
func countNodes(n *Node) int {
	count := weight(n)
	for _, child := range n.Content {
		count += countNodes(child)
	}
	return count
}

func weight(n *Node) int { return 1 + len(n.Text())/nodeText }

// Aliased returns how many nodes the aliases in a document stand for; a long text is several.
func Aliased(root *Node) int {
	c := checker{limit: math.MaxInt, onlyAliases: true, anchored: map[*Node]extent{}}
	size, _ := c.check(root, 0) // the limits hold for what was parsed
	return size.nodes - countNodes(root)
}

// extent is the size of a node with its aliases expanded.
type extent struct {
	nodes int
	depth int
}

type checker struct {
	limit int
	// onlyAliases: keys and tags are not checked.
	onlyAliases bool
	// anchored has the extents of the anchored nodes that are complete.
	anchored map[*Node]extent
}

// check checks n, which is nested in depth maps and lists, and returns its extent.
func (c *checker) check(n *Node, depth int) (extent, error) {
	size, err := c.measure(n, depth)
	if err != nil {
		return extent{}, err
	}
	if depth+size.depth > MaxDepth {
		return extent{}, fault(n, "maps and lists must be nested at most %d levels deep", MaxDepth)
	}
	if size.nodes > c.limit {
		return extent{}, fault(n, "aliases must not expand the document to more than %d nodes", c.limit)
	}
	if n.Anchor() != "" {
		c.anchored[n] = size
	}
	return size, nil
}

func (c *checker) measure(n *Node, depth int) (extent, error) {
	switch n.Kind {
	case ScalarNode:
		if c.onlyAliases {
			return extent{nodes: weight(n)}, nil
		}
		return extent{nodes: weight(n)}, checkTag(n)
	case AliasNode:
		size, ok := c.anchored[n.Alias()]
		if !ok {
			return extent{}, fault(n, "the alias *%s must not be inside the node that it refers to", n.Text())
		}
		return size, nil
	case MappingNode:
		if c.onlyAliases {
			break
		}
		if err := checkKeys(n); err != nil {
			return extent{}, err
		}
	}
	return c.measureChildren(n, depth+1)
}

func (c *checker) measureChildren(n *Node, depth int) (extent, error) {
	size := extent{nodes: 1, depth: 1}
	if depth > MaxDepth {
		return size, nil
	}
	for _, child := range n.Content {
		s, err := c.check(child, depth)
		if err != nil {
			return extent{}, err
		}
		size.nodes += s.nodes
		size.depth = max(size.depth, 1+s.depth)
	}
	return size, nil
}

func checkKeys(m *Node) error {
	lineOf := make(map[string]int, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		node := m.Content[i]
		key := Deref(node)
		if key.Kind != ScalarNode {
			return fault(node, "a key must be a scalar, found a %s%s", Type(key), hintOfKey(key))
		}
		if key.Text() == "" && Type(key) == Null {
			return fault(node, "a key must be a string, found nothing; write \"\" for the empty one")
		}
		if line, ok := lineOf[key.Text()]; ok {
			return duplicateKey(node, key.Text(), line)
		}
		lineOf[key.Text()] = node.Line()
		if IsMergeKey(node) {
			if err := checkMerge(m.Content[i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// duplicateKey says that a key is on an earlier line of its map, too.
func duplicateKey(key *Node, name string, line int) error {
	where := "on the same line"
	if lines := key.Line() - line; lines > 0 {
		where = words.Count(lines, "line") + " above"
	}
	return &SyntaxError{
		Line: key.Line(), IsDuplicateKey: true,
		Reason: fmt.Sprintf("a key must be unique in its map, found %q, which is %s already", name, where),
	}
}

func checkMerge(value *Node) error {
	sources := []*Node{value}
	if IsList(value) {
		sources = Elements(value)
	}
	for _, source := range sources {
		if !IsMap(source) {
			return fault(source, "the merge key << must have a map or a list of maps, found a %s", Type(source))
		}
	}
	return nil
}

// checkTag checks a scalar with a tag of its own. Binary data stays as it is written.
func checkTag(n *Node) error {
	if n.Style&TaggedStyle == 0 || n.Tag == BinaryTag {
		return nil
	}
	var value any
	if err := ToLibrary(n).Decode(&value); err != nil {
		return fault(n, "a scalar must match its tag, found text that is not a valid %s", n.TagName())
	}
	return nil
}

func fault(n *Node, format string, args ...any) error {
	return &SyntaxError{Line: n.Line(), Reason: fmt.Sprintf(format, args...)}
}

// hintOfKey says what a map as a key may be: an unquoted template such as {{ .Values.name }}.
func hintOfKey(key *Node) string {
	if key.Kind != MappingNode || len(key.Content) != 2 || Type(key.Content[1]) != Null {
		return ""
	}
	return "; a template {{ … }} must be in quotes"
}
