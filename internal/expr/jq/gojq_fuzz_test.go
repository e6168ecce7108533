package jq

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
)

// pathTemplates are the whole grammar of path expressions: each % is another one, each # a value,
// each ~ a space.
var pathTemplates = strings.Fields(`. .. .a .b .c .d ."e.f" .["a"] .[0] .[1] .[-1] .[-3] .[1:] .[:-1] .[1:2] .[0.5:1.5] .[] .[]? .a? .[0]? .[-1]?
	.[1:]? .b[0] .b[]? .b[-2:] .b[1:][0] .b[:2][1:] .c.b[1] .a[0]? .[#] .[#]? .[#:#] (%)[] (%)[]? (%)[0]? (%).a? (%)[#]? (%)[1:]? (%).b[0]
	%|% %|% %|% %|% (%)|(%) (%)|(%) %,% (%,%) (%)? (%)?? (%)//(%) %//% try(%) try(%)catch(%) try~error(%)catch~. first last nth(1) nth(-1) nth(#)
	first? last? nth(#)? first(%) last(%) nth(1;%) limit(2;%) limit(#;%) skip(1;%) until(#;%) [limit(3;repeat(%))]|empty limit(3;repeat(%))
	limit(3;while(#;%)) limit(9;recurse(%)) limit(9;recurse(%;#)) recurse recurse(.[]?) empty error error(#) select(#) select(#) select(#)
	if~#~then~%~else~%~end if~#~then~%~end if~#~then~%~elif~#~then~%~else~%~end if~#~then~empty~else~%~end getpath(["a"]) getpath(["b",0])
	getpath(["b",-1,"a"]) getpath([]) getpath([#]) getpath([#])? getpath(#)? arrays objects iterables scalars values nulls booleans numbers strings
	(%)as$x|(%) (%)as[$x,$y]|(%) (%)as{a:$x}|(%) (%)as[$x]?//$x|(%) (%)as{$a,b:[$x]}?//{c:$a}?//$x|% reduce(#,#)as$x(%;%) reduce(%)as$x(%;.)
	reduce~.[]?as$x(%;%) foreach(#,#)as$x(%;%) foreach(%)as$x(.;%) foreach(#,#)as$x(.;.;%) foreach~.[]?as$x(%;.;%) def~f:%;f def~f:%;f|f
	def~f(g):%|g;f(%) def~f(g):g|g;f(%) def~f($x):%|select($x==#);f(#) def~f:if~#~then~(.[0]?|f)else~.~end;f label~$l|%,break~$l
	label~$l|(%)|.,break~$l label~$l|foreach(%)as$x(0;.+1;if.>1~then~(.,break~$l)else~empty~end)|empty isempty(%) path(%)|empty .["a","b"]
	.[("a","b")]? .[(0,1)]? ..|(%)? ..|select(#) .b[]?|select(.a==#) .[]?|select(#)|% ltrimstr(#) $__loc__ not type`)

// valueTemplates are what conditions and indices are made of.
var valueTemplates = strings.Fields(`0 1 -1 2 0.5 "a" "b" "x" null true false . .a .b[0] .[0]? length type (.a?) (.[]?) %==% %!=% %<% (%)and(%) (%)or(%)
	(%)|not has("a")? any all (%)//1 [%] {a:%} $x? .==1 .=="x" type=="array" type=="object" type=="string" type=="number" .a?=="x" "\(.a?)" isempty(.[]?)
	keys? first? last? tostring floor? (#)`)

// composer puts texts together from choices.
type composer struct{ choices []byte }

func (c *composer) next(count int) int {
	if len(c.choices) == 0 {
		return 0
	}
	n := int(c.choices[0])
	if c.choices = c.choices[1:]; count > 256 && len(c.choices) > 0 {
		n = n<<8 + int(c.choices[0])
		c.choices = c.choices[1:]
	}
	return n % count
}

