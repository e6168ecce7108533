//go:build unix

package hostile

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// wide is a Deployment with a list of 1,000 maps, each with a list of 100.
func wide() string {
	element := "{name: a, list: [" + strings.TrimSuffix(strings.Repeat("{name: b}, ", 100), ", ") + "]}"
	return deployment + "  data:\n" + strings.Repeat("  - "+element+"\n", 1000)
}

// operation returns the operations of a patch: one, with a path and a value.
func operation(op, path, value string) string {
	return fmt.Sprintf("    operations:\n    - {op: %s, path: %s, value: %s}\n", op, quote(path), value)
}

// TestPatches runs hostile paths, templates and values of ApplyPatches.
func TestPatches(t *testing.T) {
	add := func(name, items, path, value, fails string) row {
		r := row{name: name, input: patching(items, operation("add", path, value)), fails: fails, within: slow}
		if fails == "" {
			r.out = "\n    x:"
		}
		return r
	}
	// A slow machine meets the limit of time before that of cost or memory.
	const limited = "patches[0].operations[0]: CEL expression …"
	check(t, []row{
		add(
			"path of 100,000 brackets", deployment, strings.Repeat("/a[", 30_000), "1",
			"patches[0].operations[0].path: invalid path '/a[/a[/a[/a[/a[/a[/a[/a[/a[/a[…mn 1): must be at "+
				"most 65536 bytes long, found 90000 (ApplyPatches hostile)",
		),
		add(
			"path of 100,000 segments", deployment, strings.Repeat("/a", 100_000), "1",
			"patches[0].operations[0].path: invalid path '/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a…n 1): must be at "+
				"most 65536 bytes long, found 200000 (ApplyPatches hostile)",
		),
		add(
			"path of 300 segments", deployment, strings.Repeat("/a", 300), "1",
			"patches[0].operations[0].path: invalid path '/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a…a/a/a' (line 1, column "+
				"403): must be at most 200 levels deep (ApplyPatches hostile)",
		),
		add(
			"path of 10,000 filters", wide(), "/data"+strings.Repeat("[?(@.name=='a')]", 4_000), "1",
			"patches[0].operations[0].path: invalid path '/data[?(@.name=='a')][?(@.name…')]' (line 1, column "+
				"64006): must be at most 200 levels deep (ApplyPatches hostile)",
		),
		add(
			"path of 150 filters that all hold", wide(), "/data"+strings.Repeat("/[?(@.name=='a')]", 150), "1",
			"patches[0].operations[0]: path '/data/[?(@.name=='a')]/[?(@.name=='a')]/[?(…e=='a')] must "+
				"select an element of data[0], which is a map; \"onMissing: Ignore\" skips the operation (Deployment web)",
		),
		add(
			"path that fans out to 100,000 places", wide(), "/data[*]/list[*]/x", "1",
			"patches[0].operations[0]: path '/data[*]/list[*]/x': must select at most 65536 locations "+
				"(Deployment web)",
		),
		add(
			"path without a slash", deployment, "spec/x", "1",
			`patches[0].operations[0].path: invalid path 'spec/x' (line 1, column 1): must start with "/", found `+
				`"s"; write '/spec/x' (ApplyPatches hostile)`,
		),
		add(
			"path with a filter that is not closed", deployment, "/spec/a[?(@.b=='", "1",
			"patches[0].operations[0].path: invalid path '/spec/a[?(@.b=='' (line 1, column 16): ' must be closed "+
				"(ApplyPatches hostile)",
		),
		add(
			"path with an index beyond what an int holds", deployment+"  data: [a]\n", "/data/99999999999999999999",
			"1", "patches[0].operations[0]: path '/data/99999999999999999999': the index 99999999999999999999 "+
				"must be at most 1, the length of data (Deployment web)",
		),
		add(
			"path to the next element of nothing", deployment, "/spec/-/-/-", "1",
			`patches[0].operations[0]: path '/spec/-/-/-': the list element spec.-[0] must exist, since a `+
				`path creates no list elements; "-" at the end of a path appends one (Deployment web)`,
		),
		add(
			"value of 10,000 levels", deployment, "/spec/x", nested("[", "]", 10_000),
			"the input must be one ResourceList (line 18): maps and lists must be nested at most 1000 levels deep",
		),
		add(
			"value of 900 levels, 200 levels deep", deployment, strings.Repeat("/a", 190), nested("[", "]", 900),
			"patches[0].operations[0]: path '/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a…': maps and lists must be "+
				"nested at most 999 levels deep in an object (Deployment web)",
		),
		add(
			"value that is an alias bomb", deployment, "/spec/x",
			"{"+strings.ReplaceAll(strings.TrimSuffix(aliasBomb("", 8), "\n"), "\n", ", ")+"}",
			"the input must be one ResourceList (line 18): aliases must not expand the document to more "+
				"than 100000 nodes",
		),
		add(
			"template that is not closed", deployment, "/spec/x", quote("${"+strings.Repeat("{", 10_000)),
			"patches[0].operations[0].value: invalid CEL expression '${{{{{{{{{{{{{{{{{{… be closed by }; "+
				"write $${ for a literal ${ (ApplyPatches hostile)",
		),
		add(
			"template of 100,000 brackets", deployment, "/spec/x", quote("${"+strings.Repeat("(", 100_000)+"}"),
			"patches[0].operations[0].value: invalid CEL expression '(((((((((((((((((((…ssion must be at "+
				"most 65536 bytes long, found 100000 (ApplyPatches hostile)",
		),
		add(
			"template of 10,000 brackets", deployment, "/spec/x",
			quote("${"+strings.Repeat("(", 10_000)+"1"+strings.Repeat(")", 10_000)+"}"),
			"patches[0].operations[0].value: invalid CEL expression '(((((((((((((((((((…((((((((…': "+
				"expression recursion limit exceeded: 200 (ApplyPatches hostile)",
		),
		add("10,000 templates in a string", deployment, "/spec/x", quote(strings.Repeat("${1}", 10_000)), ""),
		add(
			"template that doubles a list 60 times", deployment, "/spec/x",
			quote("${[1]"+strings.Repeat(".map(x, [x, x])", 60)+"}"),
			limited+"map(x, [x, …' (Deployment web)",
		),
		add(
			"template that doubles a string 60 times", deployment, "/spec/x",
			quote("${['x']"+strings.Repeat(".map(x, x + x)", 60)+"}"),
			limited+"map(x, x + x).map(x, x + x).map(x, x + x).map(x, x + x).…' (Deployment web)",
		),
		add(
			"comprehensions in one another", deployment, "/spec/x",
			quote("${lists.range(1000).map(a, lists.range(1000).map(b, lists.range(1000).map(c, a * b * c)))}"),
			limited+"lists.range(1000).map(c, a * b * c)))' (Deployment web)",
		),
		add(
			"list of 1,000,000,000 numbers", deployment, "/spec/x", quote("${lists.range(1000000000)}"),
			"patches[0].operations[0]: CEL expression runtime error in 'lists.range(1000000000)': lists.range: size 1000000000 "+
				"exceeds maximum allowed (1000000) (Deployment web)",
		),
		add(
			"regular expression", deployment, "/spec/x",
			quote("${'"+strings.Repeat("a", 10_000)+"'.matches('(a?){20}a{20}b')}"), "",
		),
		add(
			"regular expression that multiplies", deployment, "/spec/x",
			quote("${'a'.matches('((a{100}){100}){100}')}"),
			"patches[0].operations[0].value: invalid CEL expression ''a'.matches('((a{10… error parsing "+
				"regexp: invalid repeat count: `{100}` (ApplyPatches hostile)",
		),
		add(
			"format of 10,000 digits", deployment, "/spec/x", quote("${'%.999999999f'.format([1.0])}"),
			"patches[0].operations[0].value: invalid CEL expression ''%.999999999f'.form…sion 999999999 "+
				"exceeds maximum allowed precision 100 (ApplyPatches hostile)",
		),
		add(
			"replace that multiplies", deployment+"  text: "+strings.Repeat("a", 1<<16)+"\n", "/spec/x",
			quote("${resource.text.replace('a', resource.text)}"),
			"patches[0].operations[0]: CEL expression runtime error in 'resource.text.replace('a', resource.text)': replace must "+
				"put in at most 64Mi of text (Deployment web)",
		),
		add(
			"division by zero", deployment, "/spec/x", quote("${1 / 0}"),
			"patches[0].operations[0]: CEL expression runtime error in '1 / 0': division by zero (Deployment web)",
		),
		add(
			"number beyond an int", deployment, "/spec/x", quote("${9223372036854775807 + 1}"),
			"patches[0].operations[0]: CEL expression runtime error in '9223372036854775807 + 1': integer "+
				"overflow (Deployment web)",
		),
		add(
			"clock", deployment, "/spec/x", quote("${timestamp.now()}"),
			"patches[0].operations[0].value: invalid CEL expression 'timestamp.now()' (l… 'now'; the "+
				"variables here are: current, parameters, resource (ApplyPatches hostile)",
		),
		compiling(add("maps of 197 levels", deployment, "/spec/x",
			quote("${"+strings.Repeat(`{"a":`, 197)+"1"+strings.Repeat("}", 197)+"}"), "")),
		compiling(add("optional values of 197 levels", deployment, "/spec/x",
			quote("${"+strings.Repeat("optional.of(", 197)+"1"+strings.Repeat(")", 197)+"}"), "")),
		compiling(add("lists made ever deeper", deployment, "/spec/x", quote("${[1]"+strings.Repeat(".map(x, [x])", 150)+"}"), "")),
		compiling(add("8,000 empty lists", deployment, "/spec/x", quote("${["+strings.Repeat("[], ", 8000)+"1]}"), "")),
		compiling(add("4,000 loops", deployment, "/spec/x", quote("${["+strings.Repeat("[1].map(x,x), ", 4000)+"1]}"), "")),
		compiling(add("50 values of 64 levels", deployment, "/spec/x", "["+strings.TrimSuffix(strings.Repeat(
			quote("${"+strings.Repeat(`{"a":`, 64)+"1"+strings.Repeat("}", 64)+"}")+", ", 50), ", ")+"]", "")),
		add("1,000 values of 190 selections", deployment, "/spec/x", "["+strings.Repeat(
			quote("${resource"+strings.Repeat(".a", 190)+"}")+", ", 1000)+"1]",
			"patches[0].operations[0]: CEL expression runtime error in 'resource.a.a.a.a.…': no such key: a (Deployment web)"),
		{
			name: "where that never ends",
			fails: "patches[0].target.where: CEL expression …: " +
				"'lists.range(1000000).all(a, lists.range(1000000).all(b, a + b >= 0))' (Deployment web)",
			timeout: time.Second,
			input: strings.Replace(patching(deployment, operation("add", "/spec/x", "1")), "{kind: Deployment}",
				"{where: 'lists.range(1000000).all(a, lists.range(1000000).all(b, a + b >= 0))'}", 1),
		},
		{
			name: "forEach over 900,000 elements", out: "\n    x: 1\n", within: slow, mayPass: true,
			fails: "patches[0].operations[0]…patch timed out after 2s: 'patches[0]' (Deployment web)",
			input: patching(deployment, "    forEach: ${lists.range(900000)}\n"+operation("add", "/spec/x", "1")),
		},
		{
			name: "1,000 operations that append", within: slow, out: "  - 999\n",
			input: patching(deployment, "    operations:\n"+appends(1000)),
		},
		{
			name: "10,000 elements that ensure lays over", within: slow, out: "x: 1",
			input: patching(deployment+"  data:\n"+names(10_000), "    forEach: ${lists.range(100)}\n"+
				"    operations:\n    - {op: ensure, path: /data, key: name, value: {name: 'n${item}', x: 1}}\n"),
		},
	})
}

