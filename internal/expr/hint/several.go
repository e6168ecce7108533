package hint

import "strings"

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
	last := len(each) - 1
	return "write each as an entry of its own, in a ConfigMap one per line: " + strings.Join(each[:last], ", ") + " and " + each[last]
}
