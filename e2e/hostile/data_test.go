//go:build unix

package hostile

import (
	"fmt"
	"strings"
	"testing"
)

// TestData runs hostile lists: each is processed, or refused with a line number.
func TestData(t *testing.T) {
	check(t, []row{
		{name: "alias bomb", input: with("  data:\n" + aliasBomb("    ", 10)), fails: at(16, tooManyNodes)},
		{name: "alias bomb across items", input: list(bombOfItems(10), replicas), fails: at(66, tooManyNodes)},
		{
			name: "alias bomb in the functionConfig", fails: at(25, tooManyNodes),
			input: list(deployment, replicas+"  metadata2:\n"+aliasBomb("    ", 10)),
		},
		{
			name: "cyclic anchor", input: with("  data: &a\n    b: *a\n"),
			fails: at(11, "the alias *a must not be inside the node that it refers to"),
		},
		{
			name: "alias without an anchor", input: with("  data: *nowhere\n"),
			fails: at(10, "an alias must refer to an anchor before it; quote a value that begins with *"),
		},
		{
			name:  "one anchor and 100,000 aliases",
			input: with("  data: &a {x: 1}\n  more:\n" + strings.Repeat("  - *a\n", 100_000)),
			out:   "  spec: {}\n  data: &a {x: 1}\n",
		},
		{
			name: "10,000 levels in flow style", input: with("  data: " + nested("[", "]", 10_000) + "\n"),
			fails: at(10, tooDeep),
		},
		{
			name:  "10,000 levels of maps in flow style",
			input: with("  data: " + nested("{a: ", "}", 10_000) + "\n"), fails: at(10, tooDeep),
		},
		{
			name: "10,000 levels in block style", input: with("  data:\n" + stairs(10_000)), within: slow,
			fails: at(10009, tooDeep),
		},
		{
			name: "100,000 dashes in a line", input: with("  data:\n    " + strings.Repeat("- ", 100_000) + "a\n"),
			fails: at(11, tooDeep),
		},
		{
			name:  "100,000 brackets that are not closed",
			input: with("  data: " + strings.Repeat("[", 100_000) + "\n"), fails: at(10, tooDeep),
		},
		{
			name: "100,000 brackets in JSON", input: `{"items":` + strings.Repeat("[", 100_000),
			fails: at(1, "values must be nested at most 1000 levels deep"+onManifests),
		},
		{
			name: "10,000 levels in the functionConfig", fails: at(19, tooDeep),
			input: list(deployment, replicas+"  exclude: "+nested("[", "]", 10_000)+"\n"),
		},
		{
			name: "key twice", input: with("  data:\n    a: 1\n    a: 2\n"),
			fails: at(12, `a key must be unique in its map, found "a", which is 1 line above already`),
		},
		{
			name: "key twice in JSON", input: `{"kind": "ResourceList",` + "\n" + `"items": [{"a": 1, "a": 2}]}`,
			fails: at(2, `the key "a" is twice in one object`),
		},
		{
			name: "items twice", input: list(deployment, "items: []\n"+replicas),
			fails: at(10, `a key must be unique in its map, found "items", which is 7 lines above already`),
		},
		{
			name: "functionConfig twice", input: list(deployment, replicas+replicas),
			fails: at(19, `a key must be unique in its map, found "functionConfig", which is 9 lines above already`),
		},
		{
			name: "100 MB on a line", input: with("  data: " + strings.Repeat("x", 100_000_000) + "\n"),
			out: "  spec: {}\n  data: xxx", within: slow,
		},
		{
			name: "100 MB in quotes", input: with("  data: \"" + strings.Repeat("x", 100_000_000) + "\"\n"),
			out: "  spec: {}\n  data: \"x", within: slow,
		},
		{
			name:  "100 MB in a block scalar",
			input: with("  data: |\n" + strings.Repeat("    "+strings.Repeat("x", 95)+"\n", 1_000_000)),
			out:   "  spec: {}\n  data: |\n", within: slow,
		},
		{
			name: "100 MB in JSON", input: inJSON(`"` + strings.Repeat("x", 100_000_000) + `"`),
			out: `"spec":{},"data":"xxx`, within: slow,
		},
		{
			name:  "20 MB in a key",
			input: with("  data:\n    ? " + strings.Repeat("x", 20_000_000) + "\n    : 1\n"), out: "  spec: {}\n",
			within: slow,
		},
		{
			name: "a number of 1,000,000 digits", input: with("  data: " + strings.Repeat("9", 1_000_000) + "\n"),
			out: "  spec: {}\n", within: slow,
		},
		{name: "1e999999999", input: with("  data: 1e999999999\n"), out: "  spec: {}\n  data: 1e999999999\n"},
		{
			name: "NUL", input: with("  data: a\x00b\n"),
			fails: at(10, `the text must not have the character U+0000; write it as "\u0000", in double quotes`),
		},
		{name: "escaped NUL", input: with(`  data: "a\0b"` + "\n"), out: "  spec: {}\n  data: \"a\\0b\"\n"},
		{name: "byte order mark", input: "\ufeff" + with(""), out: "  spec: {}\n"},
		{
			name: "byte order mark within", input: with("  data: a\ufeffb\n"),
			fails: at(10, `a byte order mark must be at the start only; write it as "\uFEFF", in double quotes`),
		},
		{name: "UTF-16", input: utf16(with("")), fails: at(1, "the text must be UTF-8, found the byte 0xff"+onManifests)},
		{
			name: "invalid UTF-8 in JSON", input: inJSON("\"a\xffb\""),
			fails: at(1, "the text must be UTF-8, found the byte 0xff"),
		},
		{name: "CRLF", input: strings.ReplaceAll(with(""), "\n", "\r\n"), out: "  spec: {}\r\n"},
		{name: "CR alone", input: strings.ReplaceAll(with(""), "\n", "\r"), out: "replicas"},
		{
			name: "tab for indentation", input: with("\tdata: 1\n"),
			fails: at(10, "found a tab character that violates indentation"),
		},
		{name: "tab behind a value", input: with("  data: 1\t\n"), out: "  spec: {}\n  data: 1\t\n"},
		{
			name: "invalid UTF-8", input: with("  data: a\xff\xfeb\n"),
			fails: at(10, "the text must be UTF-8, found the byte 0xff"),
		},
		{
			name: "surrogates as UTF-8", input: with("  data: \xed\xa0\x80\n"),
			fails: at(10, "the text must be UTF-8, found the byte 0xed"),
		},
		{
			name: "control character", input: with("  data: a\x1b[31mb\n"),
			fails: at(10, `the text must not have the character U+001B; write it as "\u001B", in double quotes`),
		},
		{
			name:  "merge key",
			input: list(strings.Replace(deployment, "    replicas: 3\n", "    <<: {replicas: 3, paused: true}\n", 1), replicas),
			out:   "paused: true",
		},
		{
			name: "merge key that is no map", input: with("  data:\n    <<: 1\n"),
			fails: at(11, "the merge key << must have a map or a list of maps, found a number"),
		},
		{
			name: "merge key that holds itself", input: with("  data: &a\n    <<: *a\n"),
			fails: at(11, "the alias *a must not be inside the node that it refers to"),
		},
		{
			name: "merge keys that multiply", input: with("  data:\n" + mergeBomb("    ", 20)),
			fails: at(25, tooManyNodes),
		},
		{
			name:  "keys that are no strings",
			input: with("  data:\n    1: a\n    true: b\n    1.5: c\n    2001-01-01: d\n"),
			out:   "  spec: {}\n  data:\n    1: a\n",
		},
		{
			name: "key that is null", input: with("  data:\n    : a\n"),
			fails: at(11, "did not find expected key; check the indentation"),
		},
		{
			name: "key that is a list", input: with("  data:\n    ? [a]\n    : b\n"),
			fails: at(11, "a key must be a scalar, found a list"),
		},
		{
			name: "key that is a map", input: with("  data:\n    {a: b}: c\n"),
			fails: at(11, "a key must be a scalar, found a map"),
		},
		{name: "binary", input: with("  data: !!binary aGVsbG8=\n"), out: "  spec: {}\n  data: !!binary aGVsbG8=\n"},
		{
			name: "binary that is none", input: with("  data: !!binary '***'\n"),
			out: "  spec: {}\n  data: !!binary '***'\n",
		},
		{
			name: "tag that does not fit", input: with("  data: !!int abc\n"),
			fails: at(10, "a scalar must match its tag, found text that is not a valid !!int"),
		},
		{
			name: "tag of a language", input: with("  data: !!python/object:os.system [ls]\n"),
			out: "  spec: {}\n  data: !!python",
		},
		{name: "no input", input: "", fails: at(1, "it is empty")},
		{name: "blank lines alone", input: strings.Repeat("\n", 1_000_000), fails: at(1, "it is empty")},
		{name: "comment alone", input: "# nothing\n", fails: at(1, "it is empty"+onManifests)},
		{
			name: "several documents", input: with("") + "---\n" + with(""),
			fails: at(20, "the text must be one YAML document, found a second one"),
		},
		{
			name: "no YAML", input: "\x7fELF\x02\x01\x01\x00\x00",
			fails: at(1, `the text must not have the character U+007F; write it as "\u007F", in double quotes`+onManifests),
		},
		{
			name: "items that are no list", input: head + "items: {a: b}\n" + replicas,
			fails: at(3, "items must be a list, found a map"),
		},
		{name: "items that are null", input: head + "items: null\n" + replicas},
		{
			name: "items that are no objects", input: list("- 1\n- [a]\n- null\n- {apiVersion: v1}\n", replicas),
			fails: "items[0] must be a map with apiVersion and kind, found a number",
		},
		{
			name: "100,000 items that are no objects", input: list(strings.Repeat("- a\n", 100_000), replicas),
			fails: "items[0] must be a map with apiVersion and kind, found a string", within: slow,
		},
		{
			name: "1,000,000 items that are no objects", input: list(strings.Repeat("- a\n", 1_000_000), replicas),
			fails: at(800013, "a document of 4000262 bytes must have at most 800026 keys, values, maps and lists"), within: slow,
		},
		{
			name: "1,000,000 items in JSON", within: slow,
			input: `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[` + strings.Repeat("{},", 1_000_000) + "{}]}",
			fails: at(1, "a document of 3000075 bytes must have at most 475001 keys, values, maps and lists"),
		},
		{
			name: "100,000 items in JSON that are no objects", within: slow,
			input: `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[` + strings.Repeat("{},", 100_000) + "{}]}",
			fails: "items[0] must have the field apiVersion, a non-empty string, found null", out: `"items":[{},{}`,
		},
		{
			name: "1,000,000 results in JSON", within: slow,
			input: `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[],"results":[` + strings.Repeat("1,", 1_000_000) + "1]}",
			fails: at(1, "a document of 2000087 bytes must have at most 450002 keys, values, maps and lists"),
		},
		{
			name: "functionConfig that is a list", input: list(deployment, "functionConfig: [1]\n"),
			fails: `kind: the kind of the functionConfig must be ApplyOperations, ApplyPatches, ` +
				`IgnoreFields or ConfigMap, found ""`,
		},
		{
			name: "functionConfig that is null", input: list(deployment, "functionConfig:\n"),
			fails: "there must be a functionConfig of fn.kpt.dev/v1alpha1 and kind ApplyOperations, " +
				"ApplyPatches or IgnoreFields, or a ConfigMap; found none",
		},
		{
			name: "no functionConfig", input: list(deployment, ""),
			fails: "there must be a functionConfig of fn.kpt.dev/v1alpha1 and kind ApplyOperations, " +
				"ApplyPatches or IgnoreFields, or a ConfigMap; found none",
		},
		{name: "directive", input: "%YAML 1.2\n---\n" + with(""), out: "  spec: {}\n"},
		{
			name: "directive of another version", input: "%YAML 9.9\n---\n" + with(""),
			fails: at(1, "the directive %YAML must name version 1.1 or 1.2"),
		},
		{
			name: "directive for tags", input: "%TAG ! tag:example.com,2000:\n---\n" + with("  data: !x 1\n"),
			out: "  spec: {}\n",
		},
		{
			name: "20,000 directives for tags", input: tagDirectives(20_000) + "---\n" + with(""),
			fails: at(1001, "a document must have at most 1000 %TAG directives"),
		},
		{
			name: "list of 400,000 elements", input: with("  data:\n" + strings.Repeat("  - a\n", 400_000)),
			out: "  spec: {}\n  data:\n  - a\n", within: slow,
		},
		{
			name: "list of 1,000,000 elements", input: with("  data:\n" + strings.Repeat("  - a\n", 1_000_000)),
			fails: at(999955, "a document of 6000361 bytes must have at most 1000036 keys, values, maps and lists"), within: slow,
		},
		{
			name: "list of 400,000 elements in flow style", input: with("  data: [a" + strings.Repeat(",a", 400_000) + "]\n"),
			out: "  spec: {}\n  data: [a,a", within: slow,
		},
		{
			name: "list of 400,000 elements in flow style, comma last", input: with("  data: [" + strings.Repeat("a,", 400_000) + "]\n"),
			out: "  spec: {}\n  data: [a,a", within: slow, times: unusualGrowth,
		},
		{
			name: "list of 1,000,000 elements with a tag", input: with("  data:\n  - !!str a\n" + strings.Repeat("  - a\n", 1_000_000)),
			fails: at(999955, "a document of 6000373 bytes must have at most 1000037 keys, values, maps and lists"), within: slow,
		},
		{
			name: "list of 1,000,000 elements in flow style", input: with("  data: [" + strings.Repeat("a,", 1_000_000) + "]\n"),
			fails: at(10, "a document of 2000364 bytes must have at most 600036 keys, values, maps and lists"), within: slow,
		},
		{
			name: "map of 100,000 keys", input: with("  data:\n" + keys(100_000)),
			out: "  spec: {}\n  data:\n    k0: v\n", within: slow,
		},
		{
			name: "1,000,000 comments", input: with(strings.Repeat("  # a comment\n", 1_000_000)),
			out: "  spec: {}\n", within: slow,
		},
		{
			name:  "list in flow style",
			input: inFlow(strings.Repeat("{apiVersion: v1, kind: A, metadata: {name: a}},", 20_000)),
			out:   "kind: A", within: slow,
		},
		{
			name:  "own rules that are an alias bomb",
			input: annotated("fn.kpt.dev/ignore-fields", aliasBomb("", 10)),
			fails: `metadata.annotations["fn.kpt.dev/ignore-fields"]: must be a YAML list of rules: line 6: ` +
				`aliases must not expand the document to more than 100000 nodes (Deployment web)`,
		},
		{
			name: "own rules nested deep", input: annotated("fn.kpt.dev/ignore-fields", nested("[", "]", 10_000)),
			fails: `metadata.annotations["fn.kpt.dev/ignore-fields"]: must be a YAML list of rules: line 1: ` +
				`maps and lists must be nested at most 1000 levels deep (Deployment web)`,
		},
		{
			name: "own rules that are no YAML", input: annotated("fn.kpt.dev/ignore-fields", "\t- [}\n"),
			fails: "metadata.annotations[\"fn.kpt.dev/ignore-fields\"]: must be a YAML list of rules: line " +
				"1: found character that cannot start any token; indent with spaces only, and quote a value " +
				"that begins with @, % or ` (Deployment web)",
		},
		{
			name:  "own rules of a language",
			input: annotated("fn.kpt.dev/ignore-fields", "!!python/object:os.system [ls]"),
			fails: `metadata.annotations["fn.kpt.dev/ignore-fields"][0]: must be a map, found "ls" ` +
				`(Deployment web)`,
		},
		{
			name:  "own rules that name everything",
			input: annotated("fn.kpt.dev/ignore-fields", `[{jqPathExpressions: [.., "."]}]`),
			fails: `metadata.annotations["fn.kpt.dev/ignore-fields"][0].jqPathExpressions[0]: JQ expression ` +
				`runtime error in '..': apiVersion, kind, metadata.name and metadata.namespace can't be ` +
				`ignored, so the whole object can't be ignored (Deployment web)`,
		},
		{
			name:  "index annotation that is no number",
			input: annotated("internal.config.kubernetes.io/index", "99999999999999999999\nerror: x"),
			out:   "  spec: {}\n",
		},
		{
			name:  "path annotation with lines",
			input: annotated("internal.config.kubernetes.io/path", "a\nerror: forged\x1b[2J"), out: "  spec: {}\n",
		},
		{
			name: "record that is an alias bomb",
			fails: `ignoreFields[0]: the annotation fn.kpt.dev/ignored-fields must be a JSON list such as ` +
				`[{"condition":"OnSpokePresent","pointer":"/spec/replicas"}]: invalid character '[' exceeded ` +
				`max depth (Deployment web)`,
			input: strings.Replace(annotated("fn.kpt.dev/ignored-fields", strings.Repeat("[", 100_000)),
				"jsonPointers: [/spec/replicas]", "fromAnnotation: true", 1),
		},
	})
}

