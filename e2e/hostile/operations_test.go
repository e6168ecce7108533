//go:build unix

package hostile

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestOperations runs hostile filters, patches and streams of ApplyOperations.
func TestOperations(t *testing.T) {
	on := func(name, operation, payload, fails string) row {
		return row{name: name, fails: fails, within: slow, input: operating(deployment, fmt.Sprintf(
			"  operations:\n  - {operation: %s, kind: Deployment, name: web, %s}\n", operation, payload))}
	}
	jq := func(text, fails string) row {
		r := on("filter: "+text, "JQPatch", "jqFilter: "+quote(text), fails)
		r.memory = 64 << 20
		if strings.Contains(fails, "timed out after 1s") {
			r.input += "  jq: {timeout: 1s, memoryLimit: 64Mi}\n"
			r.timeout = time.Second
		} else { // on a busy machine, a second may be over first
			r.input += "  jq: {timeout: 1m, memoryLimit: 64Mi}\n"
		}
		return r
	}
	writing := func() row {
		r := on(
			"list that takes much to write", "JQPatch", "jqFilter: '.spec.x = [range(900000)]'",
			"operations[0]: … (Deployment web)", // its memory is at the limit, or it has more elements than can be read again
		)
		r.input += "  jq: {timeout: 1m}\n" // on a busy machine, a second may be over first
		r.making = making
		return r
	}
	stream := func(name, text, fails string) row {
		input := operating(deployment, "  operationsJSON: "+quote(text)+"\n")
		return row{name: name, input: input, fails: fails, within: slow}
	}
	check(t, []row{
		writing(),
		jq("until(false; .)", "operations[0]: JQ expression timed out after 1s: 'until(false; .)' (Deployment web)"),
		jq(
			`.spec.x = "x" * 1000000000`,
			`operations[0]: JQ expression exceeded 64Mi of memory: '.spec.x = "x" * 1000000000' (Deployment web)`,
		),
		jq(
			"reduce range(100) as $i (.; .x = [.x, .x])",
			"operations[0]: JQ expression exceeded 64Mi of memory: 'reduce range(100) as $i (.; .x = [.x, "+
				".x])' (Deployment web)",
		),
		jq(
			"reduce range(5000) as $i (.; .x = [.x])",
			"operations[0]: the result must be nested at most 1000 levels deep (Deployment web)",
		),
		jq("empty", "operations[0]: the filter 'empty' must yield one result, found 0 (Deployment web)"),
		jq("., .", "operations[0]: the filter '., .' must yield one result, found 2 (Deployment web)"),
		jq("1", "operations[0]: the result must be an object, found a number (Deployment web)"),
		jq(
			"env",
			"operations[0].jqFilter: invalid JQ expression 'env' (line 1, column 1): 'env' must not be used: "+
				"an expression can't read the environment (ApplyOperations hostile)",
		),
		on(
			"patch that copies, doubling each time", "JSONPatch",
			"jsonPatch: [{op: add, path: /x, value: [1]}"+strings.Repeat(", {op: copy, from: /x, path: /x/-}", 60)+"]",
			`operations[0]: jsonPatch[18]: copy "/x/-": a document of 1048672 bytes must have at most 426216 keys, `+
				`values, maps and lists (Deployment web)`,
		),
		on(
			"patch that copies the document into itself", "JSONPatch",
			"jsonPatch: [{op: copy, from: '', path: /x}"+strings.Repeat(", {op: copy, from: '', path: /x/x}", 60)+"]",
			"",
		).giving("\n    x:\n"),
		on(
			"patch that copies ever deeper", "JSONPatch",
			"jsonPatch: [{op: copy, from: /spec, path: /spec/x}"+
				strings.Repeat(", {op: copy, from: /spec, path: /spec/x}", 2000)+"]",
			`operations[0]: jsonPatch[331]: copy "/spec/x": the patch must not copy more than 1Mi (Deployment web)`,
		),
		on(
			"patch that adds ever deeper", "JSONPatch", "jsonPatch: ["+strings.TrimSuffix(deeper(1100), ", ")+"]",
			`operations[0]: jsonPatch[1000]: add "/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/…a": values `+
				`must be nested at most 1000 levels deep (Deployment web)`,
		),
		on(
			"patch of 100,000 segments", "JSONPatch",
			"jsonPatch: [{op: add, path: "+strings.Repeat("/a", 100_000)+", value: 1}]",
			`operations[0]: jsonPatch[0]: add `+
				`"/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/…/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a": the object has `+
				`no key "a" (Deployment web)`,
		),
		on(
			"patch with an index beyond what an int holds", "JSONPatch",
			"jsonPatch: [{op: add, path: /x, value: [1]}, {op: add, path: /x/99999999999999999999, value: 1}]",
			`operations[0]: jsonPatch[1]: add "/x/99999999999999999999": "/x" has no element `+
				`"99999999999999999999"; its length is 1 (Deployment web)`,
		),
		on(
			"patch that moves a part into itself", "JSONPatch",
			"jsonPatch: [{op: move, from: /spec, path: /spec/x}]",
			`operations[0].jsonPatch[0].from: must not be a parent of the path that the value is moved to, `+
				`found "/spec" and "/spec/x" (ApplyOperations hostile)`,
		),
		on(
			"patch that tests a large value", "JSONPatch",
			"jsonPatch: [{op: test, path: /spec, value: "+strings.Repeat("x", 1_000_000)+"}]",
			`operations[0]: jsonPatch[0]: test "/spec": must be `+
				`"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…", found map {replicas: 3} `+
				`(Deployment web)`,
		),
		on(
			"patch that removes the whole object", "JSONPatch", "jsonPatch: [{op: remove, path: ''}]",
			`operations[0].jsonPatch[0].path: must name a field for remove, found the whole object (ApplyOperations hostile)`,
		),
		on(
			"patch of 10,000 operations", "JSONPatch",
			"jsonPatch: [{op: add, path: /spec/x, value: []}"+
				strings.Repeat(", {op: add, path: /spec/x/0, value: 1}", 10_000)+"]",
			"",
		).giving("\n    - 1\n    - 1\n"),
		on(
			"merge patch of 10,000 levels", "MergePatch", "mergePatch: "+quote(nested(`{"a":`, "}", 10_000)),
			"operations[0].mergePatch: must be a map, or a string that holds one in JSON…and lists must be "+
				"nested at most 1000 levels deep (ApplyOperations hostile)",
		),
		on(
			"merge patch of 999 levels", "MergePatch",
			"mergePatch: "+quote(strings.Repeat(`{"a":`, 999)+"1"+strings.Repeat("}", 999)), "",
		).giving("\n  a:\n    a:\n"),
		on(
			"merge patch that is a list", "MergePatch", "mergePatch: [1]",
			"operations[0].mergePatch: must be a map, or a string that holds one in JSON or YAML, found a "+
				"list (ApplyOperations hostile)",
		),
		on(
			"merge patch that names another object", "MergePatch", "mergePatch: {metadata: {name: other}}",
			`operations[0]: the result must have the same metadata.name, "web", found "other" (Deployment web)`,
		),
		stream(
			"stream of 100,000 brackets", strings.Repeat("[", 100_000),
			"operationsJSON[0]: must be an operation in JSON or YAML: line 1: values must be nested at most "+
				"1000 levels deep (ApplyOperations hostile)",
		),
		{
			name:   "stream of 100,000 operations that are none",
			fails:  "operationsJSON[0].operation: must be set, found nothing (ApplyOperations hostile)",
			input:  operating(deployment, "  operationsJSON: "+quote(strings.Repeat("{}\n", 100_000))+"\n"),
			within: slow, times: manyRules,
		},
		stream("stream of 10,000 objects", objects(10_000), "").giving("\n    name: a9999\n"),
		stream("stream of nothing", "", ""),
		stream(
			"stream that ends too early", `{"operation": "Create", "object": {`,
			"operationsJSON[0]: must be an operation in JSON or YAML: line 1: unexpected end of the JSON "+
				"text (ApplyOperations hostile)",
		),
		stream(
			"stream that is an alias bomb", aliasBomb("", 10),
			"operationsJSON[0]: must be an operation in JSON or YAML: line 1: mapping va…ndentation, and "+
				"quote a value that has `: ` in it (ApplyOperations hostile)",
		),
		{
			name:  "10,000 objects that own one another in a circle",
			input: operating(circle(10_000), "  operations: [{operation: Delete, kind: A, name: a0}]\n"),
			out:   "items: []\n", within: slow,
		},
	})
}

