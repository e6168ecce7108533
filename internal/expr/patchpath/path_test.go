package patchpath

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/location"
)

const patchObject = `
data: {"8080": x, "-": y}
nothing: null
spec:
  replicas: 3
  matrix: [[1, 2], [3]]
  hollow: [null]
  empty: []
  containers:
  - name: app
    url: http://a/b
    port: 80
    on: true
    odd: "it's ]~"
    env: [{name: A}]
    labels: {app.kubernetes.io/name: web}
  - name: side
    port: "80"
    on: null
    weight: 0.5
    env: [{name: B}, {name: A}]
    args: [serve]
`

// Parse compiles a path without CEL expressions.
func Parse(text string) (*Path, error) {
	template, err := ParseTemplate([]Piece{{Text: text}})
	if err != nil {
		return nil, err
	}
	return template.Bind(nil), nil
}

// describeTarget writes a target as the tests have it: the location; `=` where it exists, else what
// is there and what is missing; `append`; the obstacle.
func describeTarget(target Match) string {
	text := target.Location.Pointer()
	if target.Exists {
		return text + " ="
	}
	text += fmt.Sprintf(" %q+%q", target.Parent.Pointer(), location.Location(target.Missing).Pointer())
	if target.Append {
		text += " append"
	}
	if target.Obstacle != nil {
		text += ": " + target.Obstacle.Reason + target.Obstacle.Fix
	}
	return text
}

func resolvePath(t *testing.T, text string) ([]string, error) {
	t.Helper()
	path, err := Parse(text)
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return nil, nil
	}
	targets, err := path.Resolve(golden.Parse(t, patchObject), tree.Lookup)
	var all []string
	for _, target := range targets {
		all = append(all, describeTarget(target))
	}
	return all, err
}

func TestPathResolves(t *testing.T) {
	for _, test := range []struct {
		path string
		want []string
	}{
		{"/spec/replicas", []string{"/spec/replicas ="}},
		{"/nothing", []string{"/nothing ="}},
		{"/spec/strategy", []string{`/spec/strategy "/spec"+"/strategy"`}},
		{"/metadata/annotations/a~1b~0c", []string{`/metadata/annotations/a~1b~0c ""+"/metadata/annotations/a~1b~0c"`}},
		{"/spec//", []string{`/spec// "/spec"+"//"`}},
		{"/", []string{`/ ""+"/"`}},
		{"/nothing/a/b", []string{`/nothing/a/b ""+"/nothing/a/b"`}},
		{"/spec/hollow/0/a", []string{`/spec/hollow/0/a "/spec/hollow"+"/0/a"`}},

		{"/data/8080", []string{"/data/8080 ="}},
		{"/data[8080]", []string{"/data/8080 ="}},
		{"/data/0", []string{`/data/0 "/data"+"/0"`}},
		{"/data/-", []string{"/data/- ="}},
		{"/spec/-", []string{`/spec/- "/spec"+"/-"`}},
		{"/spec/containers/1/name", []string{"/spec/containers/1/name ="}},
		{"/spec/containers[1]/name", []string{"/spec/containers/1/name ="}},
		{"/spec/containers/[ 1 ]/name", []string{"/spec/containers/1/name ="}},
		{"/spec/matrix/0/1", []string{"/spec/matrix/0/1 ="}},
		{"/spec/matrix[0][1]", []string{"/spec/matrix/0/1 ="}},
		{"/spec/matrix[*][*]", []string{"/spec/matrix/0/0 =", "/spec/matrix/0/1 =", "/spec/matrix/1/0 ="}},
		{"/spec/matrix/[*]/0", []string{"/spec/matrix/0/0 =", "/spec/matrix/1/0 ="}},

		{"/spec/containers/-", []string{`/spec/containers/2 "/spec/containers"+"/2" append`}},
		{"/spec/containers[-]", []string{`/spec/containers/2 "/spec/containers"+"/2" append`}},
		{"/spec/containers/[-]", []string{`/spec/containers/2 "/spec/containers"+"/2" append`}},
		{"/spec/empty/-", []string{`/spec/empty/0 "/spec/empty"+"/0" append`}},
		{"/spec/matrix[1]/-", []string{`/spec/matrix/1/1 "/spec/matrix/1"+"/1" append`}},
		{"/spec/volumes/-", []string{`/spec/volumes/0 "/spec"+"/volumes/0" append`}},
		{"/a/b[-]", []string{`/a/b/0 ""+"/a/b/0" append`}},
		{"/nothing/-", []string{`/nothing/0 ""+"/nothing/0" append`}},
		{"/spec/containers/2", []string{`/spec/containers/2 "/spec/containers"+"/2"`}},
		{"/spec/empty/0", []string{`/spec/empty/0 "/spec/empty"+"/0"`}},
		{"/spec/containers[*]/env/-", []string{
			`/spec/containers/0/env/1 "/spec/containers/0/env"+"/1" append`,
			`/spec/containers/1/env/2 "/spec/containers/1/env"+"/2" append`,
		}},
	} {
		got, err := resolvePath(t, test.path)
		if err != nil {
			t.Errorf("%s: %v", test.path, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.path, diff)
		}
	}
}

