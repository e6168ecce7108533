package patchpath

import (
	"math/big"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/golden"
)

// pieces cuts a path at its ${…}.
func pieces(path string) []Piece {
	var all []Piece
	for path != "" {
		at := strings.Index(path, "${")
		if at < 0 {
			return append(all, Piece{Text: path})
		}
		if at > 0 {
			all = append(all, Piece{Text: path[:at]})
		}
		end := at + strings.Index(path[at:], "}") + 1
		all = append(all, Piece{Text: path[at:end], IsExpression: true})
		path = path[end:]
	}
	return all
}

func TestPathTemplateBinds(t *testing.T) {
	whole, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	text := func(s string) Value { return Value{Text: s, Value: s} }
	for _, test := range []struct {
		path   string
		values []Value
		want   []string
	}{
		{"/metadata/annotations/${key}", []Value{text("a.io/b~1'[0]?")},
			[]string{`/metadata/annotations/a.io~1b~01'[0]? ""+"/metadata/annotations/a.io~1b~01'[0]?"`}},
		{"/metadata/${a}~1${b}x", []Value{text("/"), text("-")},
			[]string{`/metadata/~1~1-x ""+"/metadata/~1~1-x"`}},
		{"/metadata/${a}", []Value{text("")}, []string{`/metadata/ ""+"/metadata/"`}},
		{"/data/${port}", []Value{{Text: "8080", Value: 8080}}, []string{"/data/8080 ="}},
		{"/spec/containers/${i}/name", []Value{{Text: "1", Value: 1}}, []string{"/spec/containers/1/name ="}},
		{"/spec/containers[${i}]/name", []Value{{Text: "1", Value: 1}}, []string{"/spec/containers/1/name ="}},
		{"/spec/containers[?(@.name=='${n}')]/${k}", []Value{text("app"), text("name")},
			[]string{"/spec/containers/0/name ="}},
		{"/spec/containers[?(@.odd=='${q}')]", []Value{text("it's ]~")}, []string{"/spec/containers/0 ="}},
		{"/spec/containers[?(@.url=='http:~1~1${host}~1b')]", []Value{text("a")}, []string{"/spec/containers/0 ="}},
		{"/spec/containers[?(@.labels['${k}']=='web')]", []Value{text("app.kubernetes.io/name")},
			[]string{"/spec/containers/0 ="}},
		{"/spec/containers[?(@.labels.${k}=='web')]", []Value{text("app.kubernetes.io/name")},
			[]string{"/spec/containers/0 ="}},

		{"/spec/containers[?(@.port==${p})]", []Value{{Text: "80", Value: 80}}, []string{"/spec/containers/0 ="}},
		{"/spec/containers[?(@.port==${p})]", []Value{text("80")}, []string{"/spec/containers/1 ="}},
		{"/spec/containers[?(@.port=='${p}')]", []Value{{Text: "80", Value: 80}}, []string{"/spec/containers/1 ="}},
		{"/spec/containers[?(@.port==8${p})]", []Value{text("0")}, []string{"/spec/containers/0 ="}},
		{"/spec/containers[?(@.name==a${p})]", []Value{text("pp")}, []string{"/spec/containers/0 ="}},
		{"/spec/containers[?(@.on==${p})]", []Value{{Text: "true", Value: true}}, []string{"/spec/containers/0 ="}},
		{"/spec/containers[?(@.on==${p})]", []Value{{Text: "null"}}, []string{"/spec/containers/1 ="}},
		{"/spec/containers[?(@.port!=${p})]", []Value{{Text: whole.String(), Value: whole}},
			[]string{"/spec/containers/0 =", "/spec/containers/1 ="}},
		{"/spec/containers[?(@.name!=${p})]", []Value{{Text: `["app"]`, Value: []any{"app"}}},
			[]string{"/spec/containers/0 =", "/spec/containers/1 ="}},
	} {
		template, err := ParseTemplate(pieces(test.path))
		if err != nil {
			t.Errorf("%s: %v", test.path, err)
			continue
		}
		targets, err := template.Bind(test.values).Resolve(golden.Parse(t, patchObject), tree.Lookup)
		if err != nil {
			t.Errorf("%s: %v", test.path, err)
		}
		var got []string
		for _, target := range targets {
			got = append(got, describeTarget(target))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.path, diff)
		}
	}
}

// TestPathTemplateIsNoMarker: an expression that yields `-` names a key, and on a list nothing.
func TestPathTemplateIsNoMarker(t *testing.T) {
	template, err := ParseTemplate(pieces("/spec/containers/${x}"))
	if err != nil {
		t.Fatal(err)
	}
	path := template.Bind([]Value{{Text: "-", Value: "-"}})
	targets, err := path.Resolve(golden.Parse(t, patchObject), tree.Lookup)
	if err != nil || len(targets) != 1 || targets[0].Append || targets[0].Obstacle.Problem != NotAnIndex {
		t.Errorf("got %v, %v, want one target with the problem NotAnIndex", targets, err)
	}
	if path.String() != "/spec/containers/-" {
		t.Errorf("got %s, want /spec/containers/-", path)
	}
}

func TestPathTemplateSyntax(t *testing.T) {
	for _, test := range []struct{ path, want string }{
		{"${path}/a", `invalid path '${path}/a' (line 1, column 1): must start with "/", found an expression`},
		{"/a/${b}~", `invalid path '/a/${b}~' (line 1, column 8): "~" must be written ~0, and "/" in a key ~1`},
		{"/a[?(@.b ${op} 'c')]", `invalid path '/a[?(@.b ${op} 'c')]' (line 1, column 10): ` +
			`a filter must compare with == or !=, found an expression`},
		{"/a[${i}", `invalid path '/a[${i}' (line 1, column 3): [ must be closed by ], found the end of the path`},
		{"/a[*]${b}", `invalid path '/a[*]${b}' (line 1, column 6): a bracket must be followed by "/" or "[", found an expression`},
	} {
		_, err := ParseTemplate(pieces(test.path))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got error\n%v\nwant\n%s", test.path, err, test.want)
		}
	}
}
