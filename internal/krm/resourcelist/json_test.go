package resourcelist

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const jsonHeader = `"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"`

// prettyJSON is a list as json.Indent and `kubectl get -o json` lay it out.
const prettyJSON = `{
    "apiVersion": "config.kubernetes.io/v1",
    "kind": "ResourceList",
    "items": [
        {"kind":   "A", "a": 1e3},
        {
            "kind": "B",
            "a": 1
        }
    ]
}
`

// edits of a list.
func set(item int, key, value string) func(*List) {
	return func(l *List) {
		if err := l.Items[item].Set(location.Location{location.Key(key)}, tree.NewString(value)); err != nil {
			panic(err)
		}
	}
}

func remove(item int) func(*List) {
	return func(l *List) { l.Items = slices.Delete(l.Items, item, item+1) }
}

func create(kind string) func(*List) {
	return func(l *List) {
		root := tree.FromValue(map[string]any{"kind": kind})
		var model *object.Object
		if len(l.Items) > 0 {
			model = l.Items[0]
		}
		l.Items = append(l.Items, object.NewLike(model, root))
	}
}

func TestWriteJSON(t *testing.T) {
	const oneResult = `{"message":"new","severity":"info"}`
	for name, test := range map[string]struct {
		text    string
		edits   []func(*List)
		results []report.Result
		want    string
	}{
		"nothing changes": {
			text: "\n\t{" + jsonHeader + ` , "other" :  [ 1e3,1.0 ],"items" : [ {"a" : 1e3} ,{ "b":1.0}, {"c": "\u0041\/", "d": 12345678901234567890} ] } ` + "\n\n",
			want: "\n\t{" + jsonHeader + ` , "other" :  [ 1e3,1.0 ],"items" : [ {"a" : 1e3} ,{ "b":1.0}, {"c": "\u0041\/", "d": 12345678901234567890} ] } ` + "\n\n",
		},
		"results go behind the members": {
			text:    "{" + jsonHeader + `, "items": [{"a": "]}\"["}], "functionConfig": {"b": [ ]} }`,
			results: someResults,
			want:    "{" + jsonHeader + `, "items": [{"a": "]}\"["}], "functionConfig": {"b": [ ]},"results":[` + oneResult + `] }`,
		},
		"results go behind those that came in": {
			text:    `{"results": [ {"message" : "old"} ], ` + jsonHeader + `, "items": [{"a": 1}]}`,
			results: append(slices.Clone(someResults), someResults...),
			want:    `{"results": [ {"message" : "old"}, ` + oneResult + `, ` + oneResult + ` ], ` + jsonHeader + `, "items": [{"a": 1}]}`,
		},
		"results that came in behind the items, and a changed item": {
			text:    "{" + jsonHeader + `, "items": [{"a": 1},{"b" : 2}], "results":[{"message":"old"}]}` + "\n",
			edits:   []func(*List){set(1, "b", "x")},
			results: someResults,
			want:    "{" + jsonHeader + `, "items": [{"a": 1},{"b" : "x"}], "results":[{"message":"old"},` + oneResult + "]}\n",
		},
		"empty results, and none": {
			text:    `{"results": [ ], ` + jsonHeader + `, "items": null}`,
			results: someResults,
			want:    `{"results": [` + oneResult + `], ` + jsonHeader + `, "items": null}`,
		},
		"results that are null": {
			text:    `{` + jsonHeader + `, "results": null, "items": []}`,
			results: someResults,
			want:    `{` + jsonHeader + `, "results": [` + oneResult + `], "items": []}`,
		},
		"a changed item": {
			text:  "{" + jsonHeader + `, "items": [{"a": "\u0041\/\n", "b": [1e3, 1.0, 12345678901234567890], "c": 1} , {"a": 1}]}`,
			edits: []func(*List){set(0, "c", "<é>")},
			want:  "{" + jsonHeader + `, "items": [{"a": "\u0041\/\n", "b": [1e3, 1.0, 12345678901234567890], "c": "<é>"} , {"a": 1}]}`,
		},
		"a list with lines": {
			text:    prettyJSON,
			edits:   []func(*List){set(0, "a", "x"), create("C")},
			results: someResults,
			want: `{
    "apiVersion": "config.kubernetes.io/v1",
    "kind": "ResourceList",
    "items": [
        {"kind":   "A", "a": "x"},
        {
            "kind": "B",
            "a": 1
        },
        {
          "kind": "C"
        }
    ],
  "results": [
    {
      "message": "new",
      "severity": "info"
    }
  ]
}
`,
		},
		"a list with lines that end with CRLF": {
			text:    "{\r\n  " + jsonHeader + ",\r\n  \"items\": []\r\n}\r\n",
			edits:   []func(*List){create("C")},
			results: someResults,
			want: "{\r\n  " + jsonHeader + ",\r\n  \"items\": [\r\n    {\r\n      \"kind\": \"C\"\r\n    }\r\n  ],\r\n" +
				"  \"results\": [\r\n    {\r\n      \"message\": \"new\",\r\n      \"severity\": \"info\"\r\n    }\r\n  ]\r\n}\r\n",
		},
		"a list with lines and tabs": {
			text:  "{\n\t" + jsonHeader + ",\n\t\"items\": [\n\t\t{\"a\": 1}\n\t]\n}",
			edits: []func(*List){set(0, "a", "x")},
			want:  "{\n\t" + jsonHeader + ",\n\t\"items\": [\n\t\t{\"a\": \"x\"}\n\t]\n}",
		},
		"items that begin in the middle of a line": {
			text:  "{" + jsonHeader + ", \"items\": [{\"a\": 1},\n    {\"a\": 1}, {\"b\": 2}]}",
			edits: []func(*List){set(0, "a", "x"), set(2, "b", "x")},
			want:  "{" + jsonHeader + ", \"items\": [{\"a\": \"x\"},\n    {\"a\": 1}, {\"b\": \"x\"}]}",
		},
		"the first item goes": {
			text:  prettyJSON,
			edits: []func(*List){remove(0)},
			want:  strings.Replace(prettyJSON, "        {\"kind\":   \"A\", \"a\": 1e3},\n", "", 1),
		},
		"the last item goes": {
			text:  prettyJSON,
			edits: []func(*List){remove(1)},
			want:  strings.Replace(prettyJSON, ",\n        {\n            \"kind\": \"B\",\n            \"a\": 1\n        }", "", 1),
		},
		"an item between goes, and one comes": {
			text:  "{" + jsonHeader + `, "items": [{"a": 1},{"a": 2} , {"a": 3}]}`,
			edits: []func(*List){remove(1), create("A")},
			want:  "{" + jsonHeader + `, "items": [{"a": 1},{"a": 3} , {"kind":"A"}]}`,
		},
		"all items go": {
			text:  prettyJSON,
			edits: []func(*List){remove(1), remove(0)},
			want:  prettyJSON[:strings.Index(prettyJSON, "[")] + "[]\n}\n",
		},
		"the only item is another one": {
			text:  "{" + jsonHeader + `, "items": [ {"a": 1} ]}`,
			edits: []func(*List){remove(0), create("A")},
			want:  "{" + jsonHeader + `, "items": [ {"kind":"A"} ]}`,
		},
		"an item comes into an empty list with lines": {
			text:  "{\n  " + jsonHeader + ",\n  \"items\": []\n}\n",
			edits: []func(*List){create("A")},
			want:  "{\n  " + jsonHeader + ",\n  \"items\": [\n    {\n      \"kind\": \"A\"\n    }\n  ]\n}\n",
		},
		"an item comes where there are none": {
			text:    "{" + jsonHeader + "}\n",
			edits:   []func(*List){create("A")},
			results: someResults,
			want:    "{" + jsonHeader + `,"items":[{"kind":"A"}],"results":[` + oneResult + "]}\n",
		},
		"no items, and none come": {
			text:    "{\n  " + jsonHeader + "\n}",
			results: someResults,
			want:    "{\n  " + jsonHeader + ",\n  \"results\": [\n    {\n      \"message\": \"new\",\n      \"severity\": \"info\"\n    }\n  ]\n}",
		},
		"keys in escapes": {
			text:    "{" + jsonHeader + `, "\u0069tems": [{"a": 1}], "result\u0073": []}`,
			edits:   []func(*List){remove(0)},
			results: someResults,
			want:    "{" + jsonHeader + `, "\u0069tems": [], "result\u0073": [` + oneResult + "]}",
		},
		"a byte order mark goes": {
			text: "\ufeff{" + jsonHeader + `, "items": [{"a": 1}]}`,
			want: "{" + jsonHeader + `, "items": [{"a": 1}]}`,
		},
		"a changed item with lines": {
			text:  "{\n\t" + jsonHeader + ",\n\t\"items\": [\n\t\t{\n\t\t\t\"a\": [1, 2],\n\t\t\t\"b\": 1\n\t\t}\n\t]\n}",
			edits: []func(*List){set(0, "c", "x")},
			want:  "{\n\t" + jsonHeader + ",\n\t\"items\": [\n\t\t{\n\t\t\t\"a\": [1, 2],\n\t\t\t\"b\": 1,\n\t\t\t\"c\": \"x\"\n\t\t}\n\t]\n}",
		},
	} {
		for _, flushed := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				list, err := readJSON([]byte(test.text), checkResourceList)
				if err != nil {
					t.Fatalf("the list must be cut, found %v", err)
				}
				for _, edit := range test.edits {
					edit(list)
				}
				if flushed {
					flush(t, list)
				}
				texts, err := list.Write(test.results)
				if err != nil {
					t.Fatal(err)
				}
				got := bytes.Join(texts, nil)
				if diff := cmp.Diff(test.want, string(got)); diff != "" {
					t.Errorf("list (-want +got):\n%s", diff)
				}
				if !json.Valid(got) {
					t.Errorf("the list must be JSON, found\n%s", got)
				}
			})
		}
	}
}

