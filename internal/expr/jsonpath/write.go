package jsonpath

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
)

// Write writes a path as a JSONPath, which callers verify by parsing it. A filter with several
// conditions, of which a JSONPath can have one, becomes the index of its element.
func Write(path hint.Path) string {
	text := ""
	for _, s := range path {
		switch {
		case s.Kind == hint.Key:
			text = writeField(text, s.Key)
		case s.Kind == hint.Index:
			text += "[" + s.Key + "]"
		case s.Kind == hint.Elements:
			text += "[*]"
		case s.Kind == hint.Members:
			text += ".*"
		case len(s.Conditions) == 1:
			text += "[?(" + writeCondition(s.Conditions[0]) + ")]"
		default:
			text += "[" + s.Position + "]"
		}
	}
	return text
}

// WriteParsed is Write for a path that a JSONPath can express; "" for any other.
func WriteParsed(path hint.Path) string { return dialect.Parsed(Write(path), parseSteps) }

func writeCondition(c hint.Condition) string {
	place := "@"
	for _, name := range c.Field {
		place = writeField(place, name)
	}
	return place + c.Operator + c.Literal(quote)
}

func quote(text string) string {
	if strings.Contains(text, `"`) {
		return "'" + text + "'"
	}
	return `"` + text + `"`
}

// writeField returns the path extended by the key as one name.
func writeField(path, key string) string {
	first, _ := utf8.DecodeRuneInString(key)
	switch {
	case key == "":
		return path + "['']"
	case strings.HasSuffix(path, "..") && (first == '_' || unicode.IsLetter(first) || unicode.IsDigit(first)):
		return path + escapeField(key)
	}
	return path + "." + escapeField(key)
}

// escapeField escapes the characters that end a name for client-go's parser.
func escapeField(key string) string {
	if key == "*" {
		return `\*`
	}
	var b strings.Builder
	for _, r := range key {
		if endsName(r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// endsName tells whether the character ends a name that it is not escaped in.
func endsName(r rune) bool { return strings.ContainsRune(" \t\r\n.,[]$@{}", r) }
