package jqpath

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/outline"
)

// Write writes a path as a jq expression, which callers verify. In an object without one of the
// lists it finds nothing, and does not fail.
func Write(path outline.Path) string {
	w := &jq.Writer{}
	for _, s := range path {
		switch s.Kind {
		case outline.Key:
			w.Key(s.Key)
		case outline.Index:
			w.Index(s.Key)
		case outline.Elements, outline.Members:
			w.Each()
		case outline.Filter:
			w.Each()
			w.Stage("select(" + writeConditions(s.Conditions) + ")")
		}
	}
	return w.String()
}

func writeConditions(conditions []outline.Condition) string {
	texts := make([]string, len(conditions))
	for i, c := range conditions {
		w := &jq.Writer{}
		for _, name := range c.Field {
			w.Key(name)
		}
		texts[i] = w.String()
		if c.Operator != "" {
			texts[i] += " " + c.Operator + " " + c.Literal(jq.String)
		}
	}
	return strings.Join(texts, " and ")
}
