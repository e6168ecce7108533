package resourcelist

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// write writes the list with the bytes of all unchanged parts.
func (j *jsonList) write(items []*object.Object, results []report.Result) ([][]byte, error) {
	itemTexts, err := j.itemTexts(items)
	if err != nil {
		return nil, err
	}
	resultTexts, err := j.resultTexts(results)
	if err != nil {
		return nil, err
	}
	elements := map[string][][]byte{j.items.key: itemTexts, j.results.key: resultTexts}
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
			member := "," + j.line(1) + `"` + a.key + `":`
			if j.hasLines {
				member += " "
			}
			texts = append(texts, []byte(member))
			texts = append(texts, j.array(a, elements[a.key])...)
		}
	}
	return append(texts, j.text[end:]), nil
}

// array returns the texts of an array with other elements, with the text around and between those
// that it has.
func (j *jsonList) array(a jsonArray, elements [][]byte) [][]byte {
	there := a.elements()
	switch {
	case len(elements) == 0 && len(there) == 0:
		return [][]byte{j.of(a.Node)}
	case len(elements) == 0:
		return [][]byte{[]byte("[]")}
	}
	opening, closing := j.opening(a), []byte(j.line(1)+"]")
	separator := append([]byte{','}, opening[1:]...)
	if n := len(there); n > 0 {
		closing = j.text[there[n-1].End():a.End()]
	}
	texts := append(make([][]byte, 0, 1+2*len(elements)), opening, elements[0])
	for i := 1; i < len(elements); i++ {
		if len(elements) == len(there) { // each in its place
			separator = j.text[there[i-1].End():there[i].Start()]
		}
		texts = append(texts, separator, elements[i])
	}
	return append(texts, closing)
}

// opening returns the text of an array before its first element.
func (j *jsonList) opening(a jsonArray) []byte {
	if there := a.elements(); len(there) > 0 {
		return j.text[a.Start():there[0].Start()]
	}
	return []byte("[" + j.line(2))
}

// itemTexts returns the texts of the items. Unchanged ones keep their bytes.
func (j *jsonList) itemTexts(items []*object.Object) ([][]byte, error) {
	came := make(map[*object.Object]bool, len(j.objects))
	for _, o := range j.objects {
		came[o] = true
	}
	texts := make([][]byte, len(items))
	err := parallel.Each(len(items), func(i int) (err error) {
		if came[items[i]] {
			if texts[i], err = items[i].Text(); err != nil || items[i].Reformatted() == nil {
				return err
			}
		}
		texts[i], err = j.newText(j.items, items[i].Root())
		return err
	})
	return texts, err
}

// resultTexts returns the texts of the results of the input and then of the new ones.
func (j *jsonList) resultTexts(results []report.Result) ([][]byte, error) {
	var texts [][]byte
	for _, e := range j.results.elements() {
		texts = append(texts, j.of(e))
	}
	for _, result := range results {
		text, err := j.newText(j.results, result.Node())
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

const unit = "  " // indents each level of new text

// line begins a line of a depth, if the text has lines.
func (j *jsonList) line(depth int) string {
	if !j.hasLines {
		return ""
	}
	return string(lines.BrokenLike(j.text, []byte("\n"+strings.Repeat(unit, depth))))
}

// newText writes a new element of an array, in several lines if the text has lines.
func (j *jsonList) newText(a jsonArray, n *tree.Node) ([]byte, error) {
	const longest = 64
	text, err := tree.MarshalJSON(n)
	if err != nil || !j.hasLines {
		return text, err
	}
	indentation := ""
	opening := j.opening(a)
	if i := bytes.LastIndexByte(opening, '\n') + 1; i > 0 && len(opening)-i <= longest {
		indentation = string(opening[i:])
	}
	var out bytes.Buffer
	err = json.Indent(&out, text, indentation, unit)
	return lines.BrokenLike(j.text, out.Bytes()), err
}

// failureInJSON returns a list without items that has only the results.
func failureInJSON(results []report.Result) ([]byte, error) {
	text := []byte(`{"apiVersion":"` + apiVersions[0] + `","kind":"` + Kind + `","items":[]}` + "\n")
	root, _ := tree.ParseJSON(text)
	texts, err := newJSONList(text, root).write(nil, results)
	return bytes.Join(texts, nil), err
}
