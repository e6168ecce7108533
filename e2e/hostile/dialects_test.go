//go:build unix

package hostile

import (
	"fmt"
	"strings"
	"testing"
)

// forest is an item with nested lists: 5 levels of 10 elements.
func forest() string {
	text := "x"
	for range 5 {
		text = "{a: [" + strings.TrimSuffix(strings.Repeat(text+", ", 10), ", ") + "]}"
	}
	return deployment + "  data: " + text + "\n"
}

// badPath is the message for a JSONPath that is refused.
func badPath(text, reason string) string {
	return "ignoreFields[0].jsonPaths[0]: invalid JSONPath '" + text + "'" + reason + " (IgnoreFields hostile)"
}

// badPointer is the message for a JSON Pointer that is refused.
func badPointer(text, reason string) string {
	return "ignoreFields[0].jsonPointers[0]: invalid JSON Pointer '" + text + "'" + reason + " (IgnoreFields hostile)"
}

// failedPath is the message for a JSONPath that fails on the Deployment.
func failedPath(text, cause string) string {
	return "ignoreFields[0].jsonPaths[0]: JSONPath error in '" + text + "': " + cause + " (Deployment web)"
}

const (
	tooLong    = ": must be at most 65536 bytes long, found "
	notANumber = ` (line 1, column 6): array index 99999999999999999999 is not a number; ` +
		`write ['key'], [0], [-1] from the end, or a filter such as [?(@.name=="web")]`
	tooComplex = "must be at most 200 levels deep"
	needsList  = " must be applied to a list, but the object is a map; the members of a map are selected by .*"
)

// TestJSONPath runs JSONPaths that are too long or too deep, or find too much.
func TestJSONPath(t *testing.T) {
	list := deployment + "  data: [a]\n"
	var rows []row
	for _, test := range []struct{ name, items, text, reason string }{
		{"20,000 indices", deployment, strings.Repeat("[0]", 20_000), " (line 1, column 601): " + tooComplex},
		{"10,000 filters in one another", deployment, strings.Repeat("[?(@.a", 10_000),
			" (line 1, column 1): [?( must be closed by )]"},
		{"190 filters in one another", deployment, strings.Repeat("[?(@.a", 190) + strings.Repeat(")]", 190),
			" (line 1, column 1): a filter must not hold a filter; write a jq expression under jqPathExpressions"},
		{"30,000 levels", deployment, strings.Repeat(".a", 30_000), " (line 1, column 401): " + tooComplex},
		{"20,000 descents", deployment, strings.Repeat("..a", 20_000), " (line 1, column 301): " + tooComplex},
		{"index beyond what an int holds", list, ".data[99999999999999999999]",
			notANumber + "; as a JQ expression, it belongs under jqPathExpressions"},
		{"slice beyond what an int holds", list, ".data[0:99999999999999999999:1]",
			notANumber},
		{"step of nothing", list, ".data[::0]", " (line 1, column 6): the step of the slice [::0] must be at least 1, found 0"},
		{"range", deployment, "{range .spec.*}{.x}{end}",
			` (line 1, column 2): "range" repeats text and selects no field; write [*] for each element of a list`},
		{"string that is not closed", deployment, ".spec['a", " (line 1, column 6): [ must be closed by ]"},
		{"1,000 dots", deployment, strings.Repeat(".", 1000),
			` (line 1, column 3): ".." must be followed by a name, an index or a filter, found ".."`},
	} {
		rows = append(rows, row{
			name: test.name, input: ignoring(test.items, expression("jsonPaths", test.text)), fails: badPath(test.text, test.reason),
		})
	}
	for _, test := range []struct{ name, items, text, cause string }{
		{"descent to every list", forest(), "..[*]", "[*]" + needsList},
		{"filter of two types", deployment + "  data: [{a: 1}]\n", `.data[?(@.a=="x")]`,
			`[?(@.a=="x")] cannot be applied to data[0]: a number must not be compared with a string`},
		{"descent to the names", forest(), "..name", "apiVersion, kind, metadata.name and metadata.namespace can't be ignored"},
		{"99 descents into everything", forest(), strings.Repeat("...*", 99),
			"must visit at most 10000000 map members and list elements"},
	} {
		rows = append(rows, row{
			name: test.name, input: ignoring(test.items, expression("jsonPaths", test.text)), fails: failedPath(test.text, test.cause),
		})
	}
	for _, test := range []struct{ name, items, text string }{
		{"66 descents that find nothing", forest(), strings.Repeat("..a", 66)},
		{"union of 10,000 keys", deployment, ".spec[" + strings.TrimSuffix(strings.Repeat("'a',", 10_000), ",") + "]"},
		{"keys that could be joined in very many ways", deployment + "  data: {" + dotted(100) + "}\n",
			".data" + strings.Repeat(".a", 150)},
	} {
		rows = append(rows, row{name: test.name, input: ignoring(test.items, expression("jsonPaths", test.text))})
	}
	check(t, append(rows, row{
		name: "100,000 brackets", input: ignoring(deployment, expression("jsonPaths", strings.Repeat("[", 100_000))),
		fails: badPath(strings.Repeat("[", 60)+"…", tooLong+"100000"),
	}))
}

