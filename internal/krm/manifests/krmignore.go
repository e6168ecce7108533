package manifests

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// krmIgnore are the patterns in the .krmignore of a package. They are for that package alone,
// without the packages in it.
type krmIgnore struct {
	patterns []pattern
	of       folder // the package
}

// isPackage tells whether the folder is a package of its own: it has a Kptfile.
func (d folder) isPackage() bool {
	_, err := os.Lstat(filepath.Join(d.path, "Kptfile"))
	return err == nil
}

// packageIgnore reads the .krmignore of a package; without one, nothing is excluded. As in git, an
// invalid pattern matches nothing.
func (f *finder) packageIgnore(d folder) krmIgnore {
	ignore := krmIgnore{of: d}
	name := filepath.Join(d.path, ".krmignore")
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return ignore
	}
	if err == nil && !info.Mode().IsRegular() {
		f.fault(name, "must be a regular file, found a "+typeName(info.Mode()))
		return ignore
	}
	text, err := os.ReadFile(name)
	if err != nil {
		f.fault(name, reasonOf(err))
		return ignore
	}
	for line := range strings.Lines(string(text)) {
		patterns, _ := parsePatterns([]string{line})
		ignore.patterns = append(ignore.patterns, patterns...)
	}
	return ignore
}
