package engine

import (
	"github.com/krm-fields/krm-fields/internal/author/convert"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

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
	out, err := convert.Convert(q.From, q.To, t.objects)
	if err != nil {
		a.Errors = append(a.Errors, t.fault(t.lineRange(1), err.Error()))
		return a, nil
	}
	a.Notes = resultsOf(out.Results, t.objects)
	a.Text, err = textOf(out.Documents)
	return a, err
}