func deeper(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "{op: add, path: %s, value: {}}, ", strings.Repeat("/a", i+1))
	}
	return b.String()
}

func objects(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, `{"operation":"Create","object":{"apiVersion":"v1","kind":"A","metadata":{"name":"a%d"}}}`+" ", i)
	}
	return b.String()
}

// circle returns objects each of which owns the next one, and the last one the first.
func circle(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "- apiVersion: v1\n  kind: A\n  metadata:\n    name: a%d\n"+
			"    ownerReferences: [{apiVersion: v1, kind: A, name: a%d}]\n", i, (i+count-1)%count)
	}
	return b.String()
}

// owned returns objects each of which is owned by some of those before it.
func owned(count, owners int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "- apiVersion: v1\n  kind: A\n  metadata:\n    name: a%d\n    ownerReferences:\n", i)
		for j := range owners {
			fmt.Fprintf(&b, "    - {apiVersion: v1, kind: A, name: a%d}\n", max(i-1-j, 0))
		}
	}
	return b.String()
}

// orphaned returns the operations that delete these objects, and no others.
func orphaned(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "  - {operation: DeleteNonCascading, kind: A, name: a%d}\n", i)
	}
	return b.String()
}

// TestOperationsThatMakeMuch runs operations with small texts that add ever more data, or never
// end.
func TestOperationsThatMakeMuch(t *testing.T) {
	const timedOut = ": ApplyOperations timed out after 10s: 'hostile' "
	many := func(name string, count int, operation func(i int) string, fails string) row {
		var b strings.Builder
		for i := range count {
			b.WriteString("  - {" + operation(i) + "}\n")
		}
		return row{
			name: name, fails: fails, within: slow, times: manyRules, making: making,
			input: operating(deployment+"  s: aaaaaaaaaaaaaaaa\n", "  operations:\n"+b.String()+"  jq: {timeout: 1m}\n"),
		}
	}
	create := func(i int, rest string) string {
		return fmt.Sprintf("operation: Create, object: {apiVersion: g%d.io/v1, kind: A, metadata: {name: a}%s}", i, rest)
	}
	check(t, []row{
		many(
			"26 filters that double a string", 26,
			func(int) string { return "operation: JQPatch, kind: Deployment, name: web, jqFilter: .s += .s" },
			"operations[…' (Deployment web)",
		),
		many(
			"50 objects that are alias bombs", 50,
			func(i int) string {
				object := fmt.Sprintf("apiVersion: v1\nkind: A\nmetadata: {name: a%d}\n", i) + aliasBomb("", 5)
				return fmt.Sprintf("operation: Create, object: %q", object)
			},
			"operations[…)",
		),
		many("8,000 objects of one name in as many groups", 8000, func(i int) string { return create(i, "") }, "").giving("g7999.io/v1"),
		many("8,000 objects of one name and group", 8000, func(int) string { return create(0, "") },
			"operations[1]: A a (g0.io/v1) already exists; did you mean CreateOrUpdate or CreateIfNotExists?"),
		many("8,000 patches of what 8,000 objects are", 16_000, func(i int) string {
			if i < 8000 {
				return create(i, "")
			}
			return "operation: MergePatch, kind: A, name: a, mergePatch: {x: 1}"
		}, "operations[8000]: A a names 8000 objects (g0.io/v1, g1.io/v1, g2.io/v1, g3.io/v1, g4.io/v1, g5.io/v1, g6.io/v1, g7.io/v1, "+
			"g8.io/v1, g9.io/v1 and 7990 more); set apiVersion to choose one"),
		many("8,000 objects that come and go", 16_000, func(i int) string {
			if i%2 == 0 {
				return create(0, "")
			}
			return "operation: Delete, kind: A, name: a"
		}, "").giving("name: web"),
		many("8,000 fields of one object", 8000, func(i int) string {
			return fmt.Sprintf("operation: CreateOrUpdate, object: {apiVersion: v1, kind: A, metadata: {name: a}, f%d: 1}", i)
		}, "operations[…"+timedOut+"(A a)").orGiving("f7999: 1"),
		{
			name: "1,000 objects with 40 owners each", within: slow, making: making, fails: "operations[…)",
			input: operating(owned(1000, 40), "  operations:\n"+orphaned(1000)),
		},
		many("20,000 deletions of nothing", 20_000, func(i int) string {
			return fmt.Sprintf("operation: Delete, kind: Deployment, name: web%d", i)
		}, "").giving("name: web"),
	})
}
