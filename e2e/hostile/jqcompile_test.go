//go:build unix

package hostile

import (
	"fmt"
	"strings"
	"testing"
)

// numbered writes n numbered texts, one after the other.
func numbered(n int, format, separator string) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(texts, separator)
}

// TestJQCompiles runs expressions that are too expensive to compile.
func TestJQCompiles(t *testing.T) {
	const (
		at           = "ignoreFields[0].jqPathExpressions[0]: "
		inAnnotation = `metadata.annotations["fn.kpt.dev/ignore-fields"][0].jqPathExpressions[0]: `
		guarded      = "JQ expression …" // which exceeds its memory, or its time on a slow machine
		hostile      = " (IgnoreFields hostile)"
	)
	alternatives := func(n int) string { return ". as " + numbered(n, "$a%d", "?//") + " | .spec.replicas" }
	annotated := func(name, expression string) string {
		return "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: " + name + "\n    annotations:\n" +
			"      fn.kpt.dev/ignore-fields: " + quote("[{jqPathExpressions: ["+`"`+expression+`"`+"]}]") + "\n"
	}
	long := func(i int, text string) string {
		return fmt.Sprintf(".a%d", i) + strings.Repeat(text, 60_000/len(text))
	}
	var rules, own, broken string
	for i := range 100 {
		rules += fmt.Sprintf("  - %s\n", expression("jqPathExpressions", long(i, "[not]")))
		own += annotated(fmt.Sprint("c", i), fmt.Sprintf(".a%d", i)+strings.Repeat(" | select(.)", 1_500))
		broken += fmt.Sprintf("  - %s\n", expression("jqPathExpressions", fmt.Sprintf("def f%d:", i)+strings.Repeat("def f:", 10_000)))
	}
	many := func(rules string) string {
		return strings.Replace(ignoring(deployment, "jsonPointers: [/a]"), "  - jsonPointers: [/a]\n", rules, 1)
	}
	const memory = 256 << 20
	var rows []row
	for _, n := range []int{2_300, 7_000} {
		rows = append(rows,
			row{
				name:  fmt.Sprintf("%d alternatives", n),
				input: ignoring(deployment, expression("jqPathExpressions", alternatives(n))), fails: at + guarded + hostile, memory: memory,
			},
			row{
				name:  fmt.Sprintf("%d alternatives in an annotation", n),
				input: list(annotated("x", alternatives(n)), replicas), fails: inAnnotation + guarded + " (ConfigMap x)", memory: memory,
			},
			row{
				name: fmt.Sprintf("%d alternatives in a filter", n),
				input: operating(deployment, "  operations:\n  - {operation: JQPatch, kind: Deployment, name: web, jqFilter: "+
					quote(alternatives(n))+"}\n"),
				fails: "operations[0].jqFilter: " + guarded + " (ApplyOperations hostile)", memory: memory,
			},
		)
	}
	rows = append(rows,
		row{
			name:  "calls of itself",
			input: ignoring(deployment, expression("jqPathExpressions", "def f: f"+strings.Repeat(",f", 30_000)+"; f")),
			fails: at + guarded + ")", memory: memory + memory/2, // gojq's stack of alternatives grows by a quarter in one step
		},
		row{
			name: "100 long expressions", input: many(rules), within: slow,
			fails: "ignoreFields[…" + hostile, memory: memory, // all take too long, or one does
		},
		row{
			name: "100 long expressions in annotations", input: list(own, replicas), within: slow,
			memory: memory,
		},
		row{
			name: "100 long expressions that are not closed", input: many(broken), within: slow,
			fails: at + "invalid JQ expression '…" + hostile,
		},
	)
	check(t, rows)
}
