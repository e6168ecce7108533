package jq

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/words"
)

// The largest expression that is taken.
const (
	// maxLength is in bytes.
	maxLength = 64 << 10
	// MaxLevels is how deep constructs may be in each other; see visitor.walk for what counts.
	MaxLevels = 200
)

// parse returns the syntax tree of an expression that names nothing outside its input. The error is
// a *SyntaxError. It does not find undefined functions; see compileFault.
func parse(expression string) (*gojq.Query, error) {
	if err := checkText(expression); err != nil {
		return nil, err
	}
	query, err := gojq.Parse(expression)
	if err != nil {
		fault := &fault.SyntaxError{Expression: expression, Reason: err.Error()}
		if unexpected, ok := errors.AsType[*gojq.ParseError](err); ok {
			fault = faultAt(expression, max(unexpected.Offset-len(unexpected.Token), 0), err.Error())
			fault.Fix = otherSpellings[unexpected.Token]
		}
		return nil, fault
	}
	if query.Term == nil && query.Op == 0 && len(query.FuncDefs) == 0 && len(query.Imports) == 0 {
		return nil, &fault.SyntaxError{
			Expression: expression, Reason: "must not be empty", Fix: "write a path expression such as .spec.replicas",
		}
	}
	if err := checkLevels(expression, query); err != nil {
		return nil, err
	}
	if err := checkNames(expression, query); err != nil {
		return nil, err
	}
	return query, nil
}

func checkText(expression string) error {
	if len(expression) > maxLength {
		return &fault.SyntaxError{
			Expression: shorten(expression, 80),
			Reason:     fmt.Sprintf("must be at most %d bytes long, found %d", maxLength, len(expression)),
		}
	}
	// gojq takes a NUL for the end and would ignore what follows.
	if at := strings.IndexByte(expression, 0); at >= 0 {
		return faultAt(expression, at, "must not have a NUL character")
	}
	if !utf8.ValidString(expression) {
		at := strings.IndexRune(expression, utf8.RuneError)
		return faultAt(strings.ToValidUTF8(expression, "\uFFFD"), at, "must be valid UTF-8")
	}
	return nil
}

func checkLevels(expression string, query *gojq.Query) error {
	deepest := 0
	for _, level := range all[*gojq.Term](query) {
		deepest = max(deepest, level)
	}
	if deepest > MaxLevels {
		return &fault.SyntaxError{
			Expression: shorten(expression, 80),
			Reason:     fmt.Sprintf("must be at most %d levels deep, found %d", MaxLevels, deepest),
		}
	}
	return nil
}

// refused holds the functions and variables that reach outside the input, and why each of them is
// not there.
var refused = map[string]string{
	"$ENV": noEnvironment, "env": noEnvironment,
	"now": noClock, "localtime": noClock, "strflocaltime": noClock,
	"input": noInput, "inputs": noInput, "input_filename": noInput, "input_line_number": noInput,
	"debug": noOutput, "stderr": noOutput, "halt": noHalt, "halt_error": noHalt,
	"modulemeta": noModules, "get_search_list": noModules,
}

const (
	noEnvironment = "an expression can't read the environment"
	noClock       = "an expression can't read the clock or the time zone"
	noInput       = "an expression sees one object; there is no other input"
	noOutput      = "an expression can't write anything but its results"
	noHalt        = "an expression can't end the run"
	noModules     = "an expression can't load modules"
)

// checkNames returns a *SyntaxError where the expression names something outside its input. A
// definition of its own by such a name is refused as well.
func checkNames(expression string, query *gojq.Query) error {
	if query.Meta != nil || len(query.Imports) > 0 {
		return &fault.SyntaxError{Expression: expression, Reason: noModules}
	}
	found := ""
	note := func(name string) {
		if refused[name] != "" && found == "" {
			found = name
		}
	}
	visitor(func(node any, _ int) {
		switch node := node.(type) {
		case *gojq.FuncDef:
			note(node.Name)
		case *gojq.Term:
			if node.Func != nil {
				note(node.Func.Name)
			}
			if node.Object != nil {
				for _, member := range node.Object.KeyVals {
					if strings.HasPrefix(member.Key, "$") {
						note(member.Key)
					}
				}
			}
		}
	}).walk(query)
	if found == "" {
		return nil
	}
	fault := &fault.SyntaxError{
		Expression: expression, Reason: fmt.Sprintf("'%s' must not be used: %s", found, refused[found]),
	}
	fault.Line, fault.Column = positionOfName(expression, found)
	return fault
}

// annotationKey matches the key of an annotation or a label that is not in quotes.
var annotationKey = words.Pattern(`^(\.[\w.]*\.(?:annotations|labels))\.([\w.-]+/[\w.-]+)$`)

// compileFault says why gojq can't compile the expression: it names a function, a variable or a
// label that is not defined.
func compileFault(expression string, err error) *fault.SyntaxError {
	fault := &fault.SyntaxError{Expression: expression, Reason: err.Error()}
	name, isBare := undefined(err)
	if name == "" {
		return fault
	}
	fault.Line, fault.Column = positionOfName(expression, name)
	if key := annotationKey().FindStringSubmatch(expression); isBare && key != nil {
		fault.Fix = fmt.Sprintf(`write %s["%s"]`, key[1], key[2])
	} else if isBare {
		fault.Fix = fmt.Sprintf(`write .%s for a field, "%[1]s" for a string; a key such as a-b/c must be in quotes: ."a-b/c"`, name)
	}
	return fault
}

// shorten returns at most size bytes of s, with dots where something is left out.
func shorten(s string, size int) string {
	if len(s) <= size {
		return s
	}
	cut := size
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + "..."
}

// otherSpellings are what other languages write for what jq has, by the token at which jq's parser
// stops.
var otherSpellings = map[string]string{
	"":  "close what is open, and write a filter such as .a behind an operator",
	"'": `a string must be in double quotes: "a"`,
	"~": `a regular expression is written test("...")`,
	"&": "write 'and' for &&",
	"!": "write '| not' for !",
}

// faultAt is the fault of an expression at an offset in bytes.
func faultAt(expression string, offset int, reason string) *fault.SyntaxError {
	line, column := fault.Position(expression, offset)
	return &fault.SyntaxError{Expression: expression, Reason: reason, Line: line, Column: column}
}

// Compiles tells whether a text is a jq expression.
func Compiles(expression string) bool {
	query, err := gojq.Parse(expression)
	if err == nil {
		_, err = gojq.Compile(query)
	}
	return err == nil
}

// positionOfName returns where name is in the expression. It returns 0, 0 if it is there more than
// once, as gojq does not say which one it means.
func positionOfName(expression, name string) (line, column int) {
	found := regexp.MustCompile(`(^|[^\w.$:])`+regexp.QuoteMeta(name)+`\b`).FindAllStringSubmatchIndex(expression, 2)
	if len(found) != 1 {
		return 0, 0
	}
	return fault.Position(expression, found[0][3])
}
