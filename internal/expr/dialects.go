// Package expr turns expressions into locations in one object. Each dialect has a package of its
// own and is an entry of the table here; whatever depends on the dialects reads the table.
package expr

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
)

// table is the table of dialects, in the order in which a rule evaluates its lists.
var table = []Dialect{jsonpath.Dialect, jsonpointer.Dialect, jqpath.Dialect}

// Dialects are those of the table. A text that one of them refuses may belong to another.
var Dialects = lists.Map(table, withFix)

// withFix returns the dialect with a parser that says what else a text may be that it refuses.
func withFix(d Dialect) Dialect {
	parse := d.Parse
	d.Parse = func(text string, limits jq.Limits) (Expression, error) {
		expression, err := parse(text, limits)
		if syntax, ok := errors.AsType[*fault.SyntaxError](err); ok {
			syntax.Fix = fixOf(d, text, syntax.Fix, limits)
		}
		return expression, err
	}
	return d
}

// maxFixed is the length of the longest text that other dialects are asked about.
const maxFixed = 1000

// fixOf adds to the fix that a dialect knows for a text where the text belongs, if that is known.
func fixOf(d Dialect, text, fix string, limits jq.Limits) string {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "{{") {
		return "{{ … }} is a template; render it before this run"
	}
	if several := hint.Several(text, d.Begin); several != "" {
		return several
	}
	if written := fromKustomize(d, text); written != "" {
		return written
	}
	if len(text) > maxFixed || !strings.ContainsAny(text, "./$|[(") || strings.HasPrefix(text, `"`) {
		return fix
	}
	for _, other := range byRank(table) {
		if other.Name == d.Name {
			continue
		}
		if _, err := other.Parse(text, limits); err == nil {
			return strings.TrimPrefix(fmt.Sprintf("%s; as a %s, it belongs under %s", fix, other.Noun, other.Field), "; ")
		}
	}
	return fix
}

// fromKustomize says how to write a path with brackets that kustomize and others have; "" for
// another text.
func fromKustomize(d Dialect, text string) string {
	path, ok := hint.FromKustomize(text)
	if len(text) > maxFixed || !ok {
		return ""
	}
	switch written := d.Write(path); written {
	case "":
	case text: // which has another mistake
		return ""
	default:
		return "write '" + written + "'"
	}
	return "write '" + jsonpath.Write(path) + "' under " + jsonpath.Dialect.Field
}

// The names of package dialect for callers.
type (
	Dialect        = dialect.Dialect
	Expression     = dialect.Expression
	Input          = dialect.Input
	Schema         = dialect.Schema
	Match          = dialect.Match
	TranslateError = dialect.TranslateError
)

// ByName returns the dialect with a name; false for none.
func ByName(name string) (Dialect, bool) {
	return lists.Find(Dialects, func(d Dialect) bool { return d.Name == name })
}

// SimplestFirst returns the dialects in the order in which a person is shown them.
func SimplestFirst() []Dialect { return byRank(Dialects) }

func byRank(dialects []Dialect) []Dialect {
	return slices.SortedStableFunc(slices.Values(dialects), func(a, b Dialect) int { return a.Rank - b.Rank })
}

// FieldNames are the lists that a rule can have, as a sentence has them: `jsonPaths, jsonPointers
// or jqPathExpressions`.
func FieldNames() string {
	return words.List(lists.Map(Dialects, func(d Dialect) string { return d.Field }))
}

// Lists are the expressions of a rule, by the field of the dialect. Embedded in a config struct,
// they are its fields.
type Lists map[string][]string

// ConfigFields yields the name of each field and what it means.
func (Lists) ConfigFields() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, d := range Dialects {
			if !yield(d.Field, d.Doc) {
				return
			}
		}
	}
}

// FieldFor returns the field of the dialect that a misspelt name means, unless the text is only a
// path of keys and indices in another dialect; without a name, that of the first dialect of the
// text.
func (Lists) FieldFor(misspelt, text string) string {
	named, _ := Misspelt(misspelt)
	if len(named.SegmentsIn(text)) > 0 {
		return named.Field
	}
	if d, ok := lists.Find(Dialects, func(d Dialect) bool { return len(d.SegmentsIn(text)) > 0 }); ok {
		return d.Field
	}
	if named.Field != "" || text == "" || len(text) > maxFixed {
		return named.Field
	}
	d, _ := lists.Find(SimplestFirst(), func(d Dialect) bool {
		_, err := d.Parse(text, jq.Limits{})
		return err == nil
	})
	return d.Field
}

// Misspelt returns the dialect that the beginning of a name means: jsonPath, json-pointer, jq;
// false for none.
func Misspelt(name string) (Dialect, bool) {
	name = strings.ToLower(strings.ReplaceAll(name, "-", ""))
	for _, d := range Dialects {
		for _, known := range []string{d.Name, d.Flag} {
			if strings.HasPrefix(name, strings.ToLower(known)) {
				return d, true
			}
		}
	}
	return Dialect{}, false
}

// Count is the number of expressions.
func (l Lists) Count() int {
	count := 0
	for _, texts := range l {
		count += len(texts)
	}
	return count
}
