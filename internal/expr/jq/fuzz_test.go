package jq

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
)

// FuzzPaths runs any expression on any value. What it finds is there.
func FuzzPaths(f *testing.F) {
	for _, expression := range []string{
		".", ".spec.replicas", `.spec.containers[] | select(.name != "app")`, ".spec.tags[-2:][0]", ".. | .port?",
		`.data | to_entries | map(select(.key | startswith("dynamic-"))) | from_entries`, ".spec.tags | [.[2], .[0]]",
		"if .spec.paused then null else .spec.replicas end", ".spec.missing[]?", "def f(g): .spec | g; f(.replicas)",
		`.spec as {$name, tags: [$a]} | .data | select($a == $name)`, "label $x | .spec.tags[] | ., break $x",
		"reduce .spec.tags[] as $x (0; . + 1)", `.spec.name | test("a|b") as $x | tojson | fromjson`, "[limit(3; repeat(1))]",
		"until(false; .)", `"x" * 100000000`, ".[1e8] = 1", "def f: [f]; f", "[range(1e7)]", "del(.spec.tags[1, 2])", "walk(.)",
		".spec.big + 1 | @text", "paths(type == \"number\")", ".spec.containers | group_by(.image) | flatten | sort_by(.name)",
	} {
		f.Add(expression, testObject)
	}
	f.Fuzz(func(t *testing.T, expression, text string) {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var value any
		if len(text) > 4<<10 || decoder.Decode(&value) != nil {
			return
		}
		checkPaths(t, expression, plain(value))
	})
}

// FuzzComposed is FuzzPaths with expressions that are put together, so that most of them compile.
func FuzzComposed(f *testing.F) {
	for i := range byte(250) {
		f.Add([]byte{i, 7 * i, 31 * i, 3 * i, 17 * i, 101 * i, 13 * i, 5 * i})
	}
	f.Fuzz(func(t *testing.T, choice []byte) {
		if len(choice) > 64 {
			return
		}
		checkPaths(t, compose(&choice, 4), parseJSON(t, testObject))
	})
}

// templates are what expressions are put together from: each % is another one, each ~ a space.
var templates = strings.Fields(`. .. .spec .data .spec.containers .spec.tags .spec.name .metadata.labels .[] .[]? .[0] .[-1] .[1:] .[:-1]
	.name .image .ports[]? .big .half .nothing .missing "a" 1 null true [] {} 9007199254740993 "fixed" -1 0.5 empty not
	length keys to_entries from_entries add any all first last tostring tojson fromjson type sort unique reverse min max
	floor trim explode implode ascii_downcase paths flatten tonumber @base64 @uri @sh @json group_by(%) sort_by(%)
	unique_by(%) min_by(%) map(%) map(select(%)) select(%) with_entries(%) with_entries(select(%)) map_values(%) walk(%)
	recurse(%) del(%) path(%) getpath([%]) has(%) contains(%) inside(%) startswith(%) endswith(%) ltrimstr(%) test(%)
	split(%) join(%) index(%) indices(%) limit(2;%) first(%) isempty(%) any(%) all(%) range(%) until(%;%) IN(%) error(%)
	splits(%) sub(%;%) match(%) paths(%) pick(%) to_entries[]|% limit(%;%) delpaths([%]) ltrimstr(%) flatten(%)
	[%] {a:%} {(%):%} (%) %[%]? (%)|(%) (%)|(%)|(%) %|% %,% %//% (%)==(%) (%)<(%) (%)+(%) (%)-(%) (%)*(%) (%)/(%) (%)and(%)
	(%)or(%) (%)=(%) (%)|=(%) (%)+=(%) (%)//=(%) if(%)then(%)else(%)end if(%)then(%)end try(%) try(%)catch(%) (%)?
	reduce(%)as$x(%;%) foreach(%)as$x(%;%) (%)as$x|(%) (%)as[$x]|$x (%)as{name:$x}|$x def~f:%;f|f
	def~f(g):g|g;f(%) label~$l|(%)|break~$l label~$l|first(%) "\(%)" @base64"\(%)" .[%] .[%:%] (%)[] (%)[]?`)

func compose(choice *[]byte, depth int) string {
	if len(*choice) == 0 || depth == 0 {
		return ".spec"
	}
	template := templates[int((*choice)[0])%len(templates)]
	*choice = (*choice)[1:]
	pieces := strings.Split(strings.ReplaceAll(template, "~", " "), "%")
	text := pieces[0]
	for _, piece := range pieces[1:] {
		text += compose(choice, depth-1) + piece
	}
	return text
}

// checkPaths runs an expression.
func checkPaths(t *testing.T, expression string, value any) {
	t.Helper()
	path, err := CompilePath(expression, Limits{Timeout: 200 * time.Millisecond, Memory: 32 << 20})
	if err != nil {
		if _, isSyntax := errors.AsType[*fault.SyntaxError](err); !isSyntax {
			t.Fatalf("got %T, %v", err, err)
		}
		return
	}
	before := toJSON(t, value)
	found, err := path.Paths(value, nil)
	if after := toJSON(t, value); after != before {
		t.Fatalf("the value was changed:\n%s\n%s", before, after)
	}
	if name := outcome(err); name == "other" {
		t.Fatalf("got %v", err)
	}
	for _, path := range found {
		if at(value, path) == nil {
			t.Fatalf("%q finds %v, where nothing is", expression, path)
		}
	}
}

// at returns what is at a path of string keys and int indices, or nil.
func at(value any, path []any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[step]
		case int:
			list, _ := value.([]any)
			if step < 0 || step >= len(list) {
				return nil
			}
			value = list[step]
		}
	}
	return value
}