// aliasBomb returns a map whose lists double many times over, indented.
func aliasBomb(indent string, levels int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%sa0: &a0 [x, x, x, x, x, x, x, x, x]\n", indent)
	for i := 1; i < levels; i++ {
		aliases := strings.Repeat(fmt.Sprintf(", *a%d", i-1), 9)
		fmt.Fprintf(&b, "%sa%d: &a%d [%s]\n", indent, i, i, aliases[len(", "):])
	}
	return b.String()
}

// bombOfItems is an alias bomb with one level in each item.
func bombOfItems(levels int) string {
	var b strings.Builder
	for i := range levels {
		fmt.Fprintf(&b, "- apiVersion: v1\n  kind: A\n  data: &a%d\n", i)
		for range 9 {
			if i == 0 {
				b.WriteString("  - x\n")
				continue
			}
			fmt.Fprintf(&b, "  - *a%d\n", i-1)
		}
	}
	return b.String()
}

// mergeBomb returns a map of maps, each of which merges the one before it twice.
func mergeBomb(indent string, levels int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%sm0: &m0 {k0: 1}\n", indent)
	for i := 1; i < levels; i++ {
		fmt.Fprintf(&b, "%sm%d: &m%d {<<: [*m%d, *m%d], k%d: 1}\n", indent, i, i, i-1, i-1, i)
	}
	return b.String()
}

