package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/cli"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
)

var wordsDialect = dialect.Dialect{
	Names: dialect.Names{Name: "words", Title: "words", Noun: "path of words", Failure: "words error"},
	Field: "wordPaths", Doc: "Keys with blanks between them.", Pattern: `^\S`,
	Flag: "words", Usage: "`WORDS` that lead to the fields", Rank: 9,
	Parse: func(text string, _ jq.Limits) (dialect.Expression, error) {
		if text == "" {
			return nil, &fault.SyntaxError{Noun: wordsNames.Noun, Expression: text, Reason: "must have a word"}
		}
		return words(text), nil
	},
	Write: func(path hint.Path) string {
		var keys []string
		for _, step := range path {
			keys = append(keys, step.Key)
		}
		return strings.Join(keys, " ")
	},
	Translate: func(text string) (into, translated string, err error) {
		return dialect.JSONPointer.Name, location.PointerOf(strings.Fields(text)...), nil
	},
}

var wordsNames = dialect.Names{Name: "words", Noun: "path of words"}

// words is an expression of a dialect that only this test has.
type words string

func (w words) Dialect() dialect.Names { return wordsNames }

func (w words) String() string { return string(w) }

func (w words) Locate(in *dialect.Input) (dialect.Match, error) {
	var l location.Location
	for _, key := range strings.Fields(string(w)) {
		l = append(l, location.Key(key))
	}
	if location.At(in.Root, l) == nil {
		return dialect.Match{}, nil
	}
	return dialect.Match{Locations: []location.Location{l}}, nil
}

// TestDialectOfTheTable adds a dialect to the table, and finds it wherever dialects are.
func TestDialectOfTheTable(t *testing.T) {
	before := expr.Dialects
	expr.Dialects = append(before[:len(before):len(before)], wordsDialect)
	defer func() { expr.Dialects = before }()

	folder := t.TempDir()
	for name, text := range map[string]string{
		"web.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3, paused: true}\n",
		"rules.yaml": "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata: {name: rules}\n" +
			"ignoreFields:\n- wordPaths: [spec replicas]\n",
		"data.yaml":   "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rules}\ndata: {wordPaths: spec replicas}\n",
		"faulty.yaml": "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata: {name: rules}\nignoreFields: [{wordPaths: ['']}]\n",
		"empty.yaml":  "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata: {name: rules}\nignoreFields: [{}]\n",
		"plain.yaml":  "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata: {name: rules}\nignoreFields: [spec replicas]\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	for _, test := range []struct{ args, want string }{
		{"schema IgnoreFields", `"description": "Keys with blanks between them."`},
		{"schema IgnoreFields", `"pattern": "^\\S"`},
		{"run -c rules.yaml web.yaml", "spec: {paused: true}"},
		{"run -c rules.yaml web.yaml", "spec.replicas (ignoreFields[0].wordPaths[0])"},
		{"run -c data.yaml web.yaml", "spec: {paused: true}"},
		{"run -c faulty.yaml web.yaml", "ignoreFields[0].wordPaths[0]: invalid path of words '': must have a word"},
		{"run -c empty.yaml web.yaml", " or wordPaths"},
		{"run -c plain.yaml web.yaml", `ignoreFields[0]: must be a map, found "spec replicas"; write {wordPaths: ["spec replicas"]}`},
		{"run --words spec_replicas web.yaml", "spec: {paused: true}"},
		{"run --help", "--words WORDS"},
		{"run --kind Deployment web.yaml", ", --words or --from-owners with them"},
		{"explain -c rules.yaml web.yaml", "spec replicas"},
		{"explain -c rules.yaml -o json web.yaml", `"dialect": "words"`},
		{"locate --field spec.replicas web.yaml", "wordPaths          spec replicas"},
		{"locate --field spec.replicas -o json web.yaml", `"words": "spec replicas"`},
		{"convert --from ignorefields --to argocd rules.yaml", "/spec/replicas"},
	} {
		args := strings.Fields(test.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "_", " ")
		}
		var out bytes.Buffer
		code := cli.Main(args, cli.Build{}, cli.Streams{In: os.Stdin, Out: &out, Err: &out})
		if !strings.Contains(out.String(), test.want) {
			t.Errorf("%s (exit %d) must show %q, printed:\n%s", test.args, code, test.want, &out)
		}
	}
}
