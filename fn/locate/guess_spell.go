package locate

import "strings"

// jsonPath writes the guess as a JSONPath, which is to be proved by parsing it.
func (g guess) jsonPath() string {
	path := ""
	for _, s := range g {
		switch s.kind {
		case guessedKey:
			path = spellField(path, s.key)
		case guessedIndex:
			path += "[" + s.key + "]"
		case guessedElements:
			path += "[*]"
		case guessedMembers:
			path += ".*"
		case guessedFiltered:
			path += "[?(" + s.filter.jsonPath() + ")]"
		}
	}
	return path
}

func (f guessedFilter) jsonPath() string {
	place := "@"
	for _, name := range f.field {
		place = spellField(place, name)
	}
	return place + f.operator + f.literal(quoteInPath)
}

// literal writes the value, a string by quote; "" where there is none.
func (f guessedFilter) literal(quote func(string) string) string {
	if f.operator == "" || f.isBare {
		return f.value
	}
	return quote(f.value)
}

func quoteInPath(text string) string {
	if strings.Contains(text, `"`) {
		return "'" + text + "'"
	}
	return `"` + text + `"`
}

// jsonPointer writes the guess as a JSON Pointer; "" where it has other steps than one.
func (g guess) jsonPointer() string {
	var b strings.Builder
	for _, s := range g {
		switch s.kind {
		case guessedKey, guessedIndex:
			b.WriteString("/" + EscapePointer(s.key))
		case guessedElements:
			b.WriteString("/*")
		default:
			return ""
		}
	}
	return b.String()
}

// jq writes the guess as a jq expression, which is to be proved.
func (g guess) jq() string {
	text := ""
	for _, s := range g {
		switch s.kind {
		case guessedKey:
			text = addSuffix(text, JQField(s.key))
		case guessedIndex:
			text = addSuffix(text, "["+s.key+"]")
		case guessedElements, guessedMembers:
			text = addSuffix(text, "[]")
		case guessedFiltered:
			text = addSuffix(text, "[]") + " | select(" + s.filter.jq() + ") | "
		}
	}
	return strings.TrimSuffix(text, " | ")
}

// addSuffix adds a step to a jq expression, with a dot where a stage begins with a bracket.
func addSuffix(text, suffix string) string {
	if suffix[0] == '[' && (text == "" || strings.HasSuffix(text, " ")) {
		suffix = "." + suffix
	}
	return text + suffix
}

func (f guessedFilter) jq() string {
	field := ""
	for _, name := range f.field {
		field = addSuffix(field, JQField(name))
	}
	if f.operator == "" {
		return field
	}
	return field + " " + f.operator + " " + f.literal(JQString)
}

// path writes the guess as a path of ApplyPatches, which is to be proved; "" where it has other steps than one.
func (g guess) path() string {
	var b strings.Builder
	for _, s := range g {
		switch s.kind {
		case guessedKey, guessedIndex:
			b.WriteString("/" + EscapePointer(s.key))
		case guessedElements:
			b.WriteString("[*]")
		case guessedFiltered:
			b.WriteString(s.filter.path())
		default:
			return ""
		}
	}
	return b.String()
}

func (f guessedFilter) path() string {
	bound := pathFilter{field: f.field, operator: f.operator, value: f.value}
	if f.isBare {
		bound.value = plainScalar(f.value)
	}
	return bound.String()
}

// proved returns a text that parses, else "".
func proved[T any](text string, parse func(string) (T, error)) string {
	if _, err := parse(text); err != nil {
		return ""
	}
	return text
}
