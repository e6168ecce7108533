package objecthash

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestComputeIsOfTheDataAlone writes random objects in two random ways each, and changes one value
// of each.
func TestComputeIsOfTheDataAlone(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 0))
		object := map[string]any{"metadata": map[string]any{"name": "a"}, "spec": randomValue(random, 0)}
		one, other := writeRandomly(random, object), writeRandomly(random, object)
		object["spec"] = change(random, object["spec"])
		changed := writeRandomly(random, object)
		for _, algorithm := range []string{SHA256, OCM} {
			sum := Compute(parse(t, one), algorithm, annotation)
			if got := Compute(parse(t, other), algorithm, annotation); got != sum {
				t.Errorf("%s: seed %d: the hashes differ of:\n%s\nand:\n%s", algorithm, seed, one, other)
			}
			if got := Compute(parse(t, changed), algorithm, annotation); got == sum {
				t.Errorf("%s: seed %d: the hashes are the same of:\n%s\nand:\n%s", algorithm, seed, one, changed)
			}
		}
	}
}

var randomScalars = []any{
	nil, true, false, 0, -7, 644, 1 << 60, 0.5, 1e21,
	"", "1", "null", "a: b", "two words", "é", "😀", "line\nline\n", " x ", "#", "'\"\\",
}

func randomValue(random *rand.Rand, depth int) any {
	switch kind := random.IntN(4); {
	case depth < 4 && kind == 0:
		list := make([]any, random.IntN(4))
		for i := range list {
			list[i] = randomValue(random, depth+1)
		}
		return list
	case depth < 4 && kind < 3:
		m := map[string]any{}
		for range random.IntN(5) {
			m[fmt.Sprint("key", random.IntN(20))] = randomValue(random, depth+1)
		}
		return m
	}
	return randomScalars[random.IntN(len(randomScalars))]
}

// change returns v with one value in it changed.
func change(random *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return []any{}
		}
		key := slices.Sorted(maps.Keys(v))[random.IntN(len(v))]
		changed := maps.Clone(v)
		changed[key] = change(random, v[key])
		return changed
	case []any:
		if len(v) == 0 {
			return map[string]any{}
		}
		i := random.IntN(len(v))
		changed := slices.Clone(v)
		changed[i] = change(random, v[i])
		return changed
	}
	return "changed"
}

// writer writes data as YAML in a random style.
type writer struct {
	random  *rand.Rand
	anchors int
	indent  int
}

func writeRandomly(random *rand.Rand, v any) string {
	w := &writer{random: random, indent: 2 + random.IntN(3)}
	return w.block(v, 0)
}

// block returns v as it is behind `key:` or `-`, indented for its depth.
func (w *writer) block(v any, depth int) string {
	if w.random.IntN(6) == 0 && depth > 0 {
		return " " + w.flow(v) + "\n"
	}
	margin := strings.Repeat(" ", w.indent*depth)
	var b strings.Builder
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return " {}\n"
		}
		b.WriteString(w.opening(depth))
		for _, key := range w.keys(v) {
			b.WriteString(margin + w.scalar(key) + ":" + w.block(v[key], depth+1))
		}
		return b.String()
	case []any:
		if len(v) == 0 {
			return " [ ]\n"
		}
		b.WriteString(w.opening(depth))
		for _, element := range v {
			b.WriteString(margin + "-" + w.block(element, depth+1))
		}
		return b.String()
	}
	return " " + w.anchor() + w.scalar(v) + w.comment() + "\n"
}

// opening is what ends the line in front of a block.
func (w *writer) opening(depth int) string {
	if depth == 0 {
		return "# " + w.comment() + "\n"
	}
	return " " + w.anchor() + w.comment() + "\n"
}

func (w *writer) flow(v any) string {
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		for _, key := range w.keys(v) {
			parts = append(parts, w.scalar(key)+": "+w.flow(v[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, element := range v {
			parts = append(parts, w.flow(element))
		}
		return "[" + strings.Join(parts, ",  ") + "]"
	}
	return w.scalar(v)
}

func (w *writer) keys(m map[string]any) []string {
	keys := slices.Sorted(maps.Keys(m))
	w.random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

// scalar writes v on one line, quoted at random where it is a string.
func (w *writer) scalar(v any) string {
	text, isString := v.(string)
	n := tree.FromValue(v)
	switch {
	case isString && !strings.Contains(text, "\n") && w.random.IntN(2) == 0:
		n.Style = tree.SingleQuotedStyle
	case isString && (strings.Contains(text, "\n") || w.random.IntN(2) == 0):
		n.Style = tree.DoubleQuotedStyle
	}
	out, err := yaml.Marshal(tree.ToLibrary(n))
	if err != nil {
		panic(err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (w *writer) anchor() string {
	if w.random.IntN(4) > 0 {
		return ""
	}
	w.anchors++
	return fmt.Sprintf("&a%d ", w.anchors)
}

func (w *writer) comment() string {
	if w.random.IntN(3) > 0 {
		return ""
	}
	return " # comment: {of no meaning"
}
