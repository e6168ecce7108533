package object

import (
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func jsonItem(text string) *Object {
	return JSONItems(1, func(int) []byte { return []byte(text) })[0]
}

func checkText(t *testing.T, o *Object, want string) {
	t.Helper()
	got, err := o.Text()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("the text must be %s, found %s", want, got)
	}
}

func TestJSONItem(t *testing.T) {
	const text = `{ "kind":"A",  "a" : "\u0041\/" , "n":1.50 }`
	o := jsonItem(text)
	if err := o.Flush(); err != nil || o.Changed() {
		t.Errorf("an object without edits must be flushed and not changed, found changed %v and %v", o.Changed(), err)
	}
	checkText(t, o, text)
	if err := o.Set(location.Location{location.Key("b")}, tree.NewString("x")); err != nil {
		t.Fatal(err)
	}
	const edited = `{ "kind":"A",  "a" : "\u0041\/" , "n":1.50, "b":"x" }`
	checkText(t, o, edited)
	if err := o.Flush(); err != nil || o.loaded || !o.Changed() {
		t.Errorf("an object with edits must be flushed and changed, found the data there %v, changed %v and %v", o.loaded, o.Changed(), err)
	}
	checkText(t, o, edited)
	if got := tree.GetString(o.Original(), "b"); got != "x" {
		t.Errorf(`b must be "x" after Flush, found %q`, got)
	}
	o.Remove([]location.Location{{location.Key("a")}})
	checkText(t, o, `{ "kind":"A",  "n":1.50, "b":"x" }`)
	o.Reset()
	checkText(t, o, text)
	if o.Changed() {
		t.Error("an object must not be changed after Reset")
	}
	if got := string(o.Source()); got != text {
		t.Errorf("the source must be %s, found %s", text, got)
	}
}

// TestJSONItemTakesNoComments holds an object in JSON to its bytes.
func TestJSONItemTakesNoComments(t *testing.T) {
	o := jsonItem(`{ "a":1}`)
	o.SetLineComments([]LineComment{{Location: location.Location{location.Key("a")}, Comment: "# x"}}, []string{"# x"})
	checkText(t, o, `{ "a":1}`)
	if o.Changed() {
		t.Error("JSON has no comments, so that the object must not be changed")
	}
}

// TestFlushOfCommentsThatAreThere sets comments that the text has: nothing changes.
func TestFlushOfCommentsThatAreThere(t *testing.T) {
	for text, want := range map[string]bool{
		"- a: 1 # x\n":           false,
		"- a: 1\n":               true,
		"- a: 1 # x\n  b: # x\n": true,
	} {
		o := Items(1, func(int) []byte { return []byte(text) })[0]
		o.SetLineComments([]LineComment{{Location: location.Location{location.Key("a")}, Comment: "# x"}}, []string{"# x"})
		if err := o.Flush(); err != nil || o.Changed() != want {
			t.Errorf("%q: changed must be %v, found %v and %v", text, want, o.Changed(), err)
		}
	}
}

// TestFlushKeepsData flushes objects whose text would be read as something else.
func TestFlushKeepsData(t *testing.T) {
	deep := &tree.Node{Kind: tree.SequenceNode}
	for range 1000 {
		deep = &tree.Node{Kind: tree.SequenceNode, Content: []*tree.Node{deep}}
	}
	for name, value := range map[string]*tree.Node{
		"nested too deep":    deep,
		"a number of YAML's": tree.NewScalar(tree.IntTag, "0x1F"),
	} {
		t.Run(name, func(t *testing.T) {
			o := jsonItem(`{"kind":"A"}`)
			if err := o.Set(location.Location{location.Key("a")}, value); err != nil {
				t.Fatal(err)
			}
			if err := o.Flush(); err != nil {
				t.Fatal(err)
			}
			if got := tree.Get(o.Root(), "a"); got != value {
				t.Errorf("the value must stay, found a %s", tree.Type(got))
			}
			if !o.Changed() || !strings.HasPrefix(string(o.Source()), `{"kind"`) {
				t.Error("the object must be changed, and have its source")
			}
		})
	}
}

func TestJSONItemErr(t *testing.T) {
	for text, want := range map[string]string{
		"{\"a\": 1,\n\"a\": 2}":                               `the key "a" is twice in one object`,
		strings.Repeat("[", 1000) + strings.Repeat("]", 1000): "values must be nested at most 1000 levels deep",
		strings.Repeat("[", 999) + strings.Repeat("]", 999):   "",
	} {
		got := ""
		if err := jsonItem(text).Err(); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%.20s… must give the error %q, found %q", text, want, got)
		}
	}
}