func TestPathObstacles(t *testing.T) {
	for _, test := range []struct {
		path    string
		problem Problem
		want    string
	}{
		{
			"/spec/containers/3", OutOfRange,
			`/spec/containers/3 "/spec/containers"+"/3": the index 3 must be at most 2, the length of spec.containers`,
		},
		{
			"/spec/containers/99999999999999999999", OutOfRange,
			`/spec/containers/9223372036854775807 "/spec/containers"+"/9223372036854775807": ` +
				`the index 99999999999999999999 must be at most 2, the length of spec.containers`,
		},
		{
			"/spec/containers/01", NotAnIndex,
			`/spec/containers/01 "/spec/containers"+"/01": ` +
				`spec.containers is a list; the segment after it must be an index, "-", [*] or a filter, found "01"; write 1`,
		},
		{
			"/spec/containers/00/name", NotAnIndex,
			`/spec/containers/00/name "/spec/containers"+"/00/name": ` +
				`spec.containers is a list; the segment after it must be an index, "-", [*] or a filter, found "00"; write 0`,
		},
		{
			"/spec/containers/-1", NotAnIndex,
			`/spec/containers/-1 "/spec/containers"+"/-1": ` +
				`spec.containers is a list; the segment after it must be an index, "-", [*] or a filter, found "-1"`,
		},
		{
			"/spec/containers/app/image", NotAnIndex,
			`/spec/containers/app/image "/spec/containers"+"/app/image": ` +
				`spec.containers is a list; the segment after it must be an index, "-", [*] or a filter, found "app"; write [?(@.name=='app')]`,
		},
		{
			"/spec/replicas/x", NotAContainer,
			`/spec/replicas/x "/spec/replicas"+"/x": spec.replicas must be a map or a list, found a number`,
		},
		{
			"/spec/replicas/-", NotAContainer,
			`/spec/replicas/0 "/spec/replicas"+"/0" append: spec.replicas must be a map or a list, found a number`,
		},
		{
			"/spec/replicas/x/y", NotAContainer,
			`/spec/replicas/x/y "/spec/replicas"+"/x/y": spec.replicas must be a map or a list, found a number`,
		},
		{
			"/data[-]", NotAContainer,
			`/data/0 "/data"+"/0" append: [-] must be applied to a list, but data is a map`,
		},
		{
			"/spec/volumes/0", MissingElement,
			`/spec/volumes/0 "/spec"+"/volumes/0": the list element spec.volumes[0] must exist, ` +
				`since a path creates no list elements; "-" at the end of a path appends one`,
		},
		{
			"/nothing/0/a", MissingElement,
			`/nothing/0/a ""+"/nothing/0/a": the list element nothing[0] must exist, ` +
				`since a path creates no list elements; "-" at the end of a path appends one`,
		},
		{
			"/spec/containers/2/name", MissingElement,
			`/spec/containers/2/name "/spec/containers"+"/2/name": the list element spec.containers[2] must exist, ` +
				`since a path creates no list elements; "-" at the end of a path appends one`,
		},
		{
			"/spec/containers/-/name", MissingElement,
			`/spec/containers/2/name "/spec/containers"+"/2/name": the list element spec.containers[2] must exist, ` +
				`since a path creates no list elements; "-" at the end of a path appends one`,
		},
		{
			"/spec/volumes/-/-", MissingElement,
			`/spec/volumes/0/0 "/spec"+"/volumes/0/0" append: the list element spec.volumes[0] must exist, ` +
				`since a path creates no list elements; "-" at the end of a path appends one`,
		},
	} {
		path, err := Parse(test.path)
		if err != nil {
			t.Errorf("%s: %v", test.path, err)
			continue
		}
		targets, err := path.Resolve(golden.Parse(t, patchObject), tree.Lookup)
		if err != nil || len(targets) != 1 || targets[0].Obstacle == nil {
			t.Errorf("%s: got %v, %v, want one target with an obstacle", test.path, targets, err)
			continue
		}
		if got := describeTarget(targets[0]); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.path, got, test.want)
		}
		if got := targets[0].Obstacle.Problem; got != test.problem {
			t.Errorf("%s: got problem %d, want %d", test.path, got, test.problem)
		}
	}
}

