package embedded_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// places returns the locations of all that is in n, by its own members.
func places(n *tree.Node, at location.Location) []location.Location {
	var all []location.Location
	add := func(value *tree.Node, step location.Step) {
		l := at.With(step)
		all = append(append(all, l), places(value, l)...)
	}
	switch n.Kind {
	case tree.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !tree.IsMergeKey(n.Content[i]) {
				add(n.Content[i+1], location.Key(tree.Deref(n.Content[i]).Text()))
			}
		}
	case tree.SequenceNode:
		for i, value := range n.Content {
			add(value, location.Index(i))
		}
	}
	return all
}

// styles are the ways to write a string as the value of a key.
var styles = []func(text string) (string, bool){
	func(text string) (string, bool) { return blockText("|", text, 4) },
	func(text string) (string, bool) { return blockText(">", text, 3) },
	func(text string) (string, bool) { return blockText("|2", text, 4) },
	func(text string) (string, bool) {
		quoted, err := json.Marshal(text)
		return string(quoted) + " # note", err == nil
	},
	func(text string) (string, bool) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'", !strings.ContainsAny(text, "\r\n")
	},
	func(text string) (string, bool) { return base64.StdEncoding.EncodeToString([]byte(text)), text != "" },
	func(text string) (string, bool) {
		digits := base64.StdEncoding.EncodeToString([]byte(text))
		var lines []string
		for chunk := range slices.Chunk([]byte(digits), 20) {
			lines = append(lines, string(chunk))
		}
		return blockText("|-", strings.Join(lines, "\n"), 6)
	},
}

// blockText writes text as a block scalar; folded text has each line break twice.
func blockText(indicator, text string, indent int) (string, bool) {
	body := strings.TrimRight(text, "\n")
	breaks := len(text) - len(body)
	if body == "" || strings.ContainsAny(body[:1], " \t") && len(indicator) == 1 {
		return "", false
	}
	if indicator == ">" {
		body = strings.ReplaceAll(body, "\n", "\n\n")
	}
	switch {
	case strings.HasSuffix(indicator, "-"):
	case breaks == 0:
		indicator += "-"
	case breaks > 1:
		indicator += "+"
	}
	pad := strings.Repeat(" ", indent)
	var b strings.Builder
	b.WriteString(indicator)
	for line := range strings.SplitSeq(body, "\n") {
		b.WriteString("\n")
		if line != "" {
			b.WriteString(pad + line)
		}
	}
	for range breaks - 1 {
		b.WriteString("\n")
	}
	return b.String(), true
}

// texts are documents to begin with.
var texts = []string{
	"a: 1 # one\n# of b\nb:\n  - c: 0644\n    d: 'it''s'\n  - e\nf: {g: 1, h: [1, 2]}\n",
	"{\"a\": [1, 2.50, 12345678901234567890], \"b\": {\"c\": \"\\u00e9\\n\"}}",
	"{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"c\": null\n\t}\n}\n", "- a: |\n    x\n\n    y\n- b: >-\n    z\n", "a: &a {b: 1}\nc: *a\nd: {<<: *a}\n\n\n",
	"---\na: 1\n...\n---\nb: 2\n", "a: \"x\\\n  y\"\nb: ''\n", "é: ü\n\"k k\": 😀\n", "a: 1\r\nb: 2\r\n",
}

// inFile returns a file with a text as a string in a style; false where the style can't hold it.
func inFile(text string, style uint8, crlf bool) (string, bool) {
	written, ok := styles[int(style)%len(styles)](text)
	if !ok || !utf8.ValidString(text) {
		return "", false
	}
	kind := "kind: ConfigMap\n"
	if int(style)%len(styles) >= 5 {
		kind = "kind: Secret\n"
	}
	const tail = "\n  y: 1 # last\nz: |\n  end\n"
	file := "apiVersion: v1\n" + kind + "data:\n  w: [1,  2]\n  x: " + written + tail
	if crlf {
		file = strings.ReplaceAll(strings.ReplaceAll(file, "\r\n", "\n"), "\n", "\r\n")
	}
	return file, true
}

