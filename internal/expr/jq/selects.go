package jq

import "github.com/itchyny/gojq"

// Selects returns the text of each select(…) that is all there is between two pipes of the
// expression.
func (p *Path) Selects() []string { return p.selects() }

func selectsIn(expression string) []string {
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil
	}
	var texts []string
	for _, stage := range appendStages(nil, query) {
		if argument(stage, "select") != nil {
			texts = append(texts, stage.String())
		}
	}
	return texts
}
