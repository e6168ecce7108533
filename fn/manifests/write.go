package manifests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// WriteStream writes objects as YAML documents, `---` between them. Objects in
// JSON are written as JSON on one line, which is YAML too.
func WriteStream(out io.Writer, objects []*object.Object) error {
	for i, o := range objects {
		text, err := documentText(o)
		if err != nil {
			return err
		}
		if i > 0 {
			text = slices.Concat([]byte("---\n"), text)
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// documentText returns an object's text as a document that ends with a line
// break. An item of a List is written anew, as a document of its own.
func documentText(o *object.Object) ([]byte, error) {
	if o.IsJSON() {
		text, err := tree.MarshalJSON(o.Root())
		if err != nil {
			return nil, err
		}
		return append(text, '\n'), o.Settle()
	}
	if !o.IsDocument() {
		o = object.NewDocument(tree.Copy(o.Root()))
	}
	text, err := o.Text()
	if err != nil {
		return nil, err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(slices.Clip(object.Closed(text)), '\n')
	}
	return text, nil
}

// Update writes the files whose objects have changed: kept are the objects that
// come out of a run, and those among them that no file has are created. Each
// file is replaced in one step. It returns the paths that it wrote or removed.
func Update(files []*File, kept []*object.Object, newDir string) ([]string, error) {
	out := map[*object.Object]bool{}
	for _, o := range kept {
		out[o] = true
	}
	var writes []write
	for _, file := range files {
		text, err := file.text(out)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(text, file.source) {
			writes = append(writes, write{path: file.Path, text: text, mode: file.mode, empty: file.isEmpty(out)})
		}
		for _, d := range file.documents {
			for _, item := range d.items {
				delete(out, item)
			}
		}
	}
	taken := map[string]bool{}
	for _, o := range kept {
		if !out[o] {
			continue
		}
		text, err := documentText(o)
		if err != nil {
			return nil, err
		}
		path := newPath(newDir, newName(o), taken)
		taken[path] = true
		writes = append(writes, write{path: path, text: text, mode: 0o644})
	}
	return carryOut(writes)
}

// newPath returns the path of a new file in dir, with a number in its name where
// there is a file of that name, or one of those taken.
func newPath(dir, name string, taken map[string]bool) string {
	path := filepath.Join(dir, name)
	stem, extension := strings.TrimSuffix(path, filepath.Ext(path)), filepath.Ext(path)
	for number := 2; taken[path] || exists(path); number++ {
		path = fmt.Sprintf("%s-%d%s", stem, number, extension)
	}
	return path
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// newName is the name of the file of an object that was created: the one in its
// annotations, where that is a manifest in the package.
func newName(o *object.Object) string {
	if path := filepath.FromSlash(o.File().Path); filepath.IsLocal(path) && isManifest(filepath.Base(path)) {
		return path
	}
	ref := report.RefOf(o.Root())
	name := strings.ToLower(ref.Kind) + "_" + ref.Name
	return strings.Map(func(r rune) rune {
		if r == '/' || r == filepath.Separator || r == ':' {
			return '_'
		}
		return r
	}, name) + ".yaml"
}

// text returns the file with the objects that are still there.
func (f *File) text(kept map[*object.Object]bool) ([]byte, error) {
	var out bytes.Buffer
	for _, d := range f.documents {
		items := slices.DeleteFunc(slices.Clone(d.items), func(o *object.Object) bool { return !kept[o] })
		if len(d.items) > 0 && len(items) == 0 && d.list == nil {
			continue
		}
		text, err := d.textWith(items)
		if err != nil {
			return nil, err
		}
		out.Write(d.marker)
		out.Write(text)
	}
	return out.Bytes(), nil
}

// textWith returns the document with the given ones of its objects.
func (d *document) textWith(items []*object.Object) ([]byte, error) {
	changed := len(items) != len(d.items) || slices.ContainsFunc(items, (*object.Object).Changed)
	if !changed {
		return d.text, nil
	}
	if d.list != nil {
		d.list.Items = items
		parts, err := d.list.Write(nil)
		return bytes.Join(parts, nil), err
	}
	text, err := items[0].Text()
	if err != nil || !items[0].IsJSON() {
		return text, err
	}
	var pretty bytes.Buffer
	err = json.Indent(&pretty, text, "", "  ")
	pretty.WriteByte('\n')
	return pretty.Bytes(), err
}

// isEmpty tells whether every object of the file went.
func (f *File) isEmpty(kept map[*object.Object]bool) bool {
	had := false
	for _, d := range f.documents {
		if d.list != nil || len(d.items) == 0 && !d.isEmpty() || slices.ContainsFunc(d.items, func(o *object.Object) bool { return kept[o] }) {
			return false
		}
		had = had || len(d.items) > 0
	}
	return had
}

// write is one file to be written, or, where empty is true, removed.
type write struct {
	path  string
	text  []byte
	mode  os.FileMode
	empty bool
}

// carryOut writes all new files beside the old ones first and puts them in
// their places only then, so that a full disk leaves every file as it was.
func carryOut(writes []write) ([]string, error) {
	temporary := make([]string, len(writes))
	defer func() {
		for _, path := range temporary {
			if path != "" {
				_ = os.Remove(path) // it is gone already where all went well
			}
		}
	}()
	for i, w := range writes {
		if w.empty {
			continue
		}
		path, err := writeBeside(w)
		if err != nil {
			return nil, &Error{Path: w.path, Reason: reasonOf(err)}
		}
		temporary[i] = path
	}
	var paths []string
	for i, w := range writes {
		var err error
		if w.empty {
			err = os.Remove(w.path)
		} else {
			err = os.Rename(temporary[i], w.path)
		}
		if err != nil {
			return paths, &Error{Path: w.path, Reason: reasonOf(err)}
		}
		paths = append(paths, w.path)
	}
	return paths, nil
}

// writeBeside writes a new file in the folder of the old one and returns its
// path.
func writeBeside(w write) (string, error) {
	dir := filepath.Dir(w.path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	file, err := os.CreateTemp(dir, ".krm-fields-*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(w.text)
	if err == nil {
		err = file.Chmod(w.mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return file.Name(), err
}