// compiling returns the row of an expression that may take too long to compile.
func compiling(r row) row {
	r.fails = "patches[0].operations[0].value: CEL expression took more than 2s to compile: '…' (ApplyPatches hostile)"
	r.mayPass, r.making = true, making
	return r
}

func appends(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "    - {op: add, path: /spec/list/-, value: %d}\n", i)
	}
	return b.String()
}

func names(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "  - {name: n%d}\n", i)
	}
	return b.String()
}

// TestPatchesThatMakeMuch runs patches with small texts that add ever more data, or never end.
func TestPatchesThatMakeMuch(t *testing.T) {
	const limit, web = "patches[0].operations[0]…", ": 'patches[0]' (Deployment web)"
	each := func(name, items, operations, fails string) row {
		return row{
			name: name, fails: fails, within: slow, making: making,
			input: patching(items, "    forEach: ${lists.range(60000)}\n    operations:\n"+operations),
		}
	}
	once := func(name, value, fails string) row {
		return row{name: name, fails: fails, within: slow, making: making, input: patching(deployment, operation("add", "/spec/x", quote(value)))}
	}
	list := "[" + strings.TrimSuffix(strings.Repeat("a, ", 10_000), ", ") + "]"
	check(t, []row{
		{
			name: "appends of 10,000 elements", within: slow, making: making, fails: limit + web,
			input: patching(deployment, "    forEach: ${lists.range(60000)}\n"+operation("add", "/spec/x/-", list)),
		},
		each(
			"appends of a long list that an expression makes", deployment,
			"    - {op: add, path: /spec/x/-, value: '${lists.range(60000)}'}\n", limit+")",
		),
		{
			name: "900,000 appends", within: slow, making: making, fails: limit + web, mayPass: true, out: "- 1\n",
			input: patching(deployment, "    forEach: ${lists.range(900000)}\n"+operation("add", "/spec/x/-", "1")),
		},
		{
			name: "900,000 values that come and go", within: slow, making: making, fails: "patches[0].operations[…" + web,
			input: patching(deployment, "    forEach: ${lists.range(900000)}\n    operations:\n"+
				"    - {op: add, path: /spec/x, value: '${item}'}\n    - {op: remove, path: /spec/x}\n"),
		},
		each(
			"60,000 keys", deployment, "    - {op: add, path: '/spec/x/k${item}', value: 1}\n",
			limit+web,
		).orGiving("k59999: 1"),
		each(
			"60,000 elements that come first", deployment+"  data: [1]\n", "    - {op: add, path: /data/0, value: 1}\n",
			limit+web,
		).orGiving("data: [1, 1, 1"),
		each(
			"60,000 expressions that do much", deployment, "    - {op: add, path: /spec/x, value: '${lists.range(100000).map(x, x).size()}'}\n",
			limit+web,
		),
		{
			name: "where that does much 60,000 times", within: slow, fails: "patches[0].target.where, element …" + web,
			input: strings.Replace(patching(deployment, "    forEach: ${lists.range(60000)}\n"+operation("add", "/spec/x", "1")),
				"{kind: Deployment}", "{where: 'lists.range(100000).exists(x, x == -1)'}", 1),
		},
		each(
			"60,000 looks at a large object", deployment+"  data:\n"+names(20_000),
			"    - {op: add, path: /spec/x, value: '${resource.kind + string(item)}'}\n", limit+web,
		),
		once("maps that double 17 times", "${[{'a': 1}]"+strings.Repeat(".map(x, {'a': x, 'b': x})", 17)+"}",
			"patches[0].operations[0]: …(Deployment web)").orGiving("\n    x:"),
		once(
			"maps that double 19 times", "${[{'a': 1}]"+strings.Repeat(".map(x, {'a': x, 'b': x})", 19)+"}",
			"patches[0].operations[0]: …(Deployment web)",
		),
		each(
			"2,000 elements that ensure tells apart by two keys", deployment+"  data:\n"+ports(2000),
			"    - {op: ensure, path: /data, key: [protocol, port], value: {protocol: TCP, port: '${item % 2000}', x: 1}}\n", limit+web,
		).orGiving("x: 1"),
		{
			name: "total of many objects", within: slow, making: making, fails: "patches[0].operations[0]…)", mayPass: true, out: "a, a",
			input: patching(deployments(20), "    forEach: ${lists.range(10)}\n    operations:\n    - {op: add, path: /spec/x/-, value: "+list+"}\n"),
		},
		{
			name: "JSON of 1,000 levels", out: `"severity":"error"`,
			fails: "patches[0].operations[0]: path '/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a…': maps and lists must be nested at most 998 " +
				"levels deep in an object (Deployment web)",
			input: `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[{"apiVersion":"apps/v1","kind":"Deployment",` +
				`"metadata":{"name":"web"}}],"functionConfig":{"apiVersion":"fn.kpt.dev/v1alpha1","kind":"ApplyPatches",` +
				`"patches":[{"target":{"kind":"Deployment"},"operations":[{"op":"add","path":"` + strings.Repeat("/a", 190) +
				`","value":` + strings.Repeat("[", 809) + strings.Repeat("]", 809) + "}]}]}}",
		},
		{
			name: "40,000 unknown fields", times: manyRules, within: slow, fails: `f0: unknown field "f0"; known fields: apiVersion, kind, metadata, results, parameters, patches, ` +
				`removes (ApplyPatches hostile)`,
			input: strings.Replace(patching(deployment, operation("add", "/spec/x", "1")), "  patches:\n", unknownFields(40_000)+"  patches:\n", 1),
		},
	})
}

func ports(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "  - {port: %d, protocol: TCP}\n", i)
	}
	return b.String()
}

func deployments(count int) string {
	var b strings.Builder
	for i := range count {
		b.WriteString(strings.Replace(deployment, "name: web", fmt.Sprintf("name: web%d", i), 1))
	}
	return b.String()
}

func unknownFields(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "  f%d: 1\n", i)
	}
	return b.String()
}
