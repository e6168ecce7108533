package jq

import (
	"fmt"

	"github.com/itchyny/gojq"
)

// refused holds the functions and variables that reach outside the input, and why each of them is
// not there.
var refused = map[string]string{
	"$ENV":              noEnvironment,
	"env":               noEnvironment,
	"now":               noClock,
	"localtime":         noClock,
	"strflocaltime":     noClock,
	"input":             noInput,
	"inputs":            noInput,
	"input_filename":    noInput,
	"input_line_number": noInput,
	"debug":             noOutput,
	"stderr":            noOutput,
	"halt":              noHalt,
	"halt_error":        noHalt,
	"modulemeta":        noModules,
	"get_search_list":   noModules,
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
		return &SyntaxError{Expression: expression, Reason: noModules, IsRefused: true}
	}
	found := ""
	note := func(name string) {
		if _, isRefused := refused[name]; isRefused && found == "" {
			found = name
		}
	}
	v := visitor{
		term: func(t *gojq.Term, _ int) {
			if t.Func != nil {
				note(t.Func.Name)
			}
			if t.Object != nil {
				for _, member := range t.Object.KeyVals {
					if member.Key != "" && member.Key[0] == '$' {
						note(member.Key)
					}
				}
			}
		},
		definition: func(d *gojq.FuncDef) { note(d.Name) },
	}
	v.walk(query, 0)
	if found == "" {
		return nil
	}
	fault := &SyntaxError{
		Expression: expression, Reason: fmt.Sprintf("'%s' must not be used: %s", found, refused[found]), IsRefused: true,
	}
	fault.Line, fault.Column = positionOfName(expression, found)
	return fault
}
