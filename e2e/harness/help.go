package harness

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/golden"
)

// helpFiles are the files that the examples of the help name.
const helpFiles = "e2e/testdata/help/files"

var (
	commandLine = regexp.MustCompile(`(?m)^  ([a-z]+) +[A-Z]`)
	exampleList = regexp.MustCompile(`(?s)\nExamples:\n(.*?)\n\n`)
)

// FollowHelp runs the wanted examples in the help of the commands, each with new files, those of a
// command in one shell, and compares their output with the files of a folder. None may print an
// error.
func FollowHelp(t *testing.T, expected string, wanted func(example string) bool) {
	followed := 0
	for _, command := range Commands(t) {
		var examples []string
		for _, example := range HelpExamples(t, command) {
			if wanted(example) {
				examples = append(examples, example)
			}
		}
		if len(examples) == 0 {
			continue
		}
		followed++
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			golden.ExpectFile(t, filepath.Join(expected, command+".txt"), followExamples(t, examples))
		})
	}
	if followed == 0 {
		t.Fatal("there must be examples, found none")
	}
}

// Commands are those in the help, except help itself.
func Commands(t *testing.T) []string {
	t.Helper()
	_, list, _ := strings.Cut(Succeed(t, ".", "krm-fields", "--help").Stdout, "\nRules:\n")
	list, _, _ = strings.Cut(list, "\nTopics:\n")
	var names []string
	for _, match := range commandLine.FindAllStringSubmatch(list, -1) {
		if match[1] != "help" {
			names = append(names, match[1])
		}
	}
	return names
}

// HelpExamples are the lines of the examples in the help of a command.
func HelpExamples(t *testing.T, command string) []string {
	t.Helper()
	match := exampleList.FindStringSubmatch(Succeed(t, ".", "krm-fields", command, "--help").Stdout)
	if match == nil {
		return nil
	}
	var examples []string
	for line := range strings.Lines(match[1]) {
		examples = append(examples, strings.TrimSpace(line))
	}
	return examples
}

// followExamples runs examples in one shell and returns them with what they print.
func followExamples(t *testing.T, examples []string) string {
	t.Helper()
	steps := []step{{lines: []string{"set -o pipefail"}}}
	var folders []string
	for _, example := range examples {
		folder := CopyPackage(t, filepath.Join(Root(), helpFiles), nil)
		if err := os.Chmod(filepath.Join(folder, "programs/kubectl"), 0o755); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, folder)
		steps = append(steps, step{lines: []string{"cd " + folder + "; HOME=$PWD PATH=$PWD/programs:$PATH; " + example}})
	}
	var shown strings.Builder
	for i, out := range run(t, t.TempDir(), steps)[1:] {
		text := strings.NewReplacer(folders[i]+"/", "", runtime.Version(), "go1.…", runtime.GOOS+"/"+runtime.GOARCH, "…/…").Replace(out.text)
		text = strings.TrimRight(text, "\n")
		if strings.HasPrefix(text, "error: ") || strings.Contains(text, "\nerror: ") || strings.Contains(text, "command not found") {
			t.Errorf("$ %s\nmust print no error, prints\n%s", examples[i], text)
		}
		shown.WriteString("$ " + examples[i] + "\n")
		if text != "" {
			shown.WriteString(text + "\n")
		}
		if out.code != "0" {
			shown.WriteString("exit code " + out.code + "\n")
		}
	}
	return shown.String()
}
