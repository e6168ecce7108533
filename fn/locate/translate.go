package locate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// TranslateError is an expression that can't be written in another dialect.
type TranslateError struct {
	// Dialect is that of the expression, Into the one that it has no form in.
	Dialect, Into string
	Expression    string
	Cause         string
}

func (e *TranslateError) Error() string {
	names := map[string]string{JSONPath: "JSONPath", JSONPointer: "JSON Pointer", JQ: "JQ expression"}
	return fmt.Sprintf("the %s '%s' can't be written as a %s: %s", names[e.Dialect], e.Expression, names[e.Into], e.Cause)
}

// jqWriter writes a jq path expression step by step, as stages of a pipe. The
// fields before the first list are plain; after it, what is not there is
// passed over (`?`), since the elements of a list may differ.
type jqWriter struct {
	stages []string
	// open is true where the last stage can take another suffix.
	open bool
	// optional is true once a step may lead to several places.
	optional bool
}

// step goes on by a suffix such as .name, ["a/b"] or [0].
func (w *jqWriter) step(suffix string) {
	if w.optional {
		suffix += "?"
	}
	w.suffix(suffix)
}

func (w *jqWriter) suffix(suffix string) {
	if w.open {
		w.stages[len(w.stages)-1] += suffix
		return
	}
	if suffix[0] == '[' {
		suffix = "." + suffix
	}
	w.stages, w.open = append(w.stages, suffix), true
}

// iterate goes to each element of a list or each member of a map.
func (w *jqWriter) iterate() {
	w.suffix("[]?")
	w.open, w.optional = false, true
}

// stage appends a stage of its own, which may lead to several places.
func (w *jqWriter) stage(text string) {
	w.stages = append(w.stages, text)
	w.open, w.optional = false, true
}

func (w *jqWriter) String() string { return strings.Join(w.stages, " | ") }

var jqName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// JQField returns the step of a jq expression to the member key of a map:
// .replicas, or ["prometheus.io/port"] where the key is no plain name. The
// second form needs a dot before it where it begins an expression.
func JQField(key string) string {
	if jqName.MatchString(key) {
		return "." + key
	}
	return "[" + JQString(key) + "]"
}

// JQString returns text as a string literal of jq.
func JQString(text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