func flush(t *testing.T, list *List) {
	t.Helper()
	for _, item := range list.Items {
		if err := item.Flush(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestJSONFaults holds the reading in pieces to the errors of the reading as one tree, and to their
// lines.
func TestJSONFaults(t *testing.T) {
	deep := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	for name, test := range map[string]struct {
		text string
		want Error
	}{
		"a key twice in an item": {
			text: "{" + jsonHeader + ",\n\"items\": [\n{\"a\": 1},\n{\"a\": {\"b\": 1,\n\"\\u0062\": 2}}]}",
			want: Error{Line: 5, Reason: `the key "b" is twice in one object`},
		},
		"a key twice in a result": {
			text: "{" + jsonHeader + ",\n\"items\": [],\n\"results\": [{},\n{\"a\": 1, \"a\": 1}]}",
			want: Error{Line: 4, Reason: `the key "a" is twice in one object`},
		},
		"items twice": {
			text: "{" + jsonHeader + ",\n\"items\": [{}],\n\"items\": []}",
			want: Error{Line: 3, Reason: `the key "items" is twice in one object`},
		},
		"too deep": {
			text: "{" + jsonHeader + ",\n\"items\": [\n" + deep(1000) + "]}",
			want: Error{Line: 3, Reason: "values must be nested at most 1000 levels deep"},
		},
		"an item that does not end": {
			text: "{" + jsonHeader + ",\n\"items\": [\n{\"a\": 1}",
			want: Error{Line: 3, Reason: "unexpected end of the JSON text"},
		},
		"items that are a map": {
			text: "{" + jsonHeader + ",\n\"items\": {\"a\": [1]}}",
			want: Error{Line: 2, Reason: "items must be a list, found a map"},
		},
		"results that are a string": {
			text: "{" + jsonHeader + ",\n\"items\": [{}],\n\"results\": \"[]\"}",
			want: Error{Line: 3, Reason: "results must be a list, found a string"},
		},
		"another kind": {
			text: "{\"apiVersion\": \"v1\",\n\"kind\": \"Pod\", \"items\": [{}]}",
			want: Error{Line: 2, Reason: `kind must be "ResourceList", found "Pod"` + "; to run on manifests, use `krm-fields run --config FILE`"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := Read([]byte(test.text))
			fault, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("want the error %v, found %v and %v", &test.want, list, err)
			}
			if diff := cmp.Diff(test.want, *fault); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
	if list := mustRead(t, "{"+jsonHeader+`, "items": [`+deep(999)+"]}"); len(list.Items) != 1 {
		t.Errorf("%d items of the greatest depth, want 1", len(list.Items))
	}
}

func TestFirstLinesOfJSON(t *testing.T) {
	list, ok := ReadCutList([]byte("{\"kind\": \"List\",\n\"items\": [{\n}, {},\n\n{\"a\":\n1}, 2\n]}"))
	if !ok {
		t.Fatal("the list must be cut")
	}
	if diff := cmp.Diff([]int{2, 3, 5, 6}, list.FirstLines()); diff != "" {
		t.Errorf("lines of the items (-want +got):\n%s", diff)
	}
	if line := list.Items[2].Root().Content[1].Line(); line != 2 {
		t.Errorf("a value on the second line of its item is on line %d, want 2", line)
	}
}

func TestReadCutList(t *testing.T) {
	for text, want := range map[string]int{
		`{"kind": "List", "items": [{"a": 1}, {"b": 2}]}`: 2,
		`{"kind": "List"}`: 0,
		`{"kind": "ResourceList", "items": [{"a": 1}]}`:          1,
		`{"kind": "Pod", "items": [{"a": 1}]}`:                   -1,
		`{"kind": "List", "items": [{"a": 1, "a": 2}]}`:          -1,
		`{"kind": "List", "items": {}}`:                          -1,
		"kind: List\nitems:\n- a: 1\n":                           1,
		"items:\n- a: 1\n- b: 2\nkind: ResourceList\n":           2,
		"items:\n- a: 1\nkind: ConfigMap\n":                      -1,
		"items:\n- a: 1\nkind: RoleList\n":                       1,
		`{"kind": "RoleList", "items": [{"a": 1}]}`:              1,
		`{"kind": "AllowList", "spec": {"items": [{"a": 1}]}}`:   -1,
		"items:\n- a: &x 1\n- b: *x\nkind: List\n":               -1,
		`{"kind": "List", "items": [{"a": 1}]} {"kind": "List"}`: -1,
	} {
		got := -1
		if list, ok := ReadCutList([]byte(text)); ok {
			got = len(list.Items)
		}
		if got != want {
			t.Errorf("%s\n%d items, want %d (-1 for no list that can be cut)", text, got, want)
		}
	}
}

// FuzzJSONCut holds the reading in pieces against the reading as one tree, and what is written
// against what was read.
func FuzzJSONCut(f *testing.F) {
	f.Add(prettyJSON, uint(0))
	f.Add("{"+jsonHeader+`, "items": [{"a": 1e3} ,{"b":"]\"\u0069"}, 1.0, null, "x", []], "functionConfig": {"items": [1]}}`, uint(1))
	f.Add(`{"results":[ ],`+jsonHeader+`,"items":[]}`, uint(0))
	f.Add(`{"results":[{"message":"old"}, 1 ],`+jsonHeader+`,"items":null,"other":{}}`, uint(0))
	f.Add("\ufeff{"+jsonHeader+",\r\n\"\\u0069tems\":\r\n[\r\n {\"a\": \"\xff\"} ]}\r\n", uint(2))
	f.Add("{"+jsonHeader+`,"items":[{"a":1,"a":2}]}`, uint(0))
	f.Add("{"+jsonHeader+`,"items":[{"a":1,}],"items":[,]}`, uint(0))
	f.Add("{{\"0", uint(0))
	f.Fuzz(func(t *testing.T, text string, pick uint) {
		root, fault := tree.ParseJSON([]byte(strings.TrimLeft(text, "\ufeff")))
		list, err := readJSON([]byte(text), checkResourceList)
		if fault != nil && (err == nil || err.Error() != wireError(fault).Error()) {
			t.Fatalf("the cut gives the error %v, and the whole gives the error %v", err, fault)
		}
		if err != nil {
			return
		}
		checkCut(t, list, root)
		checkUnchanged(t, list, strings.TrimLeft(text, "\ufeff"))
		if target, l := pickLocation(list.Items, pick); target >= 0 {
			want := without(t, list.Items[target].Root(), l)
			list.Items[target].Remove([]location.Location{l})
			flush(t, list)
			again := mustRead(t, write(t, list, someResults))
			if !tree.Equal(again.Items[target].Root(), want) {
				t.Errorf("after the removal of %s the data is wrong:\n%s", l, write(t, list, nil))
			}
		}
		if len(list.Items) > 0 {
			list.Items = slices.Delete(list.Items, int(pick%uint(len(list.Items))), int(pick%uint(len(list.Items)))+1)
		}
		create("A")(list)
		again := mustRead(t, write(t, list, nil))
		checkSameItems(t, list.Items, again.Items)
	})
}

// checkCut checks a list against its text as one tree.
func checkCut(t *testing.T, list *List, root *tree.Node) {
	t.Helper()
	elements := tree.Elements(tree.Get(root, "items"))
	if len(elements) != len(list.Items) {
		t.Fatalf("%d items as a whole, %d cut", len(elements), len(list.Items))
	}
	lines := list.FirstLines()
	for i, item := range list.Items {
		if !tree.Same(elements[i], item.Root()) {
			t.Fatalf("items[%d] differs between the whole tree and the cut", i)
		}
		if line := lines[i] + item.Root().Line() - 1; line != elements[i].Line() {
			t.Errorf("items[%d] is on line %d, want %d", i, line, elements[i].Line())
		}
	}
	config := tree.Get(root, "functionConfig")
	if tree.Type(config) != tree.Null && !tree.Same(config, list.FunctionConfig) {
		t.Fatal("functionConfig differs between the whole tree and the cut")
	}
}

// checkUnchanged checks that a list without changes keeps its bytes, and that results come behind
// those that are there.
func checkUnchanged(t *testing.T, list *List, text string) {
	t.Helper()
	if got := write(t, list, nil); got != text {
		t.Errorf("without changes, the text must stay\n%q\nfound\n%q", text, got)
	}
	got := write(t, list, someResults)
	before, err := tree.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	after, err := tree.ParseJSON([]byte(got))
	if err != nil {
		t.Fatalf("with results, the list must be JSON, found %v\n%s", err, got)
	}
	results := slices.Clone(tree.Elements(tree.Get(before, "results")))
	results = append(results, someResults[0].Node())
	if !slices.EqualFunc(results, tree.Elements(tree.Get(after, "results")), tree.Equal) {
		t.Errorf("the results must be those that came in and one more, found\n%s", got)
	}
	for key, value := range tree.Entries(before) {
		if key != "results" && !tree.Same(value, tree.Get(after, key)) {
			t.Errorf("with results, %s must stay, found\n%s", key, got)
		}
	}
}

func write(t *testing.T, list *List, results []report.Result) string {
	t.Helper()
	texts, err := list.Write(results)
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.Join(texts, nil))
}
