//go:build unix

package hostile

import (
	"strings"
	"testing"
)

// badLabels is the beginning of the message for a labelSelector that is refused.
const badLabels = "selectors[0].labelSelector: must be a Kubernetes label selector such as " +
	`"tier in (web,api),!canary", found `

// TestSelectors runs hostile selectors.
func TestSelectors(t *testing.T) {
	selecting := func(name, selectors, fails string) row {
		input := ignoring(deployment, "jsonPointers: [/spec/replica]", "  selectors:\n"+selectors)
		return row{name: name, input: input, fails: fails}
	}
	labels := func(selector string) string { return "  - labelSelector: " + quote(selector) + "\n" }
	check(t, []row{
		selecting(
			"label selector of 100,000 brackets", labels("a in "+strings.Repeat("(", 100_000)),
			badLabels+`"a in (((((…`,
		),
		selecting("label selector of 100,000 words", labels("a in ("+strings.Repeat("b,", 100_000)+"c)"), ""),
		selecting("label selector of 10,000 requirements", labels(strings.Repeat("!a,", 10_000)+"!b"), ""),
		selecting(
			"label selector that is none", labels("a in (b"),
			badLabels+`"a in (b": unable to parse requirement: found '', expected: ',' or ')' (IgnoreFields hostile)`,
		),
		selecting("label selector of a key that is none", labels(strings.Repeat("a", 1000)), badLabels+`"aaaaaa…`),
		selecting("glob of 100,000 stars", "  - name: "+quote(strings.Repeat("*a", 100_000))+"\n", ""),
		selecting("10,000 selectors", strings.Repeat("  - {kind: Pod, name: a}\n", 10_000), ""),
		selecting(
			"selector that is a list", "  - [kind]\n",
			`selectors[0]: must be a map, found list [kind] (IgnoreFields hostile)`,
		),
		selecting(
			"selector without a field", "  - {}\n",
			"selectors[0]: must have at least one field: apiVersion, group, …",
		),
		selecting(
			"selector of numbers", "  - {name: 1, kind: true}\n",
			`selectors[0].name: must be a string, found number 1; write it in quotes: "1" (IgnoreFields hostile)`,
		),
	})
}

// TestConfig runs hostile fields of a functionConfig.
func TestConfig(t *testing.T) {
	with := func(name, fields, fails string) row {
		input := ignoring(deployment, "jsonPointers: [/spec/replica]", fields)
		return row{name: name, input: input, fails: fails, within: slow}
	}
	check(t, []row{
		with(
			"10,000 unknown fields", strings.ReplaceAll(keys(10_000), "    k", "  k"),
			`k0: unknown field "k0"; known fields: apiVersion, kind, …`,
		),
		with(
			"timeout without end", "  jq: {timeout: 99999999999999999999h}\n",
			`jq.timeout: must be a duration such as 500ms or 1s, found "99999999999999999999h" (IgnoreFields `+
				`hostile)`,
		),
		with("memory without end", "  jq: {memoryLimit: 99999999999999999999Gi}\n", ""),
		with(
			"timeout of nothing", "  jq: {timeout: 0s}\n",
			`jq.timeout: must be a duration longer than zero, found "0s" (IgnoreFields hostile)`,
		),
		with(
			"memory of nothing", "  jq: {memoryLimit: 0Mi}\n",
			`jq.memoryLimit: must be more than zero bytes, found "0Mi" (IgnoreFields hostile)`,
		),
		with(
			"action of 1 MB", "  action: "+strings.Repeat("x", 1_000_000)+"\n",
			`action: must be Strip, Annotate or TakeLive, found "xxxxx…`,
		),
	})
}
