package resourcelist

import (
	"bytes"
	"iter"
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
func (j *jsonList) write(items []*object.Object, results []report.Result) (iter.Seq[[]byte], error) {
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
	for _, m := range j.members() {
		texts = append(texts, j.text[at:m.start])
		texts = append(texts, j.array(*m, elements[m.key])...)
		at = m.end
	}
	texts = append(texts, j.text[at:j.end])
	for _, m := range []jsonArray{j.items, j.results} {
		if m.end == 0 && len(elements[m.key]) > 0 {
			texts = append(texts, []byte(j.layout.newMember(m.key)))
			texts = append(texts, j.array(m, elements[m.key])...)
		}
	}
	return slices.Values(append(texts, j.text[j.end:])), nil
}

// array returns the texts of an array with other elements. The text between two unchanged elements
// is kept.
func (j *jsonList) array(a jsonArray, elements []jsonElement) [][]byte {
	switch {
	case len(elements) == 0 && len(a.elements) == 0:
		return [][]byte{a.of(j.text)}
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
			texts = append(texts, j.text[a.elements[e.from-1].end:a.elements[e.from].start])
		default:
			texts = append(texts, frame.separator)
		}
		texts = append(texts, e.text)
	}
	return append(texts, frame.closing)
}

// itemElements returns the items as elements. Unchanged ones keep their bytes.
func (j *jsonList) itemElements(items []*object.Object) ([]jsonElement, error) {
	from := make(map[*object.Object]int, len(j.objects))
	for i, o := range j.objects {
		from[o] = i
	}
	indentations, indentation := j.indentations(j.items), j.frame(j.items).indentation
	elements := make([]jsonElement, len(items))
	err := parallel.Each(len(items), func(i int) error {
		at, came := from[items[i]]
		var err error
		if !came {
			elements[i].from = -1
			elements[i].text, err = j.newText(items[i], indentation)
			return err
		}
		elements[i].from = at
		elements[i].text, err = j.itemText(items[i], indentations[at])
		return err
	})
	return elements, err
}

// newText returns the text of an item that was created.
func (j *jsonList) newText(item *object.Object, indentation string) ([]byte, error) {
	text, err := tree.MarshalJSON(item.Root())
	if err != nil {
		return nil, err
	}
	return j.layout.lines(text, indentation)
}

// itemText returns the text of an item of the input.
func (j *jsonList) itemText(item *object.Object, indentation string) ([]byte, error) {
	text, err := item.Text()
	if err != nil || item.Reformatted() == "" {
		return text, err
	}
	return j.layout.lines(text, indentation)
}

// resultElements returns the results of the input and then the new ones, several in each element.
func (j *jsonList) resultElements(results []report.Result) ([]jsonElement, error) {
	came := len(j.results.elements)
	elements := make([]jsonElement, came+(len(results)+resultsAtOnce-1)/resultsAtOnce)
	for i, e := range j.results.elements {
		elements[i] = jsonElement{from: i, text: e.of(j.text)}
	}
	frame := j.frame(j.results)
	err := parallel.Each(len(elements)-came, func(i int) error {
		some := results[i*resultsAtOnce : min((i+1)*resultsAtOnce, len(results))]
		text, err := j.joined(some, frame)
		elements[came+i] = jsonElement{from: -1, text: text}
		return err
	})
	return elements, err
}

// joined writes results as elements of an array.
func (j *jsonList) joined(results []report.Result, frame arrayFrame) ([]byte, error) {
	out := bytes.NewBuffer(make([]byte, 0, usualResult*len(results)))
	for i, result := range results {
		if i > 0 {
			out.Write(frame.separator)
		}
		text, err := tree.MarshalJSON(result.Node())
		if err != nil {
			return nil, err
		}
		if err := j.layout.write(out, text, frame.indentation); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// failureInJSON returns a list without items that has only the results.
func failureInJSON(results []report.Result) ([]byte, error) {
	j := cutJSON([]byte(`{"apiVersion":"` + apiVersions[0] + `","kind":"` + Kind + `","items":[]}` + "\n"))
	texts, err := j.write(nil, results)
	if err != nil {
		return nil, err
	}
	return joined(texts), nil
}