func (c *composer) compose(templates []string, depth int) string {
	if depth == 0 || len(c.choices) == 0 {
		return "."
	}
	template := strings.ReplaceAll(templates[c.next(len(templates))], "~", " ")
	var b strings.Builder
	for _, char := range template {
		switch {
		case char == '%':
			b.WriteString(c.compose(templates, depth-1))
		case char == '#':
			b.WriteString(c.compose(valueTemplates, min(depth-1, 2)))
		default:
			b.WriteRune(char)
		}
	}
	return b.String()
}

// value composes an input.
func (c *composer) value(depth int) any {
	switch kind := c.next(12); {
	case depth > 0 && kind < 5:
		object := map[string]any{}
		for _, key := range []string{"a", "b", "c", "d", "e.f"} {
			if c.next(3) > 0 {
				object[key] = c.value(depth - 1)
			}
		}
		return object
	case depth > 0 && kind < 8:
		var list []any
		for range c.next(5) {
			list = append(list, c.value(depth-1))
		}
		return append([]any{}, list...)
	}
	return []any{nil, true, false, 0, 1, 2, 0.5, "x", "abc", "", "a", -1}[c.next(12)]
}

// FuzzAgainstGojq holds path expressions of the whole grammar against gojq's own path and delpaths.
func FuzzAgainstGojq(f *testing.F) {
	for _, seed := range []struct{ expression, input string }{
		{`reduce ("a", "b") as $k (.; .) | .a`, `{"a":1}`}, {`.a | .[-1]?`, `{"a":"abc"}`}, {`.a | last?`, `{"a":"abc"}`},
		{`.a | first?`, `{"a":"abc"}`}, {`.. | .[0]?`, `{"a":"abc","b":[1]}`}, {`.b[1:][0], .b[:-1]`, `{"b":[1,2,null]}`},
	} {
		f.Add([]byte{}, seed.expression, seed.input)
	}
	for i := range byte(200) {
		f.Add([]byte{i, 7 * i, 31 * i, 3 * i, 17 * i, 101 * i, 13 * i, 5 * i, i + 9, 11 * i, i}, "", "")
	}
	f.Fuzz(func(t *testing.T, choices []byte, expression, input string) {
		if len(choices) > 64 || len(input) > 4<<10 || len(expression) > 200 {
			return
		}
		c := &composer{choices: choices}
		if expression == "" {
			expression = c.compose(pathTemplates, 4)
		}
		value := c.value(3)
		if input != "" {
			parsed, ok := readJSON(input)
			if !ok {
				return
			}
			value = parsed
		}
		if difference := againstGojq(t, expression, value); difference != "" {
			t.Errorf("'%s' on %s: %s", expression, toJSON(t, value), difference)
		}
	})
}

// TestAgainstGojq does for a while what FuzzAgainstGojq does.
func TestAgainstGojq(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 4_000 {
		choices := make([]byte, 8+random.IntN(40))
		for i := range choices {
			choices[i] = byte(random.Uint32())
		}
		c := &composer{choices: choices}
		expression := c.compose(pathTemplates, 4)
		value := c.value(3)
		if difference := againstGojq(t, expression, value); difference != "" {
			t.Errorf("'%s' on %s: %s", expression, toJSON(t, value), difference)
		}
	}
}

// againstGojq says how an expression differs from gojq's, "" where it does not. The differences
// that docs/expressions.md has a table of are none.
func againstGojq(t *testing.T, expression string, value any) string {
	path, err := CompilePath(expression, Limits{})
	if err != nil {
		return ""
	}
	want, wantErr, inTime := gojqPaths(expression, value)
	if !inTime {
		return ""
	}
	got, err := path.Paths(value, nil)
	if err != nil && !isRuntime(err) {
		return ""
	}
	query, _ := gojq.Parse(expression)
	form := (&forms{}).of(query)
	switch {
	case wantErr != nil && err != nil:
		return ""
	case wantErr != nil && form != pathForm:
		return "" // it may be a projection
	case wantErr != nil:
		return fmt.Sprintf("gojq fails with %v, found %s", wantErr, pathsJSON(t, got))
	}
	places, all, isElsewhere := concrete(value, want)
	switch {
	case isElsewhere:
		return "" // a character of a string is no place, and what a list as an index finds is none
	case err != nil && form == valueForm:
		return "" // a value that equals what is there is no place
	case err != nil:
		return fmt.Sprintf("gojq finds %s, found %v", toJSON(t, want), err)
	}
	if diff := cmp.Diff(pathsJSON(t, places), pathsJSON(t, got)); diff != "" && form != valueForm {
		return "(-gojq +found) " + diff
	}
	return deletesAs(t, value, want, all)
}

