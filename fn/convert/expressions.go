package convert

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/jq"
	"github.com/krm-fields/krm-fields/fn/locate"
)

// dialects says which expressions a target takes. Pointers are taken by all.
type dialects struct {
	// plainPaths are JSONPaths of plain names. The agent of OCM, which cuts them
	// at their last dot, does not do what others say.
	plainPaths bool
	jq         bool
}

var plainPath = regexp.MustCompile(`^\{?\$?(\.[A-Za-z0-9_-]+)+\}?$`)

// translated returns the expressions of the rule in the dialects that the target
// takes, and notes what has no form there. Of the pointers that name list
// elements by position, the later element comes first, as the targets remove
// one after the other.
func (d dialects) translated(r *rule) []expression {
	var all []expression
	for _, e := range r.expressions {
		translated, err := d.translate(e)
		if err != nil {
			r.leaveOut(e.path, "%s", err)
			continue
		}
		if translated.dialect != e.dialect {
			r.remark(e.path, "was %s", e.text)
		}
		all = append(all, translated)
	}
	slices.SortStableFunc(all, func(a, b expression) int {
		return slices.Index(dialectOrder, a.dialect) - slices.Index(dialectOrder, b.dialect)
	})
	lastFirst(all)
	return all
}

var dialectOrder = []string{locate.JSONPath, locate.JSONPointer, locate.JQ}

// errProjection is a jq expression that no one else takes.
var errProjection = errors.New("makes a value and is no path expression, which only krm-fields takes")

func (d dialects) translate(e expression) (expression, error) {
	switch {
	case e.dialect == locate.JSONPath && !(d.plainPaths && plainPath.MatchString(e.text)):
		dialect, text, err := locate.TranslateJSONPath(e.text)
		if err != nil {
			return e, err
		}
		e.dialect, e.text = dialect, text
	case e.dialect == locate.JSONPointer:
		text, isJQ, err := locate.TranslateJSONPointer(e.text)
		if err != nil {
			return e, err
		}
		if isJQ {
			e.dialect, e.text = locate.JQ, text
		}
	}
	if e.dialect != locate.JQ {
		return e, nil
	}
	if jq.IsProjection(e.text) {
		return e, errProjection
	}
	if d.jq {
		return e, nil
	}
	text, err := locate.TranslateJQ(e.text)
	if err != nil {
		return e, err
	}
	e.dialect, e.text = locate.JSONPointer, text
	return e, nil
}

// lastFirst puts the pointers that have an index in descending order, in the
// places that they have.
func lastFirst(all []expression) {
	var places []int
	var indexed []expression
	for i, e := range all {
		if e.dialect == locate.JSONPointer && slices.ContainsFunc(strings.Split(e.text, "/"), isIndex) {
			places, indexed = append(places, i), append(indexed, e)
		}
	}
	slices.SortStableFunc(indexed, func(a, b expression) int { return -comparePointers(a.text, b.text) })
	for i, place := range places {
		all[place] = indexed[i]
	}
}

func isIndex(segment string) bool {
	return segment != "" && strings.Trim(segment, "0123456789") == ""
}

// comparePointers orders pointers by their segments, indices as numbers.
func comparePointers(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(a, b string) int {
		if isIndex(a) && isIndex(b) && len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
}

// textsOf returns the texts of one dialect.
func textsOf(expressions []expression, dialect string) []string {
	var texts []string
	for _, e := range expressions {
		if e.dialect == dialect {
			texts = append(texts, e.text)
		}
	}
	return texts
}
