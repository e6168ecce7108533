package playground

import (
	"slices"
	"strings"
	"testing"
)

// oneStep is an expression with a step that no limit of the engine ends: it takes time and no
// memory.
const oneStep = `(reduce range(60) as $i ([1]; [., .])) | . == .`

// What the page says where a limit is met.
const (
	timedOut    = "JQ expression timed out after 1s"
	tooLarge    = "JQ expression exceeded"
	tookLonger  = "This took longer than 2 seconds"
	outOfMemory = "it ran out of memory"
)

// TestHostile runs rules that would never end, or would use up all memory: the page stays usable,
// and says what has happened.
func TestHostile(t *testing.T) {
	for _, test := range []struct {
		name, expression string
		limits           []string // which of them is met first depends on the machine
	}{
		{"endless", `.spec.replicas | until(false; .)`, []string{timedOut}},
		{"growing", `.spec.replicas | select([range(1e12)] | length > 0)`, []string{timedOut, tooLarge}},
		{"recursion", `def f: f | f; .spec | f`, []string{timedOut, tooLarge, outOfMemory}},
		{"one step", `.spec.replicas | select(` + oneStep + `)`, []string{tookLonger}},
		{"memory in one step", `.spec.replicas | select(("x" * 1000000000) | length > 0)`, []string{outOfMemory}},
		{"doubling", `.spec.replicas | select(reduce range(40) as $i ("x"; . + .) | length > 0)`, []string{timedOut, tookLonger, tooLarge, outOfMemory}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := open(t, desktop, "")
			p.put("live", "")
			good := p.text("config")
			bad := strings.Replace(good, "jsonPointers: [/spec/replicas]", "jqPathExpressions: ['"+test.expression+"']", 1)
			// Typing goes on while the engine runs.
			p.run(`{
				const area = $('config');
				area.focus();
				area.setRangeText(args[0], 0, area.value.length, 'end');
				area.dispatchEvent(new InputEvent('input', { bubbles: true }));
			}`, bad)
			p.caretAt("manifests", "name: my-app")
			p.typeIn("2")
			p.contains(p.text("manifests"), "name: my-app2")
			p.settle()
			said := eval[string](p, `$('stopped').hidden ? $('config-problems').innerText + $('panel-diff').innerText : $('stopped').innerText`) + p.show("results")
			if !slices.ContainsFunc(test.limits, func(limit string) bool { return strings.Contains(said, limit) }) {
				t.Errorf("must say one of %q, is:\n%s", test.limits, said)
			}
			p.put("config", good)
			p.wait(`$('stopped').hidden`)
			p.contains(p.show("diff"), "-  replicas: 3")
			p.contains(p.show("output"), "name: my-app2")
			p.forgive() // Go writes to the console where memory runs out
		})
	}
}

// TestOneWorker counts the workers while many runs are stopped.
func TestOneWorker(t *testing.T) {
	p := blank(t, desktop, address)
	p.countWorkers()
	p.visit("")
	for _, name := range []string{"a", "b"} {
		p.put("config", strings.Replace(p.text("config"), "jsonPointers: [/spec/replicas]",
			"jqPathExpressions: ['.spec.replicas | select("+oneStep+") # "+name+"']", 1))
	}
	counted := eval[[]int](p, `[workers.now, workers.most, workers.made]`)
	if counted[0] != 1 || counted[1] != 1 || counted[2] < 2 {
		t.Errorf("there must be one worker at any time, made anew: now, most, made are %v", counted)
	}
}

// countWorkers counts the workers of the next page, as the page starts and ends them.
func (p *page) countWorkers() {
	p.Helper()
	p.beforeLoad(`
		globalThis.workers = { now: 0, most: 0, made: 0 };
		globalThis.Worker = class extends Worker {
			constructor(...args) {
				super(...args);
				workers.made++;
				workers.most = Math.max(workers.most, ++workers.now);
			}
			terminate() {
				super.terminate();
				workers.now--;
			}
		};`)
}
