package config

import (
	"slices"
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		header + "action: Strip\njsonPointers: [/a]\njq: {timeout: 1s, memoryLimit: 1Gi}\n",
		header + "targets: [&a {kind: Pod, labels: {a.b/c: d}}, *a, {<<: *a, where: x}]\nparameters: {a: [1, ~]}\n",
		header + "actoin: strip\nemit: yes\npatches: [{op: add, value: null}, {op: 3}, null]\nextra: {timeout: -1s}\n",
		"[1, {a: b}]", "~", "a: !!binary aGk=\n", "metadata: {1: 2}\njsonPointers: |\n  /a\n  /b\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := tree.Parse([]byte(text))
		if err != nil {
			return
		}
		var got, fromText sample
		DecodeText(n, "data", &fromText)
		faults := Decode(n, "", &got)
		for _, fault := range faults {
			if fault.Message == "" {
				t.Errorf("%s: a fault without a message", fault.Path)
			}
		}
		if len(faults) > 0 {
			return
		}
		if !slices.Contains([]string{"Strip", "Annotate"}, got.Action) {
			t.Errorf("action %q without a fault", got.Action)
		}
		if got.JQ.Timeout.Duration <= 0 || got.JQ.Memory.Bytes <= 0 {
			t.Errorf("limits %v without a fault", got.JQ)
		}
	})
}
