package kubectl

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/words"
)

const (
	// maxStderr is how much of the stderr of a call is kept for its error.
	maxStderr = 1 << 20
	// maxLine is the length of a line that is passed on whole.
	maxLine = 64 << 10
	// passAfter is how long a line is kept back: that of a call that then fails is in its error.
	passAfter = 300 * time.Millisecond
)

// warning begins the warnings of the API server, and most of kubectl.
const warning = "Warning: "

// Warnings are what kubectl and the API server have warned of, each once.
type Warnings struct {
	mutex sync.Mutex
	all   []string
	known map[string]bool
}

// add returns false for a warning that is known.
func (w *Warnings) add(text string) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.known[text] {
		return false
	}
	if w.known == nil {
		w.known = map[string]bool{}
	}
	w.known[text], w.all = true, append(w.all, text)
	return true
}

// Results returns the warnings as results.
func (w *Warnings) Results() []report.Result {
	return lists.Map(w.all, func(text string) report.Result {
		return report.New(report.SeverityWarning, report.ReasonServerWarning, "kubectl: "+text)
	})
}

// stderrWriter passes on what a call writes to stderr, line by line, and keeps it for the error.
type stderrWriter struct {
	Kubectl
	// printed returns the stdout of the call, and of calls before it, which may have Secrets that
	// are then masked; it may be nil.
	printed func() []byte
	mutex   sync.Mutex
	// isHeld is true where nothing is passed on before the end: the call prints what may have
	// Secrets, which can be read when it is whole, or it has ended.
	isHeld bool
	kept   strings.Builder
	// leftOut is how many lines are not kept, and lost how many were not passed on either.
	leftOut, lost int
	// line is the beginning of a line, isCut is true if its end is left out, and begun is what was
	// passed on of the next line.
	line  []byte
	isCut bool
	begun string
	// waiting are the lines that are not kept or passed on yet, of so many bytes.
	waiting []string
	size    int
	timer   *time.Timer
}

func (w *stderrWriter) Write(text []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for part := range bytes.Lines(text) {
		w.add(part)
	}
	if w.timer == nil {
		w.timer = time.AfterFunc(passAfter, w.pass)
	}
	return len(text), nil
}

// add adds a line, or a part of one.
func (w *stderrWriter) add(part []byte) {
	rest, isWhole := bytes.CutSuffix(part, []byte("\n"))
	if !w.isCut {
		fits := min(len(rest), maxLine-len(w.line))
		w.line = append(w.line, rest[:fits]...)
		if w.isCut = fits < len(rest); w.isCut {
			w.line = append(w.line, "…"...)
		}
	}
	if isWhole {
		w.endLine()
	}
}

func (w *stderrWriter) endLine() {
	if w.size += len(w.line); w.isHeld && w.size > maxStderr {
		w.lost++
	} else {
		w.waiting = append(w.waiting, string(w.line))
	}
	w.line, w.isCut = w.line[:0], false
}

// stdoutWriter writes the stdout of a call, which printed reads meanwhile.
type stdoutWriter struct {
	io.Writer
	stderr *stderrWriter
}

func (w *stdoutWriter) Write(text []byte) (int, error) {
	w.stderr.mutex.Lock()
	defer w.stderr.mutex.Unlock()
	w.stderr.isHeld = true
	return w.Writer.Write(text)
}

func (w *stderrWriter) masked(line string) string {
	return printable.Source(w.Mask.Text(strings.TrimRight(line, "\r")))
}

// pass passes on what has waited, with a line that has no end yet: kubectl may wait for an answer.
func (w *stderrWriter) pass() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.timer = nil; w.isHeld {
		return
	}
	if w.printed != nil {
		w.Mask.AddText(w.printed())
	}
	w.tell(true)
	// The ellipsis hides what may be the beginning of a value.
	if line := strings.TrimSuffix(w.masked(string(w.line)+"…"), "…"); len(line) > len(w.begun) && strings.HasPrefix(line, w.begun) {
		w.print(line[len(w.begun):])
		w.begun = line
	}
}

// tell keeps the lines that have waited, and passes them on, or only the warnings.
func (w *stderrWriter) tell(all bool) {
	for _, line := range w.waiting {
		line = w.masked(line)
		if text, isWarning := strings.CutPrefix(strings.TrimSpace(line), warning); isWarning {
			if w.Warnings == nil || w.Warnings.add(text) {
				w.print(line + "\n")
			}
			continue
		}
		if w.kept.Len()+len(line) < maxStderr {
			w.kept.WriteString(line + "\n")
		} else {
			w.leftOut++
		}
		rest, isBegun := strings.CutPrefix(line, w.begun)
		switch {
		case !isBegun:
			w.print("\n" + line + "\n") // a value is hidden that was not whole before
		case all || w.begun != "":
			w.print(rest + "\n")
		}
		w.begun = ""
	}
	w.waiting, w.size = nil, 0
}

func (w *stderrWriter) print(text string) {
	if w.Stderr != nil {
		_, _ = io.WriteString(w.Stderr, text) // what can't be written to stderr can't be told
	}
}

func leftOut(lines int) string {
	return fmt.Sprintf("(%s left out: 1 MiB of stderr is kept)\n", words.Count(lines, "more line"))
}

// end ends the last line, passes on what has waited, of a call that has failed only the warnings,
// and returns what is kept for its error.
func (w *stderrWriter) end(hasFailed bool) string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	if len(w.line) > 0 {
		w.endLine()
	}
	w.isHeld = true
	if w.printed != nil && len(w.waiting)+w.kept.Len() > 0 {
		w.Mask.AddText(w.printed())
	}
	w.tell(!hasFailed)
	if w.lost > 0 && !hasFailed {
		w.print(leftOut(w.lost))
	}
	if w.leftOut+w.lost > 0 {
		w.kept.WriteString(leftOut(w.leftOut + w.lost))
	}
	return w.Mask.Text(w.kept.String())
}
