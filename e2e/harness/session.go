package harness

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/krm-fields/krm-fields/e2e/golden"
)

const (
	// console is the language of blocks with sessions: commands after "$ ", each followed by its
	// output.
	console = "console"
	// anything matches any text within a line of the output, and alone on a line any lines.
	anything = "…"
	// sessionLimit is how long a session may take.
	sessionLimit = 5 * time.Minute
)

// FollowSessions runs the wanted sessions of the documentation, each in its own shell, and compares
// the output of the commands with the page. The sessions of a page run in a copy of the repository.
// A command without output in the page must succeed; UPDATE_GOLDEN=1 writes the output of the
// others into the page.
func FollowSessions(t *testing.T, wanted func(b Block) bool) {
	followed := 0
	for _, page := range Pages(t) {
		var sessions []Block
		for _, b := range page.Blocks() {
			if b.Language == console && wanted(b) {
				sessions = append(sessions, b)
			}
		}
		if len(sessions) == 0 {
			continue
		}
		followed += len(sessions)
		t.Run(page.Name, func(t *testing.T) {
			t.Parallel()
			page.follow(t, sessions)
		})
	}
	if followed == 0 {
		t.Fatal("there must be sessions, blocks of ```console, found none")
	}
}

func (p Page) follow(t *testing.T, sessions []Block) {
	folder := copyRepository(t)
	shown := make([][]string, len(sessions))
	for i, b := range sessions {
		steps := b.steps()
		if len(steps) == 0 {
			t.Fatalf(`%s:%d: a session must have commands behind "$ "`, p.Name, b.First)
		}
		outputs := run(t, folder, steps)
		for j, s := range steps {
			s.check(t, fmt.Sprintf("%s:%d", p.Name, b.First+s.first+1), outputs[j])
			if golden.Update() && len(s.output) > 0 && !s.prints(outputs[j].text) {
				steps[j].output = strings.Split(strings.TrimRight(outputs[j].text, "\n"), "\n")
			}
		}
		for _, s := range steps {
			shown[i] = append(append(shown[i], s.lines...), s.output...)
		}
	}
	if golden.Update() {
		if err := os.WriteFile(filepath.Join(Root(), p.Name), []byte(p.with(sessions, shown)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A step is one command of a session.
type step struct {
	lines  []string // of the command as the page has it
	first  int      // line in the block, from 0
	output []string
}

// output is the output of a command, on stdout and stderr, and its exit code.
type output struct {
	text, code string
}

// document begins a here-document, which ends with a line of EOF.
const document = "<<'EOF'"

// steps returns the commands of a session. A command continues on the next line after "\", and to
// the end of a here-document.
func (b Block) steps() []step {
	var steps []step
	for i := 0; i < len(b.Lines); i++ {
		last := len(steps) - 1
		switch {
		case strings.HasPrefix(b.Lines[i], "$ "):
			s := step{lines: []string{b.Lines[i]}, first: i}
			for strings.HasSuffix(b.Lines[i], "\\") && i+1 < len(b.Lines) {
				i++
				s.lines = append(s.lines, b.Lines[i])
			}
			for strings.Contains(s.command(), document) && b.Lines[i] != "EOF" && i+1 < len(b.Lines) {
				i++
				s.lines = append(s.lines, b.Lines[i])
			}
			steps = append(steps, s)
		case last >= 0:
			steps[last].output = append(steps[last].output, b.Lines[i])
		}
	}
	return steps
}

// Commands returns the commands of a session, to find out what they need.
func (b Block) Commands() []string {
	var commands []string
	for _, s := range b.steps() {
		commands = append(commands, s.command())
	}
	return commands
}

func (s step) command() string {
	return strings.TrimPrefix(strings.Join(s.lines, "\n"), "$ ")
}

func (s step) check(t *testing.T, place string, got output) {
	t.Helper()
	switch {
	case len(s.output) == 0 && got.code != "0":
		t.Errorf("%s: $ %s\nmust succeed, has exit code %s and prints:\n%s", place, s.command(), got.code, got.text)
	case golden.Update():
	case len(s.output) > 0 && !s.prints(got.text):
		t.Errorf("%s: $ %s\nthe page shows:\n%s\nit prints:\n%s", place, s.command(), strings.Join(s.output, "\n"), got.text)
	}
}

// prints tells whether the page shows this output.
func (s step) prints(text string) bool {
	var pattern strings.Builder
	for _, line := range s.output {
		if line == anything {
			pattern.WriteString("(?:.*\n)*")
			continue
		}
		parts := strings.Split(line, anything)
		for i, part := range parts {
			parts[i] = regexp.QuoteMeta(part)
		}
		pattern.WriteString(strings.Join(parts, ".*") + "\n")
	}
	return regexp.MustCompile("^" + pattern.String() + "$").MatchString(strings.TrimRight(text, "\n") + "\n")
}

// run runs commands in one shell in a folder and returns the output of each.
func run(t *testing.T, folder string, steps []step) []output {
	t.Helper()
	end := "\n-- end of a step in " + folder + ": "
	var script strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&script, "%s\nprintf '%%s%%s\\n' '%s' $?\n", s.command(), end)
	}
	ctx, cancel := context.WithTimeout(t.Context(), sessionLimit)
	defer cancel()
	temporary := t.TempDir()
	bin, err := filepath.Abs(filepath.Join(Root(), "bin"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "bash", "-c", script.String())
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary, "GOBIN="+temporary, "LC_ALL=C.UTF-8",
		"PATH="+os.Getenv("PATH")+string(os.PathListSeparator)+bin)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed // one writer, so that the order stays
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		t.Fatalf("the shell must come to its end: %v\n%s", err, printed.String())
	}
	var outputs []output
	rest := printed.String()
	for range steps {
		text, behind, _ := strings.Cut(rest, end)
		code, next, found := strings.Cut(behind, "\n")
		if !found {
			t.Fatalf("the shell must come to the end of the session, did %d of %d steps:\n%s", len(outputs), len(steps), rest)
		}
		outputs, rest = append(outputs, output{text: text, code: code}), next
	}
	return outputs
}

// notCopied are the folders that no page needs: build output, and the tests.
var notCopied = []string{".git", "bin", "dist", "bench", "e2e"}

// copyRepository copies the repository to a temporary folder and returns its path.
func copyRepository(t *testing.T) string {
	t.Helper()
	copied := t.TempDir()
	err := filepath.WalkDir(Root(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(Root(), path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(notCopied, name):
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(copied, name), 0o755)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(copied, name), content, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return copied
}

// Needs tells whether a command calls a program by its name.
func Needs(command, program string) bool {
	return regexp.MustCompile(`(^|[|;&({]\s*|\n\s*)` + regexp.QuoteMeta(program) + `\s`).MatchString(command + "\n")
}
