package resourcelist

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// jsonElement is an element of an array that is written.
type jsonElement struct {
	// from is the index of the element in the input; -1 for a new one.
	from int
	text []byte
}

// write writes the list with the bytes of all unchanged parts.
func (j *jsonList) write(items []*object.Object, results []report.Result) ([][]byte, error) {
	itemElements, err := j.itemElements(items)
	if err != nil {
		return nil, err
	}
	resultElements, err := j.resultElements(results)
	if err != nil {
		return nil, err
	}
	elements := map[string][]jsonElement{j.items.key: itemElements, j.results.key: resultElements}
	var texts [][]byte
	at := 0
	for _, a := range j.arrays() {
		texts = append(texts, j.text[at:a.Start()])
		texts = append(texts, j.array(a, elements[a.key])...)
		at = a.End()
	}
	end := j.root.Content[len(j.root.Content)-1].End()
	texts = append(texts, j.text[at:end])
	for _, a := range []jsonArray{j.items, j.results} {
		if a.Node == nil && len(elements[a.key]) > 0 {
			member := "," + j.indent(j.unit) + `"` + a.key + `":`
			if j.lineBreak != "" {
				member += " "
			}
			texts = append(texts, []byte(member))
			texts = append(texts, j.array(a, elements[a.key])...)
		}
	}
	return append(texts, j.text[end:]), nil
}

// array returns the texts of an array with other elements. The text between two unchanged elements
// is kept.
func (j *jsonList) array(a jsonArray, elements []jsonElement) [][]byte {
	switch {
	case len(elements) == 0 && len(a.elements()) == 0:
		return [][]byte{j.of(a.Node)}
	case len(elements) == 0:
		return [][]byte{[]byte("[]")}
	}
	frame := j.frame(a)
	texts := make([][]byte, 0, 1+2*len(elements))
	for i, e := range elements {
		switch {
		case i == 0:
			texts = append(texts, frame.opening)
		case e.from > 0 && elements[i-1].from == e.from-1:
			texts = append(texts, j.text[a.Content[e.from-1].End():a.Content[e.from].Start()])
		default:
			texts = append(texts, frame.separator)
		}
		texts = append(texts, e.text)
	}
	return append(texts, frame.closing)
}

// arrayFrame is the text before, between and behind the elements of an array.
type arrayFrame struct {
	opening, separator, closing []byte
	indentation                 string // that of new elements
}

// frame returns the frame of an array. If it has elements, it is theirs, and the text before the
// last of them also comes before a new one.
func (j *jsonList) frame(a jsonArray) arrayFrame {
	n := len(a.elements())
	if n == 0 {
		deeper := j.unit + j.unit
		line := j.indent(deeper)
		return arrayFrame{
			opening: []byte("[" + line), separator: []byte("," + line), closing: []byte(j.indent(j.unit) + "]"), indentation: deeper,
		}
	}
	last := a.Content[n-1]
	before := j.text[a.Start()+1 : last.Start()]
	if n > 1 {
		before = j.text[a.Content[n-2].End():last.Start()]
		before = before[bytes.IndexByte(before, ',')+1:]
	}
	return arrayFrame{
		opening: j.text[a.Start():a.Content[0].Start()], separator: slices.Concat([]byte{','}, before),
		closing: j.text[last.End():a.End()], indentation: j.indentationAt(last.Start()),
	}
}

// itemElements returns the items as elements. Unchanged ones keep their bytes.
func (j *jsonList) itemElements(items []*object.Object) ([]jsonElement, error) {
	from := make(map[*object.Object]int, len(j.objects))
	for i, o := range j.objects {
		from[o] = i
	}
	indentation := j.frame(j.items).indentation
	elements := make([]jsonElement, len(items))
	err := parallel.Each(len(items), func(i int) error {
		at, came := from[items[i]]
		if came {
			text, err := items[i].Text()
			elements[i] = jsonElement{from: at, text: text}
			if err != nil || items[i].Reformatted() == "" {
				return err
			}
		} else {
			at = -1
		}
		text, err := tree.MarshalJSON(items[i].Root())
		elements[i] = jsonElement{from: at, text: j.indented(text, indentation)}
		return err
	})
	return elements, err
}

// resultElements returns the results of the input and then the new ones.
func (j *jsonList) resultElements(results []report.Result) ([]jsonElement, error) {
	var elements []jsonElement
	for i, e := range j.results.elements() {
		elements = append(elements, jsonElement{from: i, text: j.of(e)})
	}
	indentation := j.frame(j.results).indentation
	for _, result := range results {
		text, err := tree.MarshalJSON(result.Node())
		if err != nil {
			return nil, err
		}
		elements = append(elements, jsonElement{from: -1, text: j.indented(text, indentation)})
	}
	return elements, nil
}

// setLayout finds out how new text is laid out: like the text.
func (j *jsonList) setLayout() {
	const longest = 8
	first := j.root.Content[0].Start()
	switch i := bytes.IndexByte(bytes.TrimSpace(j.text), '\n'); {
	case i < 0:
		return
	case i > 0 && bytes.Contains(j.text[:i+1], []byte("\r\n")):
		j.lineBreak = "\r\n"
	default:
		j.lineBreak = "\n"
	}
	j.unit = j.indentationAt(first)
	if bytes.IndexByte(j.text[:first], '\n') < 0 || j.unit == "" || len(j.unit) > longest {
		j.unit = "  "
	}
}

// indentationAt returns the blanks at the beginning of the line of an offset, if they are not many:
// each new line gets them.
func (j *jsonList) indentationAt(offset int) string {
	const longest = 64
	line := j.text[bytes.LastIndexByte(j.text[:offset], '\n')+1:]
	line = line[:min(len(line), longest)]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// indent begins a line with an indentation, if the text has lines.
func (j *jsonList) indent(indentation string) string {
	if j.lineBreak == "" {
		return ""
	}
	return j.lineBreak + indentation
}

// indented returns JSON that is on one line in several lines, all but the first of them with an
// indentation, if the text has lines.
func (j *jsonList) indented(text []byte, indentation string) []byte {
	if j.lineBreak == "" {
		return text
	}
	var out bytes.Buffer
	_ = json.Indent(&out, text, indentation, j.unit) // the text is valid
	return bytes.ReplaceAll(out.Bytes(), []byte{'\n'}, []byte(j.lineBreak))
}

// failureInJSON returns a list without items that has only the results.
func failureInJSON(results []report.Result) ([]byte, error) {
	text := []byte(`{"apiVersion":"` + apiVersions[0] + `","kind":"` + Kind + `","items":[]}` + "\n")
	root, _ := tree.ParseJSON(text)
	texts, err := newJSONList(text, root).write(nil, results)
	return bytes.Join(texts, nil), err
}
