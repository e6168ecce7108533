//go:build unix

package hostile

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// limits are the limits of jq in a functionConfig.
const limits = "  jq: {timeout: 1s, memoryLimit: 64Mi}\n"

// jqRow is a row for one jq expression with limits.
func jqRow(name, text, fails string) row {
	return row{
		name: name, input: ignoring(deployment, expression("jqPathExpressions", text), limits), fails: fails,
		timeout: time.Second, memory: 64 << 20,
	}
}

func timedOut(text string) string {
	return "ignoreFields[0].jqPathExpressions[0]: JQ expression timed out after 1s: '" + text + "' (Deployment web)"
}

func outOfMemory(text string) string {
	return "ignoreFields[0].jqPathExpressions[0]: JQ expression exceeded 64Mi of memory: '" + text + "' (Deployment web)"
}

func runtimeError(text, cause string) string {
	return "ignoreFields[0].jqPathExpressions[0]: JQ expression runtime error in '" + text + "': " + cause
}

// manyObjects returns items named i0, i1 and so on.
func manyObjects(n int) string {
	var items strings.Builder
	for i := range n {
		fmt.Fprintf(&items, "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: i%d}\n", i)
	}
	return items.String()
}

// TestJQ runs expressions that loop or grow without end, and ones that are too long or too deep to
// be compiled.
func TestJQ(t *testing.T) {
	var rows []row
	for _, text := range []string{
		`until(false; .)`,
		`def f: f; f`,
		`try until(false; .) catch .`,
		`(until(false; .))? // .spec`,
		`label $x | until(false; .) | break $x`,
		`.spec | select(until(false; .))`,
		`"x" * 300000 | gsub("x"; "xx")`,
	} {
		rows = append(rows, jqRow("no end: "+text, text, timedOut(text)))
	}
	for _, text := range []string{
		`.kind[:1] * 250000000`,
		`reduce range(100) as $i ("x"; . + .)`,
		`reduce range(100) as $i ("x"; tojson)`,
		`reduce range(100) as $i ("x"; @base64)`,
		`reduce range(100) as $i ([1]; . + .)`,
		`reduce range(100) as $i ([]; [., .]) | tojson`,
		`[range(1e9)]`,
		`[recurse([.])]`,
		`def f: [f]; f`,
		`null | .[1e8] = 1`,
	} {
		rows = append(rows, row{
			name: "no bounds: " + text, fails: outOfMemory(text), within: slow, memory: 64 << 20,
			input: ignoring(deployment, expression("jqPathExpressions", text), "  jq: {timeout: 1m, memoryLimit: 64Mi}\n"),
		})
	}
	for _, refused := range []struct{ name, text, reason string }{
		{"100,000 parentheses", strings.Repeat("(", 100_000), "must be at most 65536 bytes long, found 100000"},
		{"30,000 parentheses that are closed", strings.Repeat("(", 30_000) + "." + strings.Repeat(")", 30_000),
			"must be at most 200 levels deep, found 30000"},
		{"10,000 brackets", "." + nested("[.", "]", 10_000), "must be at most 200 levels deep, found 10000"},
		{"300 pipes in parentheses", strings.Repeat("(.|", 300) + "." + strings.Repeat(")", 300),
			"must be at most 200 levels deep, found 300"},
		{"64 KiB and more", "." + strings.Repeat("a", 64<<10), "must be at most 65536 bytes long, found 65537"},
		{"strings that are not closed", `."` + strings.Repeat(`\(`, 10_000), `(line 1, column 5): unexpected token "\\"`},
		{"out of its place", `.a) | (.b`, `unexpected token ")"`},
		{"environment", `env`, "'env' must not be used: an expression can't read the environment"},
		{"environment as a variable", `$ENV.PATH`, "'$ENV' must not be used: an expression can't read the environment"},
		{"input", `input`, "'input' must not be used: an expression sees one object; there is no other input"},
		{"clock", `now`, "'now' must not be used: an expression can't read the clock or the time zone"},
		{"module", `import "a" as a; .`, "an expression can't load modules"},
		{"halt", `halt`, "'halt' must not be used: an expression can't end the run"},
		{"debug", `debug`, "'debug' must not be used: an expression can't write anything but its results"},
		{"nothing", ``, "must not be empty; write a path expression such as .spec.replicas"},
		{"a comment alone", `# nothing`, "must not be empty; write a path expression such as .spec.replicas"},
	} {
		rows = append(rows, row{
			name: refused.name, input: ignoring(deployment, expression("jqPathExpressions", refused.text), limits),
			fails: "ignoreFields[0].jqPathExpressions[0]: invalid JQ expression '…" + refused.reason +
				" (IgnoreFields hostile)",
		})
	}
	crossed := jqRow("no end, and an alias of another item's anchor", "until(false; .)", timedOut("until(false; .)"))
	crossed.input = strings.Replace(crossed.input, "items:\n", "items:\n- apiVersion: v1\n  kind: A\n  a: &a 1\n"+
		"- apiVersion: v1\n  kind: B\n  b: *a\n", 1)
	crossed.fails = strings.Replace(crossed.fails, "Deployment web", "A", 1)
	beside := `if .metadata.name == "i8" then until(false; .) else (0 | until(. >= 2e6; . + 1)) as $n | .data end`
	if runtime.GOMAXPROCS(0) > 1 { // one core works on the first eight objects, which take half a second each, another one on the ninth
		rows = append(rows, row{
			name: "no end on one object while others are slow", input: ignoring(manyObjects(16), expression("jqPathExpressions", beside), limits),
			fails: strings.Replace(timedOut(beside), "(Deployment web)", "(ConfigMap …)", 1), timeout: time.Second, memory: 64 << 20,
		})
	}
	rows = append(rows, crossed,
		jqRow(
			"30,000 pipes", strings.Repeat(".|", 30_000)+".",
			"ignoreFields[0].jqPathExpressions[0]: JQ expression runtime error in '…",
		),
		jqRow(
			"the whole object", `..`,
			runtimeError("..", "apiVersion, kind, metadata.name and metadata.namespace can't be ignored, "+
				"so the whole object can't be ignored (Deployment web)"),
		),
		jqRow(
			"a value", `if .kind == "Pod" then .spec else null end`,
			"ignoreFields[0].jqPathExpressions[0]: JQ expression runtime error in 'if .kind == \"Pod\" then .spec else null end': "+
				"a path expression must select fields of the object…",
		),
	)
	check(t, rows)
}
