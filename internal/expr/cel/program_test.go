package cel

import (
	"errors"
	"math/big"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func newEnvironment(tb testing.TB, variables ...string) *Environment {
	tb.Helper()
	e, err := NewEnvironment(Options{Variables: variables})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// sample is the environment of most tests, and its variables.
func sample(tb testing.TB) (*Environment, Input) {
	tb.Helper()
	resource, err := tree.Parse([]byte(`
kind: Deployment
metadata: {name: web, labels: {z: "1", a: "2", m: "3"}, annotations: {prometheus.io/port: "80"}}
spec:
  replicas: 3
  ratio: 1.5
  thousand: 1e3
  large: 9223372036854775808
  none: null
  containers: [{name: app, image: a:1}, {name: log, image: b:2, args: []}]
`))
	if err != nil {
		tb.Fatal(err)
	}
	return newEnvironment(tb, "resource", "parameters", "port"), Input{Variables: map[string]any{
		"resource":   tree.Value(resource),
		"parameters": map[string]any{"tier": "web", "ports": []any{80, 443}, "zone": "+01:00"},
		"port":       map[string]any{"name": "http", "number": 8080},
	}}
}

var cmpBigInts = cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })

func TestProgramEval(t *testing.T) {
	e, variables := sample(t)
	for expression, want := range map[string]any{
		`resource.spec.replicas`:                                     3,
		`resource.spec.replicas > 1`:                                 true,
		`resource.spec.replicas > 2.5`:                               true,
		`resource.spec.replicas == 3.0`:                              true,
		`resource.spec.ratio * 2.0`:                                  3.0,
		`resource.spec.ratio`:                                        1.5,
		`resource.spec.thousand == 1000`:                             true,
		`resource.spec.large`:                                        new(big.Int).SetUint64(1 << 63),
		`resource.spec.large - 1u`:                                   1<<63 - 1,
		`resource.spec.none == null`:                                 true,
		`resource.spec.none`:                                         nil,
		`resource.metadata.annotations["prometheus.io/port"]`:        "80",
		`resource.spec.containers[1].name`:                           "log",
		`resource.spec.containers.map(c, c.name)`:                    []any{"app", "log"},
		`resource.metadata.labels.map(k, k)`:                         []any{"a", "m", "z"},
		`{"z": 1, "a": 2, "m": 3}.map(k, k)`:                         []any{"a", "m", "z"},
		`{2: 1, "a": 2, 1: 3, true: 4}.map(k, string(k))`:            []any{"true", "1", "2", "a"},
		`resource.?spec.?missing.orValue("none")`:                    "none",
		`resource.metadata.labels`:                                   map[string]any{"z": "1", "a": "2", "m": "3"},
		`{"a": [1, 2u, null, b"abc", duration("90s")]}`:              map[string]any{"a": []any{1, 2, nil, "YWJj", "90s"}},
		`timestamp("2020-01-02T03:04:05Z")`:                          "2020-01-02T03:04:05Z",
		`timestamp("2020-01-02T03:04:05Z").getHours("+02:00")`:       5,
		`timestamp("2020-01-02T03:04:05Z").getHours("UTC")`:          3,
		`timestamp("2020-01-02T03:04:05Z").getHours()`:               3,
		`optional.of(1)`:                                             1,
		`[1, 2] + [3]`:                                               []any{1, 2, 3},
		`[3, 1, 2].sort()`:                                           []any{1, 2, 3},
		`resource.spec.containers.sortBy(c, c.image).map(c, c.name)`: []any{"app", "log"},
		`[[1], [2, [3]]].flatten()`:                                  []any{1, 2, []any{3}},
		`[1, 1.0, 2].distinct()`:                                     []any{1, 2},
		`[1, 2, 3].slice(1, 2)`:                                      []any{2},
		`[1, 2].first().value() + [1, 2].last().value()`:             3,
		`lists.range(3).reverse()`:                                   []any{2, 1, 0},
		`sets.contains([1, 2], [1]) && sets.equivalent([1], [1, 1])`: true,
		`math.greatest(1, 2.5)`:                                      2.5,
		`"a,b".split(",").join("-").upperAscii()`:                    "A-B",
		`"a,b,c".split(",", 2)`:                                      []any{"a", "b,c"},
		`"aaa".replace("a", "b", 2)`:                                 "bba",
		`"%s is %d and %.2f".format(["a", 1, 1.5])`:                  "a is 1 and 1.50",
		`"abcd".indexOf("c") + "abcd".charAt(1).size()`:              3,
		`"abc".matches("^a.c$") && !matches("x", "y")`:               true,
		`"a".matches(parameters.tier)`:                               false,
		`"web" in [parameters.tier] && 80 in parameters.ports`:       true,
		`resource == resource && resource != parameters`:             true,
		`[resource.spec.replicas > 1 ? "many" : "one"]`:              []any{"many"},
		`optional.of([1]).optMap(v, v + [2])`:                        []any{1, 2},
		`has(resource.spec.missing)`:                                 false,
		`google.protobuf.Struct{}`:                                   map[string]any{},
	} {
		t.Run(expression, func(t *testing.T) {
			p, err := e.Compile(expression)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Eval(variables)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpBigInts); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestProgramEvalKeepsLargeNumbers shows that data passed on as a whole keeps numbers that CEL does
// not have.
func TestProgramEvalKeepsLargeNumbers(t *testing.T) {
	large, _ := new(big.Int).SetString("1000000000000000000001", 10)
	e := newEnvironment(t, "parameters")
	variables := Input{Variables: map[string]any{"parameters": map[string]any{"a": map[string]any{"b": large}}}}
	for expression, want := range map[string]any{
		`parameters.a`:            map[string]any{"b": large},
		`parameters.a.b`:          1e21,
		`parameters.a.b > 1000.0`: true,
	} {
		p, err := e.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Eval(variables)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpBigInts); diff != "" {
			t.Errorf("%s: %s", expression, diff)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	e, _ := sample(t)
	for expression, want := range map[string]string{
		``:  `invalid CEL expression '': the expression must not be empty`,
		` `: `invalid CEL expression ' ': the expression must not be empty`,
		`port.number +`: `invalid CEL expression 'port.number +' (line 1, column 14): Syntax error: mismatched input ` +
			`'<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, ` +
			`STRING, BYTES, IDENTIFIER}`,
		"port\n  .number == é": `invalid CEL expression 'port` + "\n" + `  .number == é' (line 2, column 14): ` +
			`Syntax error: ` +
			`token recognition error at: 'é'; (line 2, column 15): Syntax error: mismatched input '<EOF>' expecting ` +
			`{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`,
		`item.a == resource.b`: `invalid CEL expression 'item.a == resource.b' (line 1, column 1): ` +
			`undeclared reference to 'item'; the variables here are: parameters, port, resource`,
		`"a" + 1`: `invalid CEL expression '"a" + 1' (line 1, column 5): found no matching overload for '_+_' ` +
			`applied to '(string, int)'`,
		`"a".matches("(")`: "invalid CEL expression '\"a\".matches(\"(\")' (line 1, column 13): error parsing regexp: missing closing ): `(`",
		`"a".matches("(abcdefghijk){1000}")`: `invalid CEL expression '"a".matches("(abcdefghijk){1000}")' (line ` +
			`1, column 13): regex program size 13002 exceeds limit of 10000`,
		`"%.101f".format([1.0])`: `invalid CEL expression '"%.101f".format([1.0])' (line 1, column 16): could not parse ` +
			`formatting clause: error while parsing precision: precision 101 exceeds maximum allowed precision 100`,
	} {
		t.Run(expression, func(t *testing.T) {
			_, err := e.Compile(expression)
			if _, ok := errors.AsType[*fault.SyntaxError](err); !ok {
				t.Fatalf("got the error %v, want a *SyntaxError", err)
			}
			if diff := cmp.Diff(want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEvalErrors(t *testing.T) {
	e, variables := sample(t)
	for expression, want := range map[string]string{
		`1 / 0`:                          `division by zero`,
		`int("x")`:                       `type conversion error from 'string' to 'int'`,
		`port.name + 1`:                  `no such overload: string + int`,
		`-port.name`:                     `no such overload: -string`,
		`port.number.map(c, c)`:          `got 'types.Int', expected iterable type`,
		`port.missing`:                   `no such key: missing`,
		`port.name.replace(dyn(1), "a")`: `no such overload: replace(string, int, string)`,
		`type(1)`:                        `the result must be data, found a value of the type type`,
		`{1: 2}`:                         `the keys of a map must be strings, found int 1`,
		`0.0 / 0.0`:                      `the result must be a number that JSON has, found NaN`,
		`optional.none()`:                `the result must be a value, found optional.none(); give one with .orValue(…)`,
		`"a".matches(port.name + "(")`:   "error parsing regexp: missing closing ): `http(`",
		`timestamp("2020-01-02T03:04:05Z").getHours("Europe/Paris")`: `a time zone must be UTC or an offset such ` +
			`as +01:00, found "Europe/Paris"`,
	} {
		t.Run(expression, func(t *testing.T) {
			p, err := e.Compile(expression)
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Eval(variables)
			failure, ok := errors.AsType[*EvalError](err)
			if !ok {
				t.Fatalf("got the error %v, want an *EvalError", err)
			}
			if diff := cmp.Diff("CEL expression runtime error in '"+expression+"': "+want, failure.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEvalErrorMissingField(t *testing.T) {
	e, variables := sample(t)
	for expression, want := range map[string]bool{
		`resource.spec.missing`:                                          true,
		`resource.missing.spec > 1`:                                      true,
		`resource["missing"]`:                                            true,
		`resource.spec.replicas.missing`:                                 true,
		`resource.spec.containers[2]`:                                    true,
		`resource.spec.containers.map(c, c.args)`:                        true,
		`resource.spec.containers.filter(c, c.missing).size() > 0`:       true,
		`resource.spec.containers.filter(c, c.name == "app")[0].missing`: true,
		`parameters.ports.exists(p, p == resource.missing)`:              true,
		`parameters[resource.missing]`:                                   true,
		`has(resource.missing.field)`:                                    true,
		`(true ? resource : parameters).missing`:                         true,
		`dyn(resource).missing`:                                          true,
		`[resource][0].missing`:                                          true,
		`{"a": resource}.a.missing`:                                      true,
		`optional.of(resource).optMap(r, r.missing)`:                     true,
		`resource.missing == 1 && 1 / 0 == 1`:                            true,
		`parameters.missing`:                                             false,
		`port.missing`:                                                   false,
		`{"a": 1}.missing`:                                               false,
		`resource.spec[parameters.missing]`:                              false,
		`parameters.ports.map(resource, resource.missing)`:               false,
		`resource.spec["replicas"][true]`:                                true,
		`resource.spec.containers["name"]`:                               false,
		`1 / 0 == resource.spec.replicas`:                                false,
	} {
		t.Run(expression, func(t *testing.T) {
			p, err := e.Compile(expression)
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Eval(variables)
			failure, ok := errors.AsType[*EvalError](err)
			if !ok {
				t.Fatalf("got the error %v, want an *EvalError", err)
			}
			if got := p.lacksResource(failure); got != want {
				t.Errorf("the resource lacks it is %v for: %v", got, failure)
			}
		})
	}
}

func TestProgramEvalText(t *testing.T) {
	e, variables := sample(t)
	for expression, want := range map[string]string{
		`port.name`:              `http`,
		`port.number`:            `8080`,
		`1.50`:                   `1.5`,
		`null`:                   `null`,
		`true`:                   `true`,
		`{"b": "<&>", "a": [1]}`: `{"a":[1],"b":"<&>"}`,
		`resource.spec.large`:    `9223372036854775808`,
	} {
		p, err := e.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.EvalText(variables)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s = %s, want %s", expression, got, want)
		}
	}
}

// TestProgramIsConcurrent is for the race detector, too.
func TestProgramIsConcurrent(t *testing.T) {
	e, variables := sample(t)
	for expression, want := range map[string]string{
		`resource.spec.containers.map(c, c.name).join(",")`: "app,log",
		`port.name.matches("h.*")`:                          "true",
		`port.name + 1`: "CEL expression runtime error in 'port.name + 1': no " +
			"such overload: string + int",
		`port.missing`: "CEL expression runtime error in 'port.missing': no " +
			"such key: missing",
	} {
		p, err := e.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				got, err := p.EvalText(variables)
				if err != nil {
					got = err.Error()
				}
				if got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			})
		}
		wait.Wait()
	}
}

func TestNewEnvironmentErrors(t *testing.T) {
	for name, want := range map[string]string{
		"":         `'' can't be a variable: it must begin with a letter or _ and have letters, digits and _ only`,
		"a-b":      `'a-b' can't be a variable: it must begin with a letter or _ and have letters, digits and _ only`,
		"1a":       `'1a' can't be a variable: it must begin with a letter or _ and have letters, digits and _ only`,
		"in":       `'in' can't be a variable: the word is reserved in CEL`,
		"resource": `'resource' can't be a variable: another variable has that name`,
	} {
		_, err := NewEnvironment(Options{Variables: []string{Resource, Parameters, name}})
		if _, ok := errors.AsType[*VariableError](err); !ok {
			t.Fatalf("%q: got the error %v, want a *VariableError", name, err)
		}
		if err.Error() != want {
			t.Errorf("got %s, want %s", err, want)
		}
	}
}

func TestErrorsShowTheBeginningOfALongExpression(t *testing.T) {
	e, _ := sample(t)
	_, err := e.Compile(strings.Repeat("é", maxExpressionBytes))
	want := `invalid CEL expression '` + strings.Repeat("é", 300) + `…': the expression must be at most 65536 ` +
		`bytes long, found 131072`
	if err == nil || err.Error() != want {
		t.Errorf("got the error %v, want %s", err, want)
	}
}
