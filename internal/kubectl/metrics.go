package kubectl

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/krm-fields/krm-fields/internal/krm/manifests"
)

// Metrics counts what came of operations, for Prometheus.
type Metrics struct {
	outcomes           map[counted]int
	seconds            map[string]float64
	conflicts, retries int
}

type counted struct{ operation, outcome string }

func (m *Metrics) add(operation, outcome string, isConflict bool, took time.Duration) {
	if m.outcomes == nil {
		m.outcomes, m.seconds = map[counted]int{}, map[string]float64{}
	}
	if isConflict {
		outcome = "conflict"
		m.conflicts++
	}
	m.outcomes[counted{operation, strings.ReplaceAll(outcome, " ", "_")}]++
	m.seconds[operation] += took.Seconds()
}

// Write writes the metrics to a file in the text format of Prometheus: all of them, or none.
func (m *Metrics) Write(path string) error {
	var b strings.Builder
	family := func(name, help string) string {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s counter\n", name, help, name)
		return name
	}
	fmt.Fprintf(&b, "%s %d\n", family("krm_fields_hook_run_conflicts_total", "Operations that failed because their object had changed."), m.conflicts)
	name := family("krm_fields_operations_total", "Operations by kind and outcome.")
	byName := func(a, b counted) int {
		return cmp.Or(strings.Compare(a.operation, b.operation), strings.Compare(a.outcome, b.outcome))
	}
	for _, c := range slices.SortedFunc(maps.Keys(m.outcomes), byName) {
		fmt.Fprintf(&b, "%s{operation=%q,outcome=%q} %d\n", name, c.operation, c.outcome, m.outcomes[c])
	}
	fmt.Fprintf(&b, "%s %d\n", family("krm_fields_operation_retries_total", "Tries of operations after a conflict."), m.retries)
	name = family("krm_fields_operation_seconds_total", "Time that operations took, by kind.")
	for _, operation := range slices.Sorted(maps.Keys(m.seconds)) {
		fmt.Fprintf(&b, "%s{operation=%q} %g\n", name, operation, m.seconds[operation])
	}
	return manifests.WriteFile(path, []byte(b.String()), 0)
}
