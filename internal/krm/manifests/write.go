package manifests

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// WriteStream writes objects as YAML documents, separated by `---`, with the comments of the
// documents without a value before them. Documents in JSON keep their text if it is YAML, too;
// other JSON is written on one line.
func WriteStream(out io.Writer, objects []*object.Object) error {
	return (&StreamWriter{Out: out}).Write(objects)
}

// StreamWriter writes objects as WriteStream does, some at a time.
type StreamWriter struct {
	Out     io.Writer
	started bool
}

// Write writes objects behind those that were written before.
func (w *StreamWriter) Write(objects []*object.Object) error {
	for _, o := range objects {
		text, err := documentText(o)
		if err != nil {
			return err
		}
		if len(o.Lead) > 0 {
			text = slices.Concat(o.Lead, text)
		}
		if w.started && !lines.IsMarker(o.Lead, "---") {
			text = slices.Concat(lines.BrokenLike(text, []byte("---\n")), text)
		}
		w.started = true
		if _, err := w.Out.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// documentText returns an object's text as a document that ends with a line break. An item of a
// List becomes a document.
func documentText(o *object.Object) ([]byte, error) {
	if !o.IsDocument() && !o.IsJSON() {
		return o.Document()
	}
	text, err := o.Text()
	if err == nil && o.IsJSON() {
		flushed := o.Use(func() {
			root, fault := tree.Parse(text) // JSON that is YAML with the same data stays as it is
			if !o.IsDocument() || fault != nil || !tree.Same(root, o.Root()) || bytes.HasPrefix(text, []byte("\ufeff")) {
				text, err = tree.MarshalJSON(o.Root())
			}
		})
		err = cmp.Or(err, flushed)
	}
	if err != nil {
		return nil, err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(slices.Clip(object.Closed(text)), '\n')
	}
	return text, nil
}

// Changes returns the changes of the files whose objects have changed: kept are the output objects
// of a run; those of them without a file are created in newDir.
func Changes(files []*File, kept []*object.Object, newDir string) ([]Change, error) {
	out := map[*object.Object]bool{}
	for _, o := range kept {
		out[o] = true
	}
	var changes []Change
	for _, file := range files {
		text, err := file.text(out)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(text, file.source) {
			changes = append(changes, file.change(text, file.isEmpty(out))...)
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
		path, err := newPath(newDir, o, taken)
		if err != nil {
			return nil, err
		}
		changes = append(changes, Change{Path: path, target: path, text: text})
	}
	return changes, nil
}

// change returns the change that gives the file a text, or, if that is empty, removes the file and
// its other names.
func (f *File) change(text []byte, empty bool) []Change {
	if !empty {
		return []Change{{Path: f.Path, target: f.target, text: text, source: f.source, info: f.info, isRead: true}}
	}
	changes := []Change{{Path: f.Path, Removed: true, target: f.target, source: f.source, info: f.info, isRead: true}}
	for _, name := range f.names {
		changes = append(changes, Change{Path: name, Removed: true, target: name, info: f.info, isOtherName: true})
	}
	return changes
}

// text returns the file with its remaining objects.
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
		removed := map[*object.Object]bool{}
		for _, o := range d.items {
			removed[o] = true
		}
		for _, o := range items {
			delete(removed, o)
		}
		d.list.Items = slices.DeleteFunc(d.list.Items, func(o *object.Object) bool { return removed[o] })
		texts, err := d.list.Write(nil)
		return bytes.Join(texts, nil), err
	}
	text, err := items[0].Text()
	if err != nil || !items[0].IsJSON() || items[0].Reformatted() == nil {
		return text, err
	}
	var pretty bytes.Buffer
	err = json.Indent(&pretty, text, "", "  ")
	pretty.WriteByte('\n')
	return lines.BrokenLike(d.text, pretty.Bytes()), err
}

// isEmpty tells whether no object of the file remains.
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
