package kubectl

import (
	"bytes"
	"testing"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestUnfinishedLine passes on lines that have no end yet, such as a prompt, in two parts.
func TestUnfinishedLine(t *testing.T) {
	secret := tree.NewMap("kind", "Secret", "stringData", tree.NewMap("token", tree.NewString("correct-horse")))
	for _, test := range []struct{ first, second, want string }{
		{"Password: ", "\n", "Password: |\n"},
		{"token correct-", "horse\n", "token ***|\n"},
		{"token correct-", "ly\n", "token ***|\ntoken correct-ly\n"},
		{"token correct-horse", " is wrong\n", "token ***| is wrong\n"},
		{"wait...", " done\n", "wait...| done\n"},
	} {
		mask := &redact.Mask{}
		mask.Add(secret)
		var printed bytes.Buffer
		w := &stderrWriter{Kubectl: Kubectl{Mask: mask, Stderr: &printed}}
		w.add([]byte(test.first))
		w.pass()
		printed.WriteString("|")
		w.add([]byte(test.second))
		w.pass()
		if got := printed.String(); got != test.want {
			t.Errorf("%q, then %q: found %q, want %q", test.first, test.second, got, test.want)
		}
	}
}