// TestJSONPointer runs JSON Pointers that are too long, or find too much.
func TestJSONPointer(t *testing.T) {
	tildes := "/" + strings.Repeat("~", 30_000)
	pointer := func(name, items, text, fails string) row {
		return row{name: name, input: ignoring(items, expression("jsonPointers", text)), fails: fails}
	}
	many := deployment + "  data:\n" + strings.Repeat("  - {b: 1, c: 2}\n", 70_000)
	check(t, []row{
		pointer("100,000 segments", deployment, strings.Repeat("/a", 100_000),
			badPointer(strings.Repeat("/a", 30)+"…", tooLong+"200000")),
		pointer("30,000 segments", deployment, strings.Repeat("/a", 30_000), badPointer(strings.Repeat("/a", 30_000), ": "+tooComplex)),
		pointer("201 segments", deployment, strings.Repeat("/a", 201), badPointer(strings.Repeat("/a", 201), ": "+tooComplex)),
		pointer("90 stars", forest(), "/data"+strings.Repeat("/a/*", 90), ""),
		pointer("index beyond what an int holds", deployment+"  data: [a]\n", "/data/99999999999999999999", ""),
		pointer("30,000 escaped slashes", deployment, "/"+strings.Repeat("~1", 30_000), ""),
		pointer("30,000 tildes", deployment, tildes, badPointer(tildes,
			` (line 1, column 2): "~" must be written ~0, and "/" in a key ~1; write '`+
				strings.ReplaceAll(tildes, "~", "~0")+"'")),
		pointer("the whole object", deployment, "", badPointer("",
			": must name a field; the empty pointer is the whole object; to leave a whole object to others, leave it out of the package")),
		pointer("the metadata", deployment, "/metadata", "ignoreFields[0].jsonPointers[0]: JSON Pointer error in '/metadata': "+
			"apiVersion, kind, metadata.name and metadata.namespace can't be ignored, and metadata holds metadata.name (Deployment web)"),
		{
			name:   "100,000 pointers",
			input:  ignoring(deployment, "jsonPointers: ["+strings.Repeat("/a,", 100_000)+"]", "  onNoMatch: Ignore\n"),
			within: slow, times: manyRules / 3,
		},
		{
			name:  "70,000 fields that 100 pointers find",
			input: ignoring(many, "jsonPointers: ["+strings.Repeat("'/data/*/b',", 100)+"]"),
			fails: "ignoreFields[0].jsonPointers[3]: JSON Pointer error in '/data/*/b': all expressions together must find at most " +
				"262144 fields in an object (Deployment web)",
			within: slow, times: manyRules,
		},
		{
			name:  "100,000 elements that go",
			input: ignoring(deployment+"  data:\n"+strings.Repeat("  - a\n", 100_000), "jsonPointers: ['/data/*']"),
			out:   "  data: []\n", within: slow,
		},
		{
			name: "100,000 members that go", input: ignoring(deployment+"  data:\n"+keys(100_000), "jsonPaths: ['.data.*']"),
			out: "  data: {}\n", within: slow / 3,
		},
		{
			name: "100,000 members that are recorded", out: "    k99999: v # ignored: OnSpokePresent\n", within: slow / 3, times: manyRules,
			input: ignoring(deployment+"  data:\n"+keys(100_000), "jsonPaths: ['.data.*']",
				"  action: Annotate\n  annotate: {comments: true}\n"),
		},
	})
}

// dotted returns keys of more and more letters a, separated by dots.
func dotted(count int) string {
	var members []string
	for i := range count {
		members = append(members, fmt.Sprintf("%q: {}", "a"+strings.Repeat(".a", i)))
	}
	return strings.Join(members, ", ")
}
