package suggest

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// OwnedField is a field that others own in some objects of a kind.
type OwnedField struct {
	// Pointer is its JSON Pointer, or "": then Path is as the API server writes it.
	Pointer, Path string
	Owner         string
	// Refs are the objects: all of the kind where a Ref has no name.
	Refs []report.Ref
}

// ForFields returns a functionConfig that leaves the fields to their owners; nil for none.
func ForFields(name string, fields []OwnedField) *tree.Node {
	var rules []*suggestion
	for _, f := range fields {
		by := expressionOf{jsonpointer.Dialect.Name, f.Pointer}
		if path, ok := parsePath(f.Path); by.text == "" && ok {
			by = named(path.outline())
		}
		r := &suggestion{fields: map[string][]namedField{}}
		added := namedField{expression: by.text}
		for _, ref := range f.Refs {
			r.selectors = append(r.selectors, selector.Naming(ref))
			if r.objects += ref.String() + "\n"; ref.Name == "" {
				ref.Name = "all objects"
			}
			added.found = append(added.found, found{pair: &pairOfObjects{ref: ref}, difference: difference{owner: f.Owner}})
		}
		if i := slices.IndexFunc(rules, func(other *suggestion) bool { return other.objects == r.objects }); i >= 0 {
			r = rules[i]
		} else {
			rules = append(rules, r)
		}
		r.fields[by.dialect] = append(r.fields[by.dialect], added)
	}
	if rules == nil {
		return nil
	}
	return write(name, rules, false, nil)
}

// named writes a path as an expression: a JSON Pointer or, if elements are identified by their
// values, a JSONPath; a jq expression where several values identify one. A port without a protocol
// has the one that the API server sets.
func named(path hint.Path) expressionOf {
	conditions := func(s hint.Step) int { return len(s.Conditions) }
	switch most := lists.Map(path, conditions); {
	case len(path) == 0 || slices.Max(most) == 0:
		return expressionOf{jsonpointer.Dialect.Name, path.Pointer()}
	case slices.Max(most) == 1:
		return expressionOf{jsonpath.Dialect.Name, jsonpath.Write(path)}
	}
	return expressionOf{jqpath.Dialect.Name, strings.ReplaceAll(jqpath.Write(path), `.protocol == "TCP"`, `(.protocol // "TCP") == "TCP"`)}
}