func TestPathFilters(t *testing.T) {
	for _, test := range []struct{ filter, want string }{
		{`[?(@.name=='app')]`, "0"},
		{`[?(@.name=="app")]`, "0"},
		{`/[?(@.name=='app')]`, "0"},
		{`[ ? ( @.name == 'app' ) ]`, "0"},
		{`[?(@.name!='app')]`, "1"},
		{`[?(@['name']=='app')]`, "0"},
		{`[?(@[ "name" ]=='app')]`, "0"},
		{`[?(@.port==80)]`, "0"},
		{`[?(@.port==80.0)]`, "0"},
		{`[?(@.port==8e1)]`, "0"},
		{`[?(@.port=='80')]`, "1"},
		{`[?(@.port!=80)]`, "1"},
		{`[?(@.weight==0.5)]`, "1"},
		{`[?(@.weight!=0.5)]`, "0"},
		{`[?(@.on==true)]`, "0"},
		{`[?(@.on!=true)]`, "1"},
		{`[?(@.on=='true')]`, ""},
		{`[?(@.on==null)]`, "1"},
		{`[?(@.absent==null)]`, ""},
		{`[?(@.absent!=null)]`, "0 1"},
		{`[?(@.on)]`, "0 1"},
		{`[?(@.url)]`, "0"},
		{`[?(@.url=='http:~1~1a~1b')]`, "0"},
		{`[?(@.url=='http://a/b')]`, "0"},
		{`[?(@.odd=="it's ]~0")]`, "0"},
		{`[?(@.odd=='it\'s ]~0')]`, "0"},
		{`[?(@.odd!='x\y\\')]`, "0 1"},
		{`[?(@.labels['app.kubernetes.io/name']=='web')]`, "0"},
		{`[?(@.labels.app\.kubernetes\.io~1name=='web')]`, "0"},
		{`[?(@.labels=='web')]`, ""},
		{`[?(@.labels!='web')]`, "0 1"},
		{`[?(@.env[0].name=='A')]`, "0"},
		{`[?(@.env.1.name=='A')]`, "1"},
		{`[?(@.env.name=='A')]`, ""},
		{`[?(@.args[0]=='serve')]`, "1"},
		{`[?(@)]`, "0 1"},
		{`[*]`, "0 1"},
	} {
		var want []string
		for _, index := range strings.Fields(test.want) {
			want = append(want, "/spec/containers/"+index+" =")
		}
		got, err := resolvePath(t, "/spec/containers"+test.filter)
		if (err == nil) != (test.want != "") {
			t.Errorf("%s: got error %v", test.filter, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.filter, diff)
		}
	}
}

