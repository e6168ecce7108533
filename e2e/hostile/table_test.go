//go:build unix

package hostile

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

const (
	// startUp is how long a process may take in addition to the limits in its input, on a busy
	// machine.
	startUp = 4 * time.Second
	// slow is how long a run on a lot of data may take.
	slow = 30 * time.Second
	// overtime is how long a run may continue when an expression's time is over.
	overtime = 500 * time.Millisecond
	// baseline is the memory that a process may take for any input, in bytes.
	baseline = 160 << 20
	// growth is how many times the input a process may take in addition.
	growth = 10
	// unusualGrowth is growth for tiny values in a document that the YAML library reads.
	unusualGrowth = 300
	// manyRules is growth for expressions and operations of a few bytes each, and for as many
	// results and recorded fields: each takes a kilobyte or so.
	manyRules = 300
	// making is the memory that patches and operations may take, at the default limits.
	making = 430 << 20
	// overshoot is the memory that evaluation may take beyond its limit.
	overshoot = 128 << 20
)

// A row is an input, and how krm-fields must end on it.
type row struct {
	name  string
	input string
	// fails is the message of the first error, with "…" for a part that does not matter; "" for a
	// run that succeeds.
	fails string
	// mayPass is true if a quick machine may be done before a limit of time.
	mayPass bool
	// out is a part of stdout; "" for the unchanged items, or for none if the list is refused.
	out string
	// timeout and memory are the limits of the expressions; 0 if they have none, or stay far below
	// them.
	timeout time.Duration
	memory  int64
	// within is how long the run may take where it has no timeout; startUp if it is 0.
	within time.Duration
	// making is what the operations may take for what they make.
	making int64
	// times is how many times its size the input may take; growth if it is 0.
	times int64
}

// giving returns the row with a piece of what must be on stdout.
func (r row) giving(out string) row {
	r.out = out
	return r
}

// orGiving returns the row of a run that a quick machine may do, with a piece of what is on stdout
// then.
func (r row) orGiving(out string) row {
	r.out, r.mayPass = out, true
	return r
}

// failedList is what stands on stdout where the input can't be read.
const failedList = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nresults:\n- message: "

// failedJSON is failedList for JSON.
const failedJSON = `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[],"results":[{"message":`

const (
	refusal      = "the input must be one ResourceList"
	tooDeep      = "maps and lists must be nested at most 1000 levels deep"
	onManifests  = "; to run on manifests, use `krm-fields run --config FILE`"
	tooManyNodes = "aliases must not expand the document to more than 100000 nodes"
)

// at is the message that refuses an input for what is on a line.
func at(line int, reason string) string {
	return fmt.Sprintf(refusal+" (line %d): %s", line, reason)
}

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) { r.check(t) })
	}
}

func (r row) check(t *testing.T) {
	stdout, stderr, c := run(t, []byte(r.input))
	t.Logf("exit code %d, %v, %d MB of at most %d for %d kB of input",
		c.Code, c.Wall.Round(time.Millisecond), c.Peak>>20, r.memoryLimit()>>20, len(r.input)>>10)
	if r.mayPass && c.Code == 0 {
		r.fails = ""
	} else if r.mayPass {
		r.out = ""
	}
	r.checkMessage(t, string(stderr), c.Code)
	r.checkItems(t, stdout)
	if limit := r.timeLimit(); c.Wall > limit {
		t.Errorf("the run must end within %v, and took %v", limit, c.Wall)
	}
	if limit := r.memoryLimit(); c.Peak > limit {
		t.Errorf("the run must take at most %d MB, and took %d MB", limit>>20, c.Peak>>20)
	}
}

func (r row) checkMessage(t *testing.T, stderr string, code int) {
	t.Helper()
	for _, trace := range []string{"goroutine ", "panic: ", "krm-fields has a bug"} {
		if strings.Contains(stderr, trace) {
			t.Fatalf("no input must make the program panic:\n%s", shorten(stderr))
		}
	}
	if r.fails == "" {
		if code != 0 || stderr != "" {
			t.Errorf("the run must succeed and write nothing to stderr, found exit code %d and:\n%s", code, shorten(stderr))
		}
		return
	}
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	message := firstError(stderr)
	beginning, end, _ := strings.Cut(r.fails, "…")
	cut := beginning != r.fails && strings.HasPrefix(message, beginning) && strings.HasSuffix(message, end)
	if message != r.fails && !cut {
		t.Errorf("the first error is\n%s\nwant\n%s", shorten(message), shorten(r.fails))
	}
}

// reason is what stands behind a message.
var reason = regexp.MustCompile(` \[\w+\]\n$|\n$`)

// firstError returns the first message of an error on stderr, without its reason.
func firstError(stderr string) string {
	for line := range strings.Lines(stderr) {
		if message, ok := strings.CutPrefix(line, "error: "); ok {
			return reason.ReplaceAllString(message, "")
		}
	}
	return ""
}

func (r row) checkItems(t *testing.T, stdout []byte) {
	t.Helper()
	switch {
	case strings.HasPrefix(r.fails, refusal):
		if !bytes.HasPrefix(stdout, []byte(failedList)) && !bytes.HasPrefix(stdout, []byte(failedJSON)) {
			t.Errorf("a list without items and one result must come out, found\n%s", shorten(string(stdout)))
		}
	case r.out == "":
		if !bytes.HasPrefix(stdout, []byte(strings.TrimSuffix(r.input, "\n"))) {
			t.Errorf("the list must come out as it came in, found\n%s", shorten(string(stdout)))
		}
	default:
		if !bytes.Contains(stdout, []byte(r.out)) {
			t.Errorf("stdout must have\n%s\nfound\n%s", shorten(r.out), shorten(string(stdout)))
		}
	}
}

func (r row) timeLimit() time.Duration {
	if r.timeout > 0 {
		return r.timeout + overtime + startUp
	}
	return max(r.within, startUp)
}

func (r row) memoryLimit() int64 {
	limit := baseline + max(r.times, growth)*int64(len(r.input))
	limit += r.making
	if r.memory > 0 {
		limit += r.memory + overshoot
	}
	return limit
}

// shorten returns the beginning and the end of a text.
func shorten(text string) string {
	const half = 1000
	if len(text) <= 2*half {
		return text
	}
	return text[:half] + "\n[…]\n" + text[len(text)-half:]
}
