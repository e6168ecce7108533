//go:build !nopatches

package engine

import (
	"github.com/krm-fields/krm-fields/internal/author/convert"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func init() {
	operations["convert"] = answering(convertRules)
	operations["formats"] = answering(formats)
}

// formatsAnswer is what convert takes.
type formatsAnswer struct {
	From []format `json:"from"`
	To   []format `json:"to"`
}

// format is one of them, with its name for a person.
type format struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Holds names the objects that have rules in this format.
	Holds string `json:"holds,omitempty"`
}

func formats(struct{}) (a formatsAnswer, err error) {
	for _, source := range convert.Sources {
		a.From = append(a.From, format{source.Name, source.Title, source.Holds})
	}
	for _, target := range convert.Targets {
		a.To = append(a.To, format{Name: target.Name, Title: target.Title})
	}
	return a, nil
}

// convertRequest asks for rules in the form of another program.
type convertRequest struct {
	Text string `json:"text"`
	From string `json:"from"`
	To   string `json:"to"`
}

// convertAnswer is the rules in the other form; "" where none can be converted.
type convertAnswer struct {
	Text string `json:"text"`
	// Notes are what is left out or changes its meaning, and the faults of the input.
	Notes  []Result `json:"notes"`
	Errors []*Fault `json:"errors"`
}

func convertRules(q convertRequest) (convertAnswer, error) {
	a := convertAnswer{Notes: []Result{}, Errors: []*Fault{}}
	if err := convert.Check(q.From, q.To); err != nil {
		return a, err
	}
	t, fault := readWith(inText, q.Text, func(root *tree.Node) bool { return convert.IsRules(q.From, root) })
	if fault != nil {
		a.Errors = append(a.Errors, fault)
		return a, nil
	}
	out, err := convert.Convert(q.From, q.To, t.objects, convert.Options{})
	if err != nil {
		a.Errors = append(a.Errors, t.fault(t.lineRange(1), err.Error()))
		return a, nil
	}
	a.Notes = resultsOf(out.Results, t.objects)
	a.Text, err = textOf(out.Documents)
	return a, err
}