func TestPathFiltersFanOut(t *testing.T) {
	got, err := resolvePath(t, "/spec/containers[?(@.env)]/env/[?(@.name=='A')]/value")
	want := []string{
		`/spec/containers/0/env/0/value "/spec/containers/0/env/0"+"/value"`,
		`/spec/containers/1/env/1/value "/spec/containers/1/env/1"+"/value"`,
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}
	got, err = resolvePath(t, "/spec/containers[*]/env[?(@.name=='B')]")
	if diff := cmp.Diff([]string{"/spec/containers/1/env/0 ="}, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}
	got, err = resolvePath(t, "/spec/containers[1]/args[?(@=='serve')]")
	if diff := cmp.Diff([]string{"/spec/containers/1/args/0 ="}, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}
}

func TestPathSelectsNothing(t *testing.T) {
	for _, test := range []struct{ path, want string }{
		{
			"/spec/containers[?(@.name=='x')]/image",
			`[?(@.name=='x')] must select an element of spec.containers, which has 2 elements, but none that matches`,
		},
		{
			"/spec/containers[?( @['a.b'].c != 1.50 )]/env[?(@.port==true)]",
			`[?(@.port==true)] must select an element of spec.containers[0].env, which has 1 element, but none that matches`,
		},
		{"/spec/containers[?(@['x.y'])]", `[?(@["x.y"])] must select an element of spec.containers, ` +
			`which has 2 elements, but none that matches`},
		{"/spec/containers[?(@.env==null)]", `[?(@.env==null)] must select an element of spec.containers, ` +
			`which has 2 elements, but none that matches`},
		{"/spec/empty[*]", `[*] must select an element of spec.empty, which is empty`},
		{"/spec[*]", `[*] must select an element of spec, which is a map`},
		{"/[*]", `[*] must select an element of the object, which is a map`},
		{"/nothing[*]/a", `[*] must select an element of nothing, which is null`},
		{"/spec/volumes[?(@.name=='x')]", `[?(@.name=='x')] must select an element of spec.volumes, which does not exist`},
		{"/spec/replicas/x[*]", `[*] must select an element of spec.replicas.x, which does not exist`},
	} {
		path, err := Parse(test.path)
		if err != nil {
			t.Errorf("%s: %v", test.path, err)
			continue
		}
		_, err = path.Resolve(golden.Parse(t, patchObject), tree.Lookup)
		want := "path '" + test.path + "': " + test.want
		if err == nil || err.Error() != want {
			t.Errorf("%s: got error\n%v\nwant\n%s", test.path, err, want)
			continue
		}
		if resolveError, ok := errors.AsType[*ResolveError](err); !ok || resolveError.Problem != NothingSelected {
			t.Errorf("%s: got %#v, want the problem NothingSelected", test.path, err)
		}
	}
}

