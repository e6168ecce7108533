package jsonpointer

import (
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// syntaxFix says what to write for a text without a leading slash, or "".
func syntaxFix(text string) string {
	if jsonpath.IsPipeOfJQ(text) {
		return jsonpath.UnderJQ
	}
	if path, ok := hint.Guess(text); ok {
		if pointer := dialect.Parsed(path.Pointer(), Parse); pointer != "" {
			return fmt.Sprintf("write '%s'", pointer)
		}
		if asPath := jsonpath.WriteParsed(path); asPath != "" {
			return noPointer(asPath)
		}
	}
	if fix := fixOf(text); fix != "" && location.BadEscape(fix) < 0 {
		return fmt.Sprintf("write '%s'", fix)
	}
	return ""
}

// noPointer offers a JSONPath where no JSON Pointer can be had.
func noPointer(path string) string {
	return fmt.Sprintf("a JSON Pointer can't choose list elements by a field; write the jsonPath '%s'", path)
}

// fixOf returns the pointer that the writer of a text without a leading slash may have meant, or
// "": the text may be a JSONPath, with or without its leading dot, a URI fragment, or just lack the
// slash.
func fixOf(text string) string {
	text = strings.TrimPrefix(strings.TrimSpace(text), "#")
	switch {
	case text == "":
		return ""
	case text[0] == '/':
		return text
	case strings.Contains(".$@{[", text[:1]):
		return jsonpath.Pointer(text)
	case strings.Contains(text, "/"):
		return "/" + text
	}
	return jsonpath.Pointer("." + text)
}
