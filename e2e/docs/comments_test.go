package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// commentWidth is the column at which comments wrap, with tabs of four columns.
const commentWidth = 100

// commentLine matches a line that is only a comment of several words, without directives and
// indented text.
var commentLine = regexp.MustCompile(`^\t*// \S+ .*`)

// TestCommentsWrap checks that the comments of all Go files have one width.
func TestCommentsWrap(t *testing.T) {
	root := os.DirFS(harness.Root())
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if err == nil && (entry.Name() == "testdata" || entry.Name() == ".git") {
				return fs.SkipDir
			}
			return err
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		isOutput := false // what an example prints, line by line
		for i, line := range strings.Split(string(text), "\n") {
			isOutput = strings.HasPrefix(line, "\t// Output:") || isOutput && strings.HasPrefix(line, "\t//")
			width := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			if commentLine.MatchString(line) && width > commentWidth && !isOutput && !strings.Contains(line, "  ") {
				t.Errorf("%s:%d: a comment must wrap at %d columns, found %d", name, i+1, commentWidth, width)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
