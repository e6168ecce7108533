package fn_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// generator makes a list of objects and rules for it. A script of bytes makes all its choices, the
// first one of each kind where it has come to its end.
type generator struct {
	script []byte
	text   strings.Builder
	// item is the index of the item that is written, anchors how many it has.
	item, anchors int
}

// choose returns a number from 0 to n-1.
func (g *generator) choose(n int) int {
	if len(g.script) == 0 {
		return 0
	}
	b := g.script[0]
	g.script = g.script[1:]
	return int(b) % n
}

func (g *generator) pick(words ...string) string { return words[g.choose(len(words))] }

// items returns objects as the items of a block list.
func (g *generator) items() string {
	g.text.Reset()
	for i := range 1 + g.choose(3) {
		g.item, g.anchors = i, 0
		fmt.Fprintf(&g.text, "%s- apiVersion: v1%s\n", g.pick("", "# before\n", "\n"), g.comment())
		fmt.Fprintf(&g.text, "  kind: %s\n", g.pick("A", "A", "Secret"))
		fmt.Fprintf(&g.text, "  metadata:%s\n    name: item-%d\n", g.comment(), i)
		for _, field := range []string{"annotations", "labels"} {
			if g.choose(3) > 0 {
				fmt.Fprintf(&g.text, "    %s:", field)
				g.flat(6)
			}
		}
		for _, field := range []string{"spec", "data"} {
			if g.choose(4) > 0 {
				fmt.Fprintf(&g.text, "  %s:", field)
				g.value(4, 3)
			}
		}
		g.text.WriteString(g.pick("", "", "\n", "  # the end\n"))
	}
	return g.text.String()
}

func (g *generator) comment() string { return g.pick("", "", "", " # comment", "  #") }

// flat writes a map of strings behind its key.
func (g *generator) flat(indent int) {
	g.text.WriteString(g.comment() + "\n")
	for i := range 1 + g.choose(3) {
		g.line(indent, g.key(i)+": "+g.pick(`"true"`, "text", "'1'", `"a\tb"`)+g.comment())
	}
}

func (g *generator) line(indent int, text string) {
	g.text.WriteString(strings.Repeat(" ", indent) + text + "\n")
}

// key returns the i-th key of a map, so that none is there twice.
func (g *generator) key(i int) string {
	return []string{"a", "b/c", "d.e", `"0"`, "~f", "é", "g h", "1"}[i*2+g.choose(2)]
}

// value writes a value behind its key or dash, with lines at the indentation.
func (g *generator) value(indent, depth int) {
	anchor := ""
	kind := g.choose(8)
	if depth == 0 {
		kind = 2 + g.choose(2)
	}
	if kind < 7 && g.choose(8) == 7 {
		anchor = fmt.Sprintf(" &i%da%d", g.item, g.anchors)
		defer func() { g.anchors++ }()
	}
	switch kind {
	case 0, 1:
		g.text.WriteString(anchor + g.comment() + "\n")
		g.members(indent, depth-1)
	case 2, 3:
		g.text.WriteString(anchor + " " + g.scalar(indent) + "\n")
	case 4, 5:
		g.text.WriteString(anchor + g.comment() + "\n")
		for range 1 + g.choose(3) {
			if g.choose(6) == 5 {
				g.line(indent, "# about an element")
			}
			g.text.WriteString(strings.Repeat(" ", indent) + "-")
			g.value(indent+2, depth-1)
		}
	case 6:
		g.text.WriteString(anchor + " " + g.flow(depth-1) + g.comment() + "\n")
	case 7:
		if g.anchors == 0 {
			g.text.WriteString(" null\n")
			return
		}
		fmt.Fprintf(&g.text, " *i%da%d%s\n", g.item, g.choose(g.anchors), g.comment())
	}
}

func (g *generator) members(indent, depth int) {
	for i := range 1 + g.choose(3) {
		if g.choose(6) == 5 {
			g.line(indent, "# about a member")
		}
		g.text.WriteString(strings.Repeat(" ", indent) + g.key(i) + ":")
		g.value(indent+2, depth)
	}
}

func (g *generator) scalar(indent int) string {
	switch g.choose(4) {
	case 0:
		return g.pick("text", "1", "true", "0644", "1e3", "9007199254740993", "2001-01-01", "~") + g.comment()
	case 1:
		return g.pick(`"yes"`, `"a # b"`, "'it''s'", `"é\u0041\n"`, `""`) + g.comment()
	case 2:
		in := strings.Repeat(" ", indent)
		return g.pick("|", "|-", "|+", ">", ">-") + "\n" + in + "first line\n" + in + g.pick("second: line", "# no comment", "- x")
	}
	return "\"over\n" + strings.Repeat(" ", indent+1) + "two lines\"" + g.comment()
}