func TestPathSyntax(t *testing.T) {
	for _, test := range []struct {
		path   string
		column int
		want   string
	}{
		{"", 1, `must start with "/", found the end of the path`},
		{"spec/x", 1, `must start with "/", found "s"; write '/spec/x'`},
		{".spec.x[0]", 1, `must start with "/", found "."; write /spec/x/0`},
		{"spec.x.[name=a].y", 1, `must start with "/", found "s"; write /spec/x[?(@.name=='a')]/y`},
		{"/spec/x/[name=a]/y", 10, `brackets must contain an index, *, - or a filter ?(…), found "n"; write /spec/x[?(@.name=='a')]/y`},
		{"[0]", 1, `must start with "/", found "["; write /0`},
		{"/ü~2", 3, `"~" must be written ~0, and "/" in a key ~1`},
		{"/a~", 3, `"~" must be written ~0, and "/" in a key ~1`},
		{"/a[", 4, `brackets must contain an index, *, - or a filter ?(…), found the end of the path`},
		{"/a[]", 4, `brackets must contain an index, *, - or a filter ?(…), found "]"`},
		{"/a[b]", 4, `brackets must contain an index, *, - or a filter ?(…), found "b"`},
		{"/a['b']", 4, `brackets must contain an index, *, - or a filter ?(…), found "'"; write /a/b`},
		{"/a[-1]", 4, `an index must not be negative; it counts from the start of the list, and a filter selects an element by what is in it`},
		{"/a[0", 3, `[ must be closed by ], found the end of the path`},
		{"/a[0:1]", 3, `[ must be closed by ], found ":"`},
		{"/a[0]b", 6, `a bracket must be followed by "/" or "[", found "b"`},
		{"/a[-]/b", 8, `[-] must be the last segment`},
		{"/a[-][0]", 9, `[-] must be the last segment`},
		{"/a[?@.b]", 5, `"?" must be followed by "(", found "@"`},
		{"/a[?(b=='c')]", 6, `a filter must begin with @, as in [?(@.name=='web')], found "b"`},
		{"/a[?()]", 6, `a filter must begin with @, as in [?(@.name=='web')], found ")"`},
		{"/a[?(@.)]", 8, `"." must be followed by a name, found ")"`},
		{"/a[?(@.b/c=='d')]", 9, `"/" in a key must be written ~1`},
		{"/a[?(@[b]=='c')]", 8, `brackets must contain an index, *, - or a filter ?(…), found "b"`},
		{"/a[?(@['b'=='c')]", 7, `[ must be closed by ], found "="`},
		{"/a[?(@.b='c')]", 9, `a filter must compare with == or !=, found "="; write /a[?(@.b=='c')]`},
		{"/a[?(@.b<3)]", 9, `a filter must compare with == or !=, found "<"`},
		{"/a[?(@.b==)]", 11, `a filter must compare with a value, found ")"`},
		{"/a[?(@.b==c)]", 11, `"c" must be a number, true, false, null or a string in quotes; write /a[?(@.b=='c')]`},
		{"/a[?(@.b==~1)]", 11, `"/" must be a number, true, false, null or a string in quotes`},
		{"/a[?(@.b=='c)]", 11, `' must be closed; write /a[?(@.b=='c')]`},
		{`/a[?(@.b=="c\")]`, 11, `" must be closed`},
		{"/a[?(@.b=='~2')]", 12, `"~" must be written ~0, and "/" in a key ~1`},
		{"/a[?(@.b=='c']", 5, `( must be closed by ), found "]"; write /a[?(@.b=='c')]`},
		{"/a[?(@.b=='c')", 3, `[ must be closed by ], found the end of the path`},
		{"/a[?(@.b=='c' && @.d)]", 15, `a filter must be one condition, found "&"`},
		{"/a[?(@.b||@.d)]", 9, `a filter must compare with == or !=, found "|"`},
		{strings.Repeat("/a", 201), 403, `must be at most 200 levels deep`},
	} {
		_, err := Parse(test.path)
		want := fmt.Sprintf("invalid path '%s' (line 1, column %d): %s", test.path, test.column, test.want)
		if err == nil || err.Error() != want {
			t.Errorf("%.60q: got error\n%v\nwant\n%s", test.path, err, want)
		}
	}
	_, err := Parse("/" + strings.Repeat("a", 64<<10))
	want := `invalid path '/` + strings.Repeat("a", 59) + `…' (line 1, column 1): must be at most 65536 bytes long, found 65537`
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestPathOfNothing(t *testing.T) {
	path, err := Parse("/a/b")
	if err != nil {
		t.Fatal(err)
	}
	targets, err := path.Resolve(nil, tree.Lookup)
	if err != nil || len(targets) != 1 || describeTarget(targets[0]) != `/a/b ""+"/a/b"` {
		t.Errorf("got %v, %v, want everything missing", targets, err)
	}
	if path.String() != "/a/b" {
		t.Errorf("got %s, want /a/b", path)
	}
}
