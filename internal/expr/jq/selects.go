package jq

import "github.com/itchyny/gojq"

// Selects returns the text of each select(…) that is all there is between two pipes of the
// expression.
func (p *Path) Selects() []string { return p.selects }

func selectsIn(query *gojq.Query) []string {
	var texts []string
	for _, stage := range appendStages(nil, query) {
		if argument(stage, "select") != nil {
			texts = append(texts, stage.String())
		}
	}
	return texts
}