func isRuntime(err error) bool {
	_, ok := errors.AsType[*fault.RuntimeError](err)
	return ok
}

// gojqPaths returns the paths as gojq has them, and whether it got to an end.
func gojqPaths(expression string, value any) (paths []any, err error, inTime bool) {
	query, err := gojq.Parse("[path(" + expression + "\n)]")
	if err != nil {
		return nil, nil, false
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, nil, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	result, _ := code.RunWithContext(ctx, value).Next()
	if err, isError := result.(error); isError {
		return nil, err, ctx.Err() == nil
	}
	paths, _ = result.([]any)
	return paths, nil, true
}

// concrete returns the places that paths lead to: those that are there and not null, and all that
// are there. It tells whether one leads elsewhere: into a string, or by a list as an index.
func concrete(value any, paths []any) (places, all [][]any, isElsewhere bool) {
	for _, path := range paths {
		var walk func(v any, here, rest []any)
		walk = func(v any, here, rest []any) {
			if len(rest) == 0 {
				here = append([]any{}, here...)
				all = append(all, here)
				if v != nil {
					places = append(places, here)
				}
				return
			}
			switch v := v.(type) {
			case string:
				isElsewhere = true
			case map[string]any:
				key, isKey := rest[0].(string)
				isElsewhere = isElsewhere || !isKey
				if child, ok := v[key]; ok {
					walk(child, append(here, key), rest[1:])
				}
			case []any:
				_, isList := rest[0].([]any)
				isElsewhere = isElsewhere || isList
				indices := make([]int, len(v))
				for i := range indices {
					indices[i] = i
				}
				walkList(v, indices, here, rest, walk)
			}
		}
		walk(value, nil, path.([]any))
	}
	return places, all, isElsewhere
}

// walkList goes on from the elements of a list at indices.
func walkList(list []any, indices []int, here, rest []any, walk func(v any, here, rest []any)) {
	if len(rest) == 0 {
		for _, i := range indices {
			walk(list[i], append(here, i), nil)
		}
		return
	}
	slice, isSlice := rest[0].(map[string]any)
	if isSlice {
		// gojq itself says which elements a slice has.
		query, _ := gojq.Parse(".[0] as $l | .[1] as $s | $l | getpath([$s])")
		all := make([]any, len(indices))
		for i, index := range indices {
			all[i] = index
		}
		result, _ := query.Run([]any{all, slice}).Next()
		var chosen []int
		elements, _ := result.([]any)
		for _, index := range elements {
			chosen = append(chosen, index.(int))
		}
		walkList(list, chosen, here, rest[1:], walk)
		return
	}
	i, _ := gojq.ToInt(rest[0])
	if i < 0 {
		i += len(indices)
	}
	if i >= 0 && i < len(indices) {
		walk(list[indices[i]], append(here, indices[i]), rest[1:])
	}
}

// deletesAs says how delpaths of gojq's own paths differs from delpaths of places.
func deletesAs(t *testing.T, value any, paths []any, places [][]any) string {
	query, err := gojq.Parse(".[0] as $p | .[1] | delpaths($p)")
	if err != nil {
		t.Fatal(err)
	}
	var concretes []any
	for _, place := range places {
		concretes = append(concretes, any(place))
	}
	run := func(paths []any) (string, bool) {
		result, _ := query.Run([]any{append([]any{}, paths...), value}).Next()
		if _, isError := result.(error); isError {
			return "", false
		}
		return toJSON(t, result), true
	}
	want, ok := run(paths)
	got, _ := run(concretes)
	if ok && want != got {
		return fmt.Sprintf("gojq's del leaves %s, the places leave %s", want, got)
	}
	return ""
}
