//go:build unix

package hostile

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// configMap is an item with a string that holds a document.
const configMap = `- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: app
  data:
    x: `

const secret = `- apiVersion: v1
  kind: Secret
  metadata:
    name: app
  data:
    x: `

// inString is the beginning of the message about the string x.
const inString = "ignoreFields[0].within.jsonPointers[0]: document error in '/data/x': data.x: "

// inside returns a list of an item with a rule for a field of the document in its string x.
func inside(item, pointer string) string {
	return ignoring(item, "{within: {jsonPointers: [/data/x]}, jsonPointers: ["+pointer+"]}", "  onHandover: Ignore\n")
}

// block returns a text as a literal block scalar.
func block(text string) string {
	return "|\n      " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n      ") + "\n"
}

// settings returns a document with a number of fields.
func settings(fields int) string {
	var b strings.Builder
	for i := range fields {
		fmt.Fprintf(&b, "k%d: %s # c\n", i, strings.Repeat("x", 40))
	}
	return b.String()
}

// nestedDocuments returns a document in a string of a document, and so on.
func nestedDocuments(levels int) string {
	text := "a: 1\nz: 2\n"
	for range levels {
		text = "d: |\n " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n ") + "\n"
	}
	return text
}

// throughDocuments is a rule for the field a of the innermost of nestedDocuments.
func throughDocuments(levels int) string {
	return "{within: [{jsonPointers: [/data/x]}" + strings.Repeat(", {jsonPointers: [/d]}", levels) + "], jsonPointers: [/a]}"
}

// inLines wraps base64 like the usual tools.
func inLines(text string) string {
	const width = 76
	digits := base64.StdEncoding.EncodeToString([]byte(text))
	var b strings.Builder
	for len(digits) > width {
		b.WriteString(digits[:width] + "\n")
		digits = digits[width:]
	}
	return b.String() + digits + "\n"
}

// TestStrings runs hostile documents in strings: each is processed, or refused with a line of the
// string.
func TestStrings(t *testing.T) {
	large := settings(20_000) // 1 MB
	less := strings.Replace(large, "k5000: "+strings.Repeat("x", 40)+" # c\n", "", 1)
	check(t, []row{
		{
			name:  "199 documents in documents",
			input: ignoring(configMap+block(nestedDocuments(199)), throughDocuments(199), "  onHandover: Ignore\n"),
			out:   configMap + block(strings.Replace(nestedDocuments(199), strings.Repeat(" ", 199)+"a: 1\n", "", 1)),
		},
		{
			name:  "200 documents in documents",
			input: ignoring(configMap+block(nestedDocuments(200)), throughDocuments(200)),
			fails: "ignoreFields[0].within: must be at most 200 levels deep, found 201 (IgnoreFields hostile)",
		},
		{
			name: "5,000 levels", input: inside(configMap+"'"+nested(`{"a":`, "}", 5000)+"'\n", "/a"),
			fails: inString + "line 1 of the string: " + tooDeep + " (ConfigMap app)",
		},
		{
			name: "alias bomb", input: inside(configMap+block("# a bomb\n"+aliasBomb("", 10)+"k: 1\n"), "/k"),
			fails: inString + "line 7 of the string: " + tooManyNodes + " (ConfigMap app)",
		},
		{
			name:  "invalid UTF-8 in base64",
			input: inside(secret+base64.StdEncoding.EncodeToString([]byte("a: 1\nb: \xff\n"))+"\n", "/a"),
			fails: inString + "line 2 of the string: the text in the base64 must be UTF-8 (Secret app)",
		},
		{
			name: "no base64", input: inside(secret+block("YTog\nMQ=\n=!"), "/a"),
			fails: inString + "line 3 of the string: it must be base64, found an invalid character or end (Secret app)",
		},
		{name: "1 MB in a block scalar", input: inside(configMap+block(large), "/k5000"), out: configMap + block(less)},
		{
			name: "1 MB in quotes", input: inside(configMap+strconv.Quote(large)+"\n", "/k5000"),
			out: configMap + strconv.Quote(less) + "\n",
		},
		{
			name: "1 MB in base64 with line breaks", input: inside(secret+block(inLines(large)), "/k5000"),
			out: secret + block(inLines(less)),
		},
		{
			name: "20,000 documents in a string", within: slow,
			input: inside(configMap+block(strings.Repeat("---\na: 1\nb: 2\n", 20_000)), "/a"),
			out:   configMap + block(strings.Repeat("---\nb: 2\n", 20_000)),
		},
	})
}
