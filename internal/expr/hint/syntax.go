// Package hint helps the author of an expression: it says what to write instead, and which fields
// of an object it may mean. It has paths in no dialect, in which it reads what an author may mean,
// and which name a list element by its content.
package hint

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/words"
)

// Several says how to write several expressions that are in one string, each of which begins with
// one of the characters; "" if there is one.
func Several(text, begin string) string {
	var each []string
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",; \t\n", r) }) {
		if strings.IndexByte(begin, part[0]) < 0 || len(part) < 2 {
			return ""
		}
		each = append(each, "'"+part+"'")
	}
	if len(each) < 2 {
		return ""
	}
	return "write each as an entry of its own, in a ConfigMap one per line: " + words.All(each)
}

var (
	dotted  = words.Pattern(`^(?:\$?\.)?(\w+(?:\.\w+)*)$`)
	slashed = words.Pattern(`^(?:#/)?(\w(?:[^][{}()|=\s….~/]|~[01])*(?:/(?:[^][{}()|=\s…~/]|~[01])*)*)$`)
)

// WithSlash says how to write names that a slash must begin; "" for another text.
func WithSlash(text string) string {
	text = strings.TrimSpace(text)
	if names := dotted().FindStringSubmatch(text); names != nil {
		return "write '/" + strings.ReplaceAll(names[1], ".", "/") + "'"
	}
	if names := slashed().FindStringSubmatch(text); names != nil {
		return "write '/" + names[1] + "'"
	}
	return ""
}
