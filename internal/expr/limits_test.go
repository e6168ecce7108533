package expr

import (
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func TestResolvingIsBounded(t *testing.T) {
	long := golden.MapOf("l", golden.ListOf(dialect.MaxLocations+1, tree.NewString("x")))
	for _, test := range []struct {
		dialect    dialect.Dialect
		expression string
		root       *tree.Node
		cause      string
	}{
		{jsonpath.Dialect, "..x", golden.Bomb(), "must visit at most 10000000 map members and list elements"},
		{jsonpath.Dialect, "..x..y", golden.Bomb(), "must visit at most 10000000 map members and list elements"},
		{jsonpath.Dialect, ".l[?(@.a)]" + strings.Repeat("[*]", 9), golden.Bomb(), ""},
		{jsonpath.Dialect, ".l[?(@.a.b.c.d.e.f.g.h==1)]", golden.MapOf("l", golden.ListOf(120_000, tree.NewString("x"))), ""},
		{jsonpath.Dialect, ".l[?(@.a.a==1)]", golden.MapOf("l", golden.ListOf(300_000, golden.MapOf("a", golden.MapOf("a", tree.NewInt(2))))),
			"must visit at most 10000000 map members and list elements"},
		{jsonpath.Dialect, ".l" + strings.Repeat("[*]", 5) + "[?(@..x)]", golden.Bomb(),
			"must visit at most 10000000 map members and list elements"},
		{jsonpath.Dialect, ".l" + strings.Repeat("[*]", 9), golden.Bomb(),
			"must visit at most 10000000 map members and list elements"},
		{jsonpath.Dialect, ".l[*]", long, "must find at most 262144 fields"},
		{jsonpath.Dialect, "...*", long, "must find at most 262144 fields"},
		{jsonpath.Dialect, "..x", golden.Knot(), "must go at most 10000 levels deep"},
		{jsonpointer.Dialect, "/l" + strings.Repeat("/*", 9) + "/x", golden.Bomb(),
			"must visit at most 10000000 map members and list elements"},
		{jsonpointer.Dialect, "/l/*", long, "must find at most 262144 fields"},
	} {
		want := ""
		if test.cause != "" {
			want = (&fault.RuntimeError{Failure: test.dialect.Failure, Expression: test.expression, Cause: test.cause}).Error()
		}
		got := ""
		parsed, err := test.dialect.Parse(test.expression, jq.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parsed.Locate(&Input{Root: test.root}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s %s: got error %q, want %q", test.dialect.Name, test.expression, got, want)
		}
	}
}
