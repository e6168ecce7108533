package kubectl

import (
	"bytes"
	"strings"
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

// TestStderrBesideStdout holds back what a call says once it prints, as that may have Secrets; also
// those of calls before it are masked.
func TestStderrBesideStdout(t *testing.T) {
	const earlier, own = `{"kind": "Secret", "stringData": {"a": "hunter2hunter"}}`, `{"kind": "Secret", "stringData": {"a": "correct-horse"}}`
	var stdout, printed bytes.Buffer
	stdout.WriteString(earlier + "\n---\n")
	w := &stderrWriter{Kubectl: Kubectl{Mask: &redact.Mask{}, Stderr: &printed}, printed: stdout.Bytes}
	say := func(text, want string) {
		t.Helper()
		w.add([]byte(text))
		w.pass()
		if got := printed.String(); got != want {
			t.Errorf("after %q: found %q, want %q", text, got, want)
		}
	}
	say("hunter2hunter\n", "***\n")
	out := &stdoutWriter{&stdout, w}
	for _, part := range []string{own[:40], own[40:]} {
		if _, err := out.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
		say("correct-horse\n", "***\n")
	}
	w.end(false)
	say("", "***\n***\n***\n")
}

// TestHeldStderr keeps 1 MiB of what a call says while it prints.
func TestHeldStderr(t *testing.T) {
	var printed bytes.Buffer
	w := &stderrWriter{Kubectl: Kubectl{Mask: &redact.Mask{}, Stderr: &printed}, isHeld: true}
	for range 20 {
		w.add(append(bytes.Repeat([]byte("a"), maxLine), '\n'))
	}
	if len(w.waiting) != maxStderr/maxLine || w.lost != 4 {
		t.Errorf("%d lines wait, and %d are left out", len(w.waiting), w.lost)
	}
	const want = "a\n(4 more lines left out: 1 MiB of stderr is kept)\n"
	if w.end(false); !strings.HasSuffix(printed.String(), want) {
		t.Errorf("found %q at the end, want %q", printed.String()[max(0, printed.Len()-len(want)):], want)
	}
}