// FuzzRemove removes any place of any document in a string in any style: the document then has the
// data without the place, all else stays as it is, and a second run changes nothing.
func FuzzRemove(f *testing.F) {
	for _, text := range texts {
		for style := range styles {
			for index := range 4 {
				f.Add(text, uint8(style), uint8(index*3), style%2 == 0)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string, style, index uint8, crlf bool) {
		if file, ok := inFile(text, style, crlf); ok {
			checkEdit(t, file, int(index), func(o *object.Object, l location.Location) error {
				o.Remove([]location.Location{l})
				return nil
			})
		}
	})
}

// FuzzSet is FuzzRemove with another value for the place.
func FuzzSet(f *testing.F) {
	for i, text := range texts {
		for style := range styles {
			f.Add(text, uint8(style), uint8(i), style%2 == 0, []string{"new", "", "two\nlines\n", "a: b # c", "'"}[(i+style)%5])
		}
	}
	f.Fuzz(func(t *testing.T, text string, style, index uint8, crlf bool, value string) {
		file, ok := inFile(text, style, crlf)
		if !ok || !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\n' }) {
			return
		}
		checkEdit(t, file, int(index), func(o *object.Object, l location.Location) error { return o.Set(l, tree.NewString(value)) })
	})
}

// checkEdit makes an edit at a place in a document of the string in a file.
func checkEdit(t *testing.T, file string, index int, edit func(o *object.Object, l location.Location) error) {
	at := keys("data/x")
	o, err := object.ParseDocument([]byte(file))
	if err != nil || tree.Type(tree.Get(o.Root(), "data", "x")) != tree.String || len(tree.Get(o.Root(), "data").Content) != 6 {
		return
	}
	s, err := embedded.Open(o, at, embedded.Auto)
	if err != nil || len(s.Documents) == 0 {
		return
	}
	document := s.Documents[index%len(s.Documents)]
	all := places(document.Root(), nil)
	if len(all) == 0 {
		return
	}
	place := all[index%len(all)]
	var want []*tree.Node
	for _, d := range s.Documents {
		if d == document {
			data := object.NewDocument(tree.Copy(d.Root()))
			if err := edit(data, place); err != nil {
				t.Fatal(err)
			}
			want = append(want, data.Root())
			continue
		}
		want = append(want, tree.Copy(d.Root()))
	}
	if err := edit(document.Object, place); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(at); err != nil {
		t.Fatal(err)
	}
	out, err := o.Text()
	if err != nil {
		t.Fatal(err)
	}
	checkAround(t, file, string(out))
	checkData(t, string(out), at, want)
}

// checkAround checks that what is around the string is there byte for byte.
func checkAround(t *testing.T, before, after string) {
	head := before[:strings.Index(before, "\n  x: ")+len("\n  x: ")]
	tail := before[strings.LastIndex(before, "  y: 1 # last"):]
	if !strings.HasPrefix(after, head) || !strings.HasSuffix(after, tail) {
		t.Fatalf("the lines around the string must stay:\n%s\nnow\n%s", before, after)
	}
	if strings.Contains(before, " # note") && !strings.Contains(after, " # note") {
		t.Fatalf("the comment must stay:\n%s\nnow\n%s", before, after)
	}
}

// checkData checks the data of the documents in a file, and that a second edit of nothing changes
// nothing.
func checkData(t *testing.T, file string, at location.Location, want []*tree.Node) {
	o, err := object.ParseDocument([]byte(file))
	if err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	s, err := embedded.Open(o, at, embedded.Auto)
	if err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	if len(s.Documents) != len(want) {
		t.Fatalf("there must be %d documents, found %d in\n%s", len(want), len(s.Documents), file)
	}
	for i, d := range s.Documents {
		if !tree.Equal(d.Root(), want[i]) {
			t.Fatalf("document %d must be\n%s\nfound\n%s\nin\n%s", i, show(want[i]), show(d.Root()), file)
		}
	}
	if err := s.Write(at); err != nil {
		t.Fatal(err)
	}
	if out, err := o.Text(); err != nil || string(out) != file {
		t.Fatalf("nothing must change: %v\n%s\nnow\n%s", err, file, out)
	}
}

func show(n *tree.Node) string { return fmt.Sprint(tree.Value(n)) }
