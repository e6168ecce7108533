package manifests

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// newPath returns the path of a new file for an object: the path in the object's annotations, else
// one made of its name, with a number if the file exists or is among those taken.
func newPath(dir string, o *object.Object, taken map[string]bool) (string, error) {
	name := newName(o)
	if annotated := o.File().Path; annotated != "" {
		if reason := refuseNew(dir, annotated); reason != "" {
			return "", fmt.Errorf("the file that the annotations of %s name must be a .yaml, .yml or .json file in the package, "+
				"not hidden and not in a linked or hidden folder, found %q: %s", report.RefOf(o.Root()), annotated, reason)
		}
		name = filepath.FromSlash(annotated)
	}
	path := filepath.Join(dir, name)
	stem, extension := strings.TrimSuffix(path, filepath.Ext(path)), filepath.Ext(path)
	for number := 2; taken[path] || exists(path); number++ {
		path = fmt.Sprintf("%s-%d%s", stem, number, extension)
	}
	taken[path] = true
	return path, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// newName returns the name of a new file for an object, which is not hidden.
func newName(o *object.Object) string {
	ref := report.RefOf(o.Root())
	name := strings.TrimLeft(strings.ToLower(ref.Kind), ".") + "_" + ref.Name
	return strings.Map(func(r rune) rune {
		if r == '/' || r == filepath.Separator || r == ':' {
			return '_'
		}
		return r
	}, name) + ".yaml"
}

// refuseNew says why no file may be created at a path in a folder; "" if it may.
func refuseNew(dir, path string) string {
	local := filepath.FromSlash(path)
	if !filepath.IsLocal(local) {
		return "it is outside"
	}
	if !isManifest(filepath.Base(local)) {
		return "it has another name"
	}
	folder := filepath.ToSlash(filepath.Dir(filepath.Clean(local)))
	if folder == "." {
		return ""
	}
	at := dir
	for part := range strings.SplitSeq(folder, "/") {
		if strings.HasPrefix(part, ".") {
			return "the folder " + part + " is hidden"
		}
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		switch {
		case err != nil: // it will be created
		case info.Mode()&fs.ModeSymlink != 0:
			return "the folder " + part + " is a link"
		case !info.IsDir():
			return part + " is not a folder"
		}
	}
	return ""
}
