package cel

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/guard"
)

func TestTemplateEval(t *testing.T) {
	e, variables := sample(t)
	for text, want := range map[string]any{
		"":                              "",
		"text":                          "text",
		"${port.number}":                8080,
		" ${port.number}\n":             8080,
		"${port.name}":                  "http",
		"${resource.metadata.labels}":   map[string]any{"z": "1", "a": "2", "m": "3"},
		"${null}":                       nil,
		"${true}":                       true,
		"a ${port.number}":              "a 8080",
		"${port.name}${port.number}":    "http8080",
		"${port.name} ${port.number} ":  "http 8080 ",
		"${port}":                       map[string]any{"name": "http", "number": 8080},
		"p=${port}":                     `p={"name":"http","number":8080}`,
		"l=${[1, 'a', null, 1.5]}":      `l=[1,"a",null,1.5]`,
		"n=${null} b=${1 > 2} f=${1e3}": "n=null b=false f=1000",
		"$${port.name}":                 "${port.name}",
		"$$${port.name}":                "$${port.name}",
		"a$${b}c${port.name}":           "a${b}chttp",
		"$ {a} $a $} {}":                "$ {a} $a $} {}",
		`${{"a": "}"}["a"]}`:            "}",
		`x${{"a": {"b": 1}}.a.b}y`:      "x1y",
		`${"}" + '{' + "\"}" + '\'}'}`:  `}{"}'}`,
		`${r"\" + "}"}`:                 `\}`,
		`${R'\'}}`:                      `\}`,
		`${b"}" == b'}'}`:               true,
		`${br"\" == bR'\'}`:             true,
		`${"""a"}""" + '''b'}'''}`:      `a"}b'}`,
		`${r"""\"}\"""}`:                `\"}\`,
		"${1 // } a comment\n + 1}":     2,
		`${"//}"}`:                      "//}",
		`é${"é}"}`:                      "éé}",
	} {
		t.Run(text, func(t *testing.T) {
			template, err := e.ParseTemplate(text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := template.Eval(variables)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTemplatePieces(t *testing.T) {
	e, _ := sample(t)
	template, err := e.ParseTemplate("/a$${b/${port.name}[?(@.x=='${ port.number }')]")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, piece := range template.Pieces() {
		if piece.Program != nil {
			got = append(got, "expression:"+piece.Program.String())
			continue
		}
		got = append(got, "text:"+piece.Text)
	}
	want := []string{"text:/a${b/", "expression:port.name", "text:[?(@.x=='", "expression: port.number ", "text:')]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if template.IsLiteral() {
		t.Error("IsLiteral is true")
	}
}

func TestParseTemplateErrors(t *testing.T) {
	e, _ := sample(t)
	for text, want := range map[string]string{
		"é ${port.name": `invalid CEL expression 'é ${port.name' (line 1, column 3): ` +
			"${ must be closed by }; write $${ for a literal ${",
		"a\nbc ${ '}'": "invalid CEL expression 'a\nbc ${ '}'' (line 2, column 4): " +
			"${ must be closed by }; write $${ for a literal ${",
		"${ {1: 2} ": `invalid CEL expression '${ {1: 2} ' (line 1, column 1): ` +
			"${ must be closed by }; write $${ for a literal ${",
		"${}":   "invalid CEL expression '': the expression must not be empty",
		"a${ }": "invalid CEL expression ' ': the expression must not be empty; write $${ for a literal ${",
		"a ${port.name} b ${nme}": `invalid CEL expression 'nme' (line 1, column 1): undeclared reference to 'nme'; ` +
			"the variables here are: parameters, port, resource; write $${ for a literal ${",
		"${HOME}": `invalid CEL expression 'HOME' (line 1, column 1): undeclared reference to 'HOME'; ` +
			"the variables here are: parameters, port, resource; write $${ for a literal ${",
		"${port.}": "invalid CEL expression 'port.' (line 1, column 6): Syntax error: no viable alternative at input '.'",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := e.ParseTemplate(text)
			if _, ok := errors.AsType[*fault.SyntaxError](err); !ok {
				t.Fatalf("got the error %v, want a *SyntaxError", err)
			}
			if diff := cmp.Diff(want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTemplateEvalErrors(t *testing.T) {
	e, variables := sample(t)
	for text, want := range map[string]string{
		"a ${port.missing}": "CEL expression runtime error in 'port.missing': no such key: missing",
		"${port.missing}":   "CEL expression runtime error in 'port.missing': no such key: missing",
		"a ${type(1)}": "CEL expression runtime error in 'type(1)': the result must be data, found a value " +
			"of the type type",
	} {
		template, err := e.ParseTemplate(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = template.Eval(variables); err == nil || err.Error() != want {
			t.Errorf("%s: got the error %v, want %s", text, err, want)
		}
	}
}

// TestTemplateEvalIsBounded has expressions that are fine each, but not their texts together.
func TestTemplateEvalIsBounded(t *testing.T) {
	e, variables := sample(t)
	variables.Variables["port"] = strings.Repeat("x", guard.DefaultMemory/16)
	template, err := e.ParseTemplate("a" + strings.Repeat("${port}", 16))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = template.Eval(variables); !guard.IsLimit(err) {
		t.Errorf("got the error %v, want a limit", err)
	}
}

func TestCompileWhole(t *testing.T) {
	e, variables := sample(t)
	p, err := e.compileWhole(" ${port.number + 1} ")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.Eval(variables); err != nil || got != 8081 {
		t.Errorf("got %v and the error %v, want 8081", got, err)
	}
	for text, want := range map[string]string{
		" port.number ": "invalid CEL expression ' port.number ': it must be one expression in ${…}; write " +
			"${port.number}",
		"":                   "invalid CEL expression '': it must be one expression in ${…}",
		"${port} ${port}":    "invalid CEL expression '${port} ${port}': it must be one expression in ${…}",
		"${port} and ${1}":   "invalid CEL expression '${port} and ${1}': it must be one expression in ${…}",
		"$${port.name}":      "invalid CEL expression '$${port.name}': it must be one expression in ${…}",
		"${port.name}suffix": "invalid CEL expression '${port.name}suffix': it must be one expression in ${…}",
	} {
		if _, err := e.compileWhole(text); err == nil || err.Error() != want {
			t.Errorf("%q: got the error %v, want %s", text, err, want)
		}
	}
}

// FuzzTemplate checks that a template is what its parts say, that none panics, and that each error
// is one of the typed ones.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{
		"a", "${port.name}", "a ${port.number} b", "$${a}", `${{"a": "}"}["a"]}`, `${r"\" + '''}'''}`, "${1 // }\n}",
		"${resource.spec.containers.map(c, c.name).join(',')}", "${[1, 2].map(x, x + x)}", "${port.missing", "${", "$$$${}",
		"${parameters.ports.filter(p, p > 80)}", "${{1: 2}}", "${optional.none()}", "${'%s'.format([port])}", "${b'\xff'}",
	} {
		f.Add(seed)
	}
	e, variables := sample(f)
	f.Fuzz(func(t *testing.T, text string) {
		parts, err := split(text)
		if err == nil {
			if got := joined(parts); got != text {
				t.Errorf("%q splits into %+v", text, parts)
			}
		}
		template, err := e.ParseTemplate(text)
		if err != nil {
			if _, ok := errors.AsType[*fault.SyntaxError](err); !ok {
				t.Errorf("got the error %v, want a *SyntaxError", err)
			}
			return
		}
		result, err := template.Eval(variables)
		if err != nil && !isTyped(err) {
			t.Errorf("got the error %v, want an *EvalError or a *LimitError", err)
		}
		if template.IsLiteral() && result != strings.ReplaceAll(text, "$${", "${") {
			t.Errorf("got %v for the literal %q", result, text)
		}
	})
}

// joined returns the template that parts are of.
func joined(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		if p.isExpression {
			b.WriteString("${" + p.text + "}")
			continue
		}
		b.WriteString(strings.ReplaceAll(p.text, "${", "$${"))
	}
	return b.String()
}

func isTyped(err error) bool {
	_, isEval := errors.AsType[*EvalError](err)
	return isEval || guard.IsLimit(err)
}