func nested(opening, closing string, levels int) string {
	return strings.Repeat(opening, levels) + strings.Repeat(closing, levels)
}

// stairs returns nested maps, each indented by one more space.
func stairs(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat(" ", i+4) + "a:\n")
	}
	return b.String()
}

func keys(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "    k%d: v\n", i)
	}
	return b.String()
}

// inJSON returns a list in JSON with an item that has data.
func inJSON(data string) string {
	return `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[{"apiVersion":"apps/v1",` +
		`"kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":3},"data":` + data + `}],` +
		`"functionConfig":{"apiVersion":"fn.kpt.dev/v1alpha1","kind":"IgnoreFields",` +
		`"ignoreFields":[{"jsonPointers":["/spec/replicas"]}],"objectHash":{"emit":false}}}`
}

// inFlow returns a list in flow style.
func inFlow(items string) string {
	return "{apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: [" + items + "], functionConfig: {" +
		"apiVersion: fn.kpt.dev/v1alpha1, kind: IgnoreFields, ignoreFields: [{jsonPointers: [/spec/replicas]}], " +
		"objectHash: {emit: false}, onNoMatch: Ignore}}\n"
}

func utf16(text string) string {
	var b strings.Builder
	b.WriteString("\xff\xfe")
	for _, c := range text {
		b.WriteByte(byte(c))
		b.WriteByte(0)
	}
	return b.String()
}

// annotated returns a list with an item that has an annotation.
func annotated(key, value string) string {
	metadata := fmt.Sprintf("name: web\n    annotations:\n      %s: %q", key, value)
	return list(strings.Replace(deployment, "name: web", metadata, 1), replicas)
}

// tagDirectives returns directives for a number of tags.
func tagDirectives(count int) string {
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, "%%TAG !t%d! tag:example.com,2000:\n", i)
	}
	return text.String()
}
