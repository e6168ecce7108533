package playground

import (
	"slices"
	"testing"
)

// TestBusyUntilTheLast edits again while the answer to an edit is to come: the outcome is busy
// until the last answer is there.
func TestBusyUntilTheLast(t *testing.T) {
	p := open(t, desktop, "")
	p.run(`{
		globalThis.seen = [];
		const outcome = $('outcome');
		new MutationObserver(() => seen.push(outcome.ariaBusy)).observe(outcome, { attributeFilter: ['aria-busy'] });
		const area = $('manifests');
		area.focus();
		for (const count of [4, 5]) {
			area.value = area.value.replace(/ replicas: \d/, ' replicas: ' + count);
			area.dispatchEvent(new InputEvent('input', { bubbles: true }));
		}
	}`)
	p.wait(`$('diff').value.includes('-  replicas: 5')`)
	p.settle()
	if seen := eval[[]string](p, `seen`); !slices.Equal(seen, []string{"true", "false"}) {
		t.Errorf("aria-busy must become true and then false, becomes %q", seen)
	}
}
