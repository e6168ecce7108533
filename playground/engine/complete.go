package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/configschema"
)

// completeRequest asks what may be at a place in the functionConfig.
type completeRequest struct {
	Config string `json:"config"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// completeAnswer is what may be there, in place of the text from a column on.
type completeAnswer struct {
	From  int    `json:"from"`
	Items []Item `json:"items"`
}

// Item is a field, or a value of one.
type Item struct {
	Label  string `json:"label"`
	Detail string `json:"detail,omitempty"`
	Insert string `json:"insert"`
}

func complete(q completeRequest) (completeAnswer, error) {
	c := cursorIn(q.Config, q.Line, q.Column)
	a := completeAnswer{From: q.Column - utf16Length([]byte(c.typed)), Items: []Item{}}
	kind := c.kind
	if isMissing(kind) {
		return a, &missingError{kind}
	}
	if !slices.Contains(configschema.Kinds(), kind) {
		kind = configschema.Kinds()[0]
		if len(c.path) > 0 || c.isValue && c.key != "kind" && c.key != "apiVersion" {
			return a, nil // what may be there depends on the kind
		}
	}
	place := configschema.Of(kind)
	for _, step := range c.path {
		if place = within(place, step); place == nil {
			return a, nil
		}
	}
	switch {
	case c.isValue && len(c.path) == 0 && c.key == "kind":
		a.Items = kinds()
	case c.isValue:
		a.Items = append(a.Items, values(within(place, c.key))...)
	case isList(place):
		a.Items = elements(place.Items, c)
	default:
		if opened := within(place, c.opened); opened != nil && isList(opened) {
			a.Items = append(a.Items, elements(opened.Items, cursor{indent: c.indent})...)
		}
		a.Items = append(append(a.Items, fields(place, c)...), values(place)...)
	}
	return a, nil
}

// kinds are the kinds of functionConfig.
func kinds() []Item {
	var items []Item
	for _, kind := range fn.Kinds() {
		items = append(items, Item{Label: kind.Name, Detail: kind.Doc, Insert: kind.Name})
	}
	if isMissing(patchesKind) {
		items = append(items, Item{Label: patchesKind, Insert: patchesKind})
	}
	return items
}

// element is the step from a list to its elements.
const element = "[]"

// within is the schema of a member of a map, or of the elements of a list; nil if there is none.
func within(s *configschema.Schema, step string) *configschema.Schema {
	for _, s := range alternatives(s) {
		if step == element && s.Items != nil {
			return s.Items
		}
		if member := s.Properties[step]; member != nil {
			return member
		}
		if members, ok := s.AdditionalProperties.(*configschema.Schema); ok && step != element {
			return members
		}
	}
	return nil
}

// alternatives are the schema and those that it offers.
func alternatives(s *configschema.Schema) []*configschema.Schema {
	if s == nil {
		return nil
	}
	return append([]*configschema.Schema{s}, s.AnyOf...)
}

func isList(s *configschema.Schema) bool { return s.Items != nil }

// fields are those of a map that are not there yet, the required ones first.
func fields(s *configschema.Schema, c cursor) []Item {
	var items []Item
	for _, s := range alternatives(s) {
		if s.Description == "" && len(s.Type) == 0 && len(items) > 0 { // a condition on the fields
			continue
		}
		names := slices.Collect(maps.Keys(s.Properties))
		slices.SortFunc(names, func(a, b string) int {
			if x, y := slices.Contains(s.Required, a), slices.Contains(s.Required, b); x != y {
				if x {
					return -1
				}
				return 1
			}
			return strings.Compare(a, b)
		})
		for _, name := range names {
			isThere := slices.Contains(c.siblings, name) || slices.ContainsFunc(items, func(i Item) bool { return i.Label == name })
			if !isThere {
				items = append(items, Item{Label: name, Detail: s.Properties[name].Description, Insert: name + opening(s.Properties[name], c.indent)})
			}
		}
	}
	return items
}

// opening is what is between the name of a field and the begin of its value.
func opening(s *configschema.Schema, indent int) string {
	margin := "\n" + strings.Repeat(" ", indent)
	for _, s := range alternatives(s) {
		switch {
		case isList(s):
			return ":" + margin + "- "
		case slices.Contains(s.Type, "object"):
			return ":" + margin + "  "
		}
	}
	return ": "
}

// elements are the beginnings of a new element of a list.
func elements(s *configschema.Schema, c cursor) []Item {
	c.indent += len("- ")
	items := append(fields(s, c), values(s)...)
	for i := range items {
		items[i].Insert = "- " + items[i].Insert
	}
	return items
}

// values are the values that a field may have, as far as they are known.
func values(s *configschema.Schema) []Item {
	var items []Item
	add := func(value any, detail string) {
		if value == nil {
			return
		}
		text := fmt.Sprint(value)
		if slices.ContainsFunc(items, func(i Item) bool { return i.Label == text }) {
			return
		}
		items = append(items, Item{Label: text, Detail: detail, Insert: text})
	}
	for _, s := range alternatives(s) {
		add(s.Const, "")
		for _, value := range s.Enum {
			add(value, "")
		}
		if len(s.Enum) == 0 && slices.Contains(s.Type, "boolean") {
			add("true", "")
			add("false", "")
		}
		if s.Default != nil {
			add(s.Default, "")
			text := fmt.Sprint(s.Default)
			for i := range items {
				if items[i].Label == text {
					items[i].Detail = "the default"
				}
			}
		}
	}
	return items
}
