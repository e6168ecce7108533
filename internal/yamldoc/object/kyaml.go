package object

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// isKYAML tells whether the text of an object is in flow style on lines of its own, as in KYAML
// (https://kep.k8s.io/5295).
func isKYAML(text string, root *tree.Node) bool {
	if root.Kind != tree.MappingNode || root.Style&tree.FlowStyle == 0 {
		return false
	}
	behind := text[tree.ContentStart(text, root)+1:]
	return strings.HasPrefix(strings.TrimLeft(behind, " \t"), "\n")
}

// kyamlText writes a node as KYAML: its first line without indentation, the others behind pad.
func kyamlText(n *tree.Node, pad string) []byte {
	var w kyamlWriter
	w.write(tree.Copy(n), pad)
	return w.Bytes()
}

// kyamlKeyText writes the key of a member.
func kyamlKeyText(key *tree.Node) []byte {
	var w kyamlWriter
	w.key(key.Text())
	return w.Bytes()
}

type kyamlWriter struct{ bytes.Buffer }

const kyamlStep = "  "

func (w *kyamlWriter) write(n *tree.Node, pad string) {
	switch {
	case n.Kind == tree.MappingNode && len(n.Content) > 0:
		w.WriteString("{\n")
		for i := 0; i < len(n.Content); i += 2 {
			w.WriteString(pad + kyamlStep)
			w.key(n.Content[i].Text())
			w.WriteString(": ")
			w.write(n.Content[i+1], pad+kyamlStep)
			w.WriteString(",\n")
		}
		w.WriteString(pad + "}")
	case n.Kind == tree.MappingNode:
		w.WriteString("{}")
	case n.Kind == tree.SequenceNode && len(n.Content) == 0:
		w.WriteString("[]")
	case n.Kind == tree.SequenceNode:
		w.list(n, pad)
	case tree.Type(n) != tree.String:
		w.WriteString(cmp.Or(n.Text(), "null"))
	case strings.Contains(n.Text(), "\n"):
		w.lines(n.Text(), pad+kyamlStep)
	default:
		w.quoted(n.Text())
	}
}

// key writes a key, with quotes if it could be read as something else.
func (w *kyamlWriter) key(key string) {
	if string(tree.AppendString(nil, key)) == key && isPlainKey(key) {
		w.WriteString(key)
		return
	}
	w.quoted(key)
}

// isPlainKey tells whether a key begins and ends with a letter, a digit or an underscore, and has
// only these and `.`, `/` and `-`.
func isPlainKey(key string) bool {
	isSign := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) }
	isOther := func(r rune) bool { return isSign(r) && !strings.ContainsRune("./-", r) }
	return key != "" && strings.TrimFunc(key, isSign) == key && !strings.ContainsFunc(key, isOther)
}

// list writes a list of collections with their brackets beside its own, any other with an element a
// line.
func (w *kyamlWriter) list(n *tree.Node, pad string) {
	before, behind, between, inner := "", "", ", ", pad
	if slices.ContainsFunc(n.Content, func(e *tree.Node) bool { return !isCollection(e) }) {
		inner = pad + kyamlStep
		before, behind, between = "\n"+inner, ",\n"+pad, ",\n"+inner
	}
	w.WriteString("[" + before)
	for i, element := range n.Content {
		if i > 0 {
			w.WriteString(between)
		}
		w.write(element, inner)
	}
	w.WriteString(behind + "]")
}

// lines writes a string of several lines, each on a line that ends in an escaped line break. A
// blank in front of a line shows where it begins, or is escaped if the line begins with one.
func (w *kyamlWriter) lines(s, pad string) {
	w.WriteString("\"\\\n")
	for line := range strings.Lines(s) {
		w.WriteString(pad)
		if line[0] == ' ' || line[0] == '\t' {
			w.WriteByte('\\')
		} else {
			w.WriteByte(' ')
		}
		w.escaped(line)
		w.WriteString("\\\n")
	}
	w.WriteString(pad + `"`)
}

func (w *kyamlWriter) quoted(s string) {
	w.WriteByte('"')
	w.escaped(s)
	w.WriteByte('"')
}

// escaped writes a string as JSON does between quotes, but tabs as they are.
func (w *kyamlWriter) escaped(s string) {
	for i, part := range strings.Split(s, "\t") {
		if i > 0 {
			w.WriteByte('\t')
		}
		text, _ := tree.MarshalJSON(tree.NewString(part)) // no string has an error
		w.Write(text[1 : len(text)-1])
	}
}
