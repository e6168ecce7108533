package manifests

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	gitignore "github.com/monochromegane/go-gitignore"
)

// krmIgnore are the patterns in the .krmignore of a package. They are for that package alone,
// without the packages in it, and are parsed by the library that kpt uses.
type krmIgnore struct {
	matcher gitignore.IgnoreMatcher
}

// ignores tells whether a file or a folder of the package is excluded.
func (i krmIgnore) ignores(path string, isFolder bool) bool {
	return i.matcher != nil && i.matcher.Match(path, isFolder)
}

// isPackage tells whether the folder is a package of its own: it has a Kptfile.
func (d folder) isPackage() bool {
	_, err := os.Lstat(filepath.Join(d.path, "Kptfile"))
	return err == nil
}

// packageIgnore reads the .krmignore of a package; without one, nothing is excluded.
func (f *finder) packageIgnore(d folder) krmIgnore {
	name := filepath.Join(d.path, ".krmignore")
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return krmIgnore{}
	}
	if err == nil && !info.Mode().IsRegular() {
		f.fault(name, "must be a regular file, found a "+typeName(info.Mode()))
		return krmIgnore{}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		f.fault(name, reasonOf(err))
		return krmIgnore{}
	}
	return krmIgnoreOf(d.path, string(text))
}

// krmIgnoreOf parses the text of the .krmignore of a package.
func krmIgnoreOf(path, text string) krmIgnore {
	return krmIgnore{gitignore.NewGitIgnoreFromReader(path, strings.NewReader(withoutEmpty(text)))}
}

// withoutEmpty removes the lines without a name, which the library can't parse.
func withoutEmpty(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if strings.Trim(line, " \t\r\n!/\\") != "" {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
