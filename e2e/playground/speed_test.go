package playground

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestSpeed prints how long a person waits; it holds nothing to a time.
func TestSpeed(t *testing.T) {
	const loads, keys = 5, 40
	var first []float64
	for range loads {
		p := open(t, desktop, "") // a profile of its own, whose caches are empty
		first = append(first, eval[float64](p, `performance.getEntriesByName('first answer')[0].duration`))
	}
	t.Logf("first answer after a cold load: %s", spread(first))

	p := open(t, desktop, "")
	var manifests strings.Builder
	for i := range 100 {
		fmt.Fprintf(&manifests, "---\n%s", strings.ReplaceAll(deployment(t), "my-app", fmt.Sprintf("app-%d", i)))
	}
	p.put("manifests", manifests.String())
	p.caretAt("config", "/spec/replicas")
	p.run(`performance.clearMeasures()`)
	for i := range keys {
		p.typeIn(string("ab"[i%2]))
		p.settle()
	}
	for name, what := range map[string]string{"answer": "until the page shows it", "engine run": "of that in the engine, and to it and back"} {
		times := eval[[]float64](p, `performance.getEntriesByName(args[0]).map((entry) => entry.duration)`, name)
		if len(times) != keys {
			t.Errorf("each key must be answered: %d of %d are", len(times), keys)
		}
		t.Logf("answer to a key with 100 Deployments, %s: %s", what, spread(times))
	}
}

// deployment is the Deployment of the first story.
func deployment(t *testing.T) string {
	t.Helper()
	for document := range strings.SplitSeq(readStories(t)[0].Manifests, "---\n") {
		if strings.Contains(document, "kind: Deployment\n") {
			return document
		}
	}
	t.Fatal("the first story must have a Deployment")
	return ""
}

func spread(times []float64) string {
	slices.Sort(times)
	return fmt.Sprintf("median %.0f ms, from %.0f to %.0f ms (%d times)", times[len(times)/2], times[0], times[len(times)-1], len(times))
}