// FuzzMentions holds Mentions against the strings of the data.
func FuzzMentions(f *testing.F) {
	const words = "fn.kpt.dev/live"
	for _, text := range []string{
		`a: {b: fn.kpt.dev/live}`, `fn.kpt.dev/live: "true"`, `a: "\x66n.kpt.dev/live"`, `a: "fn.kpt.dev/liv\u0065"`, `a: "fn\U0000002ekpt.dev/live"`,
		"a: \"fn.k\\\n   pt.\\\n  \\\n dev/live\"", "a: \"fn\\\u0085 .kpt.dev/live\"", "a: \"fn\\\r .kpt.dev\\\u2028/live\"", `a: 'fn\x2ekpt.dev/live'`,
		"a: \"\\\\\\\n fn.kpt.dev\\x2flive\"", "a: \"fn.kpt\\\n\n .dev/live\"", "- 'x\\'\n- \"fn.kpt.dev/\\x6cive\"", "a: >-\n  fn.kpt.dev/\n  live", "{\"a\": \"fn.kpt.dev\\/live\"}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseDocument([]byte(text))
		if err != nil {
			return
		}
		var has func(n *tree.Node) bool
		has = func(n *tree.Node) bool {
			return n != nil && (strings.Contains(n.Text(), words) || slices.ContainsFunc(n.Content, has))
		}
		if has(o.Root()) && !o.Mentions(words) {
			t.Errorf("%q has the words, Mentions tells that it does not", text)
		}
		if !strings.Contains(text, `\`) && o.Mentions(words) != strings.Contains(text, words) {
			t.Errorf("%q: Mentions differs from the words in the text", text)
		}
	})
}

func TestMentions(t *testing.T) {
	for _, test := range []struct {
		text string
		yaml bool
		want bool
	}{
		{text: `{"kind":"Secret"}`, want: true},
		{text: `{"kind":"\u0053ecret"}`, want: true},
		{text: `{"kind":"\n\u0053ecret"}`, want: true},
		{text: `{"kind":"\\u0053ecret"}`, want: false},
		{text: `{"kind":"a\/b\u003c\u00e9\ud83d\ude00"}`, want: false},
		{text: `{"kind":"a\n\"b\\c\t"}`, want: false},
		{text: `{"kind":"ConfigMap"}`, want: false},
		{text: `- kind: Secret`, yaml: true, want: true},
		{text: `- kind: "\x53ecret"`, yaml: true, want: true},
		{text: `- kind: ConfigMap`, yaml: true, want: false},
		{text: `- kind: "\\\x53ecret"`, yaml: true, want: true},
		{text: `- kind: "\\x53ecret"`, yaml: true, want: false},
		{text: `- kind: "\u0053ecret"`, yaml: true, want: true},
		{text: `- kind: "\U00000053ecret"`, yaml: true, want: true},
		{text: "- kind: \"Sec\\\n    ret\"", yaml: true, want: true},
		{text: "- kind: \"Sec\\\n  \\\n  ret\"", yaml: true, want: true},
		{text: "- kind: \"Sec\\\r\n\tret\"", yaml: true, want: true},
		{text: "- run: |\n    kubectl get secrets \\\n      --all", yaml: true, want: false},
		{text: `- match: ^/api/v\d+\.\w+\\$`, yaml: true, want: false},
		{text: `- match: 'c\'`, yaml: true, want: false},
		{text: `- match: c\`, yaml: true, want: false},
	} {
		o := jsonItem(test.text)
		if test.yaml {
			o = Items(1, func(int) []byte { return []byte(test.text) })[0]
		}
		if got := o.Mentions("Secret"); got != test.want {
			t.Errorf("%s may mention Secret: want %v, found %v", test.text, test.want, got)
		}
	}
	several := Items(1, func(int) []byte { return []byte("- a: b") })[0]
	for _, words := range []string{"c", "b", "c", "d", "b"} {
		if want := words == "b"; several.Mentions(words) != want {
			t.Errorf("the object may mention %s: want %v", words, want)
		}
	}
	if !jsonItem(`{"a":"fn.kpt.dev\/live"}`).Mentions("fn.kpt.dev/live") {
		t.Error("a slash may be an escape")
	}
	if !JSON(tree.NewString("x")).Mentions("Secret") {
		t.Error("an object without text may mention anything")
	}
	changed := jsonItem(`{"kind":"ConfigMap"}`)
	if changed.Mentions("Secret") {
		t.Error("the object must not mention Secret before it is changed")
	}
	if err := changed.Set(location.Location{location.Key("kind")}, tree.NewString("Secret")); err != nil {
		t.Fatal(err)
	}
	if err := changed.Flush(); err != nil || !changed.Mentions("Secret") {
		t.Error("an object may mention what it was changed to")
	}
}