func (g *generator) flow(depth int) string {
	if depth <= 0 {
		return g.pick("1", "a", `"x"`, "null", "[]", "{}")
	}
	if g.choose(2) == 0 {
		return "[" + g.flow(depth-1) + ", " + g.flow(depth-1) + "]"
	}
	return "{a: " + g.flow(depth-1) + `, "b/c": ` + g.flow(depth-1) + "}"
}

// location returns a place below spec, data, annotations or labels of an object, or false if it
// comes to none that is there and not null.
func (g *generator) location(object any) (location.Location, bool) {
	start := [][]string{{"spec"}, {"data"}, {"metadata", "annotations"}, {"metadata", "labels"}}[g.choose(4)]
	var l location.Location
	for _, key := range start {
		members, _ := object.(map[string]any)
		object, l = members[key], append(l, location.Key(key))
	}
	for object != nil && g.choose(4) > 0 {
		next, step, ok := g.step(object)
		if !ok || next == nil {
			break
		}
		object, l = next, append(l, step)
	}
	return l, object != nil
}

func (g *generator) step(object any) (next any, step location.Step, ok bool) {
	switch object := object.(type) {
	case map[string]any:
		keys := sortedKeys(object)
		if len(keys) == 0 {
			return nil, step, false
		}
		key := keys[g.choose(len(keys))]
		return object[key], location.Key(key), true
	case []any:
		if len(object) == 0 {
			return nil, step, false
		}
		i := g.choose(len(object))
		return object[i], location.Index(i), true
	}
	return nil, step, false
}

// asJSONPath writes a location as a JSONPath.
func asJSONPath(l location.Location) string {
	path := ""
	for _, step := range l {
		if step.IsIndex {
			path += fmt.Sprintf("[%d]", step.Index)
			continue
		}
		path += "['" + step.Key + "']"
	}
	return path
}

// asJQ writes a location as a jq path expression.
func asJQ(l location.Location) string {
	path := "."
	for _, step := range l {
		if step.IsIndex {
			path += fmt.Sprintf("[%d]", step.Index)
			continue
		}
		path += "[" + asJSON(step.Key) + "]"
	}
	return path
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// wildRule returns a rule with expressions that find much or little, and options of the
// functionConfig.
func (g *generator) wildRule() (rule, options string) {
	pointers := []string{"/spec/*", "/spec/*/a", "/data", "/spec/a", "/metadata/annotations/b~1c", "/metadata/labels", "/spec/*/*", "/data/a/0"}
	paths := []string{"..a", ".spec.*", ".spec[*].a", ".data..['b/c']", ".spec[?(@.a==1)]", ".metadata.annotations.d.e", ".spec[-1]", ".spec[0:2]"}
	filters := []string{
		".spec[]?", ".spec?|..|.a?", `.data|to_entries?|map(select(.key=="a"))|from_entries`, ".metadata.annotations[]?",
		".spec[]?|select(type==\"string\")", ".data.a[]?", "..|objects|.[\"b/c\"]", ".spec|first(.[]?)",
	}
	var lists []string
	for _, dialect := range []struct {
		name string
		all  []string
	}{{"jsonPointers", pointers}, {"jsonPaths", paths}, {"jqPathExpressions", filters}} {
		if g.choose(2) == 1 || len(lists) == 0 && dialect.name == "jqPathExpressions" {
			lists = append(lists, asJSON(dialect.name)+": "+asJSON([]string{g.pick(dialect.all...), g.pick(dialect.all...)}))
		}
	}
	condition := g.pick("OnSpokePresent", "OnSpokePresent", "OnSpokeChange")
	rule = fmt.Sprintf("{condition: %s, %s}", condition, strings.Join(lists, ", "))
	options = fmt.Sprintf("  pruneEmptied: %s\n  objectHash: {emit: %s, algorithm: %s}\n  action: %s\n  annotate: {comments: %s}\n",
		g.pick("Metadata", "Always", "Never"), g.pick("true", "false"), g.pick("SHA256", "OCM"),
		g.pick("Strip", "Strip", "Annotate"), g.pick("false", "true"))
	return rule, options
}
