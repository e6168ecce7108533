package cel

import (
	"errors"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/words"
)

// Piece is one part of a template: literal text, or an expression.
type Piece struct {
	// Text is the literal text, in which `$${` is `${` already.
	Text string
	// Program is the expression; nil of literal text.
	Program *Program
}

// Template is text with expressions in ${…}. It is safe for use by several goroutines.
type Template struct {
	text   string
	pieces []Piece
	// whole is the expression that is the whole template except for blanks.
	whole *Program
}

// ParseTemplate compiles a template. `$${` is a literal `${`. Braces, quotes and comments of CEL
// inside an expression are those of CEL, so that ${{"a": "}"}["a"]} is one expression. The error is
// one of Compile.
func (e *Environment) ParseTemplate(text string) (*Template, error) {
	t := &Template{text: text}
	parts, err := split(text)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if !p.isExpression {
			t.pieces = append(t.pieces, Piece{Text: p.text})
			continue
		}
		program, err := e.Compile(p.text)
		if err != nil {
			return nil, withTextFix(err, p.text, len(parts) > 1)
		}
		t.pieces = append(t.pieces, Piece{Program: program})
	}
	t.whole = whole(t.pieces)
	return t, nil
}

// textFix is the fix for text that is no expression, as in shell scripts.
const textFix = "write $${ for a literal ${"

// withTextFix adds textFix to the error of an expression that is in text, or is no more than a
// name.
func withTextFix(err error, expression string, inText bool) error {
	fault, ok := errors.AsType[*fault.SyntaxError](err)
	if !ok || !inText && !identifier.MatchString(expression) {
		return err
	}
	if fault.Fix != "" {
		fault.Fix += "; "
	}
	fault.Fix += textFix
	return fault
}

// whole returns the expression that has nothing but blanks around it, or nil.
func whole(pieces []Piece) *Program {
	var program *Program
	for _, piece := range pieces {
		switch {
		case piece.Program == nil && strings.TrimSpace(piece.Text) == "":
		case piece.Program != nil && program == nil:
			program = piece.Program
		default:
			return nil
		}
	}
	return program
}

// Pieces returns the parts of the template in order.
func (t *Template) Pieces() []Piece { return t.pieces }

// IsLiteral tells whether the template has no expressions.
func (t *Template) IsLiteral() bool {
	return len(t.pieces) == 0 || len(t.pieces) == 1 && t.pieces[0].Program == nil
}

// Eval returns the value of the template: that of the expression, with its type, if one expression
// is the whole template except for blanks, and else the text of EvalText. Values and errors are
// those of Program.Eval.
func (t *Template) Eval(in Input) (any, error) {
	if t.whole != nil {
		return t.whole.Eval(in)
	}
	return t.EvalText(in)
}

// EvalText returns the literal text with the results of the expressions put in: strings as they
// are, all else as compact JSON.
func (t *Template) EvalText(in Input) (string, error) {
	var b strings.Builder
	for _, piece := range t.pieces {
		text := piece.Text
		if piece.Program != nil {
			var err error
			if text, err = piece.Program.EvalText(in); err != nil {
				return "", err
			}
		}
		if b.WriteString(text); b.Len() > guard.DefaultMemory {
			return "", &guard.LimitError{Noun: "template", Text: t.text, Reason: "exceeded 256Mi of text"}
		}
	}
	return b.String(), nil
}

// part is a part of a template that is not compiled.
type part struct {
	text         string
	isExpression bool
}

// split splits a template at its expressions. No two literal parts are neighbours.
func split(text string) ([]part, error) {
	var parts []part
	var literal strings.Builder
	for i := 0; i < len(text); {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "$${"):
			literal.WriteString("${")
			i += len("$${")
		case strings.HasPrefix(rest, "${"):
			length, ok := expressionLength(rest[len("${"):])
			if !ok {
				err := invalid(text, "${ must be closed by }")
				err.Line, err.Column = fault.Position(text, i)
				err.Fix = textFix
				return nil, err
			}
			if literal.Len() > 0 {
				parts = append(parts, part{text: literal.String()})
				literal.Reset()
			}
			start := i + len("${")
			parts = append(parts, part{text: text[start : start+length], isExpression: true})
			i = start + length + len("}")
		default:
			literal.WriteByte(text[i])
			i++
		}
	}
	if literal.Len() > 0 {
		parts = append(parts, part{text: literal.String()})
	}
	return parts, nil
}

// expressionLength returns the length of the expression that text begins with, up to the brace that
// closes it, and whether there is one.
func expressionLength(text string) (int, bool) {
	depth := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '{':
			depth++
			i++
		case c == '}' && depth == 0:
			return i, true
		case c == '}':
			depth--
			i++
		case c == '"' || c == '\'':
			i += stringLength(text[i:], isRaw(text[:i]))
		case strings.HasPrefix(text[i:], "//"):
			comment, _, _ := strings.Cut(text[i:], "\n")
			i += len(comment)
		default:
			i++
		}
	}
	return 0, false
}

// isRaw tells whether a quote behind before begins a raw string: r"", rb”, bR"".
func isRaw(before string) bool {
	word := before[len(strings.TrimRight(before, "rRbB")):]
	if before = strings.TrimSuffix(before, word); before != "" && isWordByte(before[len(before)-1]) {
		return false
	}
	return strings.ContainsAny(word, "rR")
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// stringLength returns the length of the string that text begins with, quotes included; all of text
// where it is not closed.
func stringLength(text string, raw bool) int {
	quote := text[:1]
	if strings.HasPrefix(text, strings.Repeat(quote, 3)) {
		quote = text[:3]
	}
	for i := len(quote); i < len(text); i++ {
		if text[i] == '\\' && !raw {
			i++
			continue
		}
		if strings.HasPrefix(text[i:], quote) {
			return i + len(quote)
		}
	}
	return len(text)
}

// operator is an operator behind or before an expression in ${…}.
var operator = words.Pattern(`\} *[=!<>+&|]|[=!<>+&|] *\$\{`)

// compileWhole compiles a text that must be one expression in ${…}, blanks around it ignored. The
// error is one of Compile.
func (e *Environment) compileWhole(text string) (*Program, error) {
	t, err := e.ParseTemplate(text)
	if err != nil {
		return nil, err
	}
	if t.whole == nil {
		fault := invalid(text, "it must be one expression in ${…}")
		if bare := strings.TrimSpace(text); bare != "" && !strings.Contains(text, "${") {
			fault.Fix = "write ${" + preview(bare) + "}"
		} else if operator().MatchString(bare) {
			joined := strings.NewReplacer("${", "", "}", "").Replace(bare)
			if _, err := e.Compile(joined); err == nil {
				fault.Fix = "write ${" + preview(joined) + "}"
			}
		}
		return nil, fault
	}
	return t.whole, nil
}
