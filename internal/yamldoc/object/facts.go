package object

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// LineOf returns the line in the file of a node of the input data, from 1; 0 if it is not known.
func (o *Object) LineOf(n *tree.Node) int {
	if n == nil || n.Line() == 0 || o.FirstLine == 0 {
		return 0
	}
	return o.FirstLine + n.Line() - 1
}

// Input returns the object's data as it was read, without edits; nil if it was created, or can't be
// parsed.
func (o *Object) Input() *tree.Node {
	switch {
	case o.text == nil || o.loaded && !o.Changed():
		return o.Original()
	case o.shared != nil:
		return o.shared
	}
	root, err := o.parse(lines.WithoutCR(o.text), tree.NewMemory())
	if err != nil {
		return nil
	}
	return root
}

// IsEncrypted tells whether SOPS has encrypted the object as it was read: any edit breaks the
// message authentication code of the whole, so that it can't be decrypted any more.
func (o *Object) IsEncrypted() bool {
	if !o.known && o.Changed() {
		return hasCode(o.Input())
	}
	o.IsObject()
	return o.isEncrypted
}

func hasCode(root *tree.Node) bool { return tree.Get(root, "sops", "mac") != nil }

// File returns the object's file: that of SetFile, else the one in the host's annotations.
func (o *Object) File() report.File {
	if o.file.Path != "" {
		return o.file
	}
	return report.FileOf(o.Root())
}

// SetFile names the file that the object was read from, and its path within the package.
func (o *Object) SetFile(file report.File, inPackage string) {
	o.file, o.inPackage = file, inPackage
}

// PathInPackage returns the path of the object's file within the package, or "".
func (o *Object) PathInPackage() string {
	if o.inPackage != "" {
		return o.inPackage
	}
	return o.File().Path
}

// MaxDepth returns how deep maps and lists may nest in the object so that its text can be read
// again: an element of a YAML list is read as a list, and JSON with the whole ResourceList around
// it.
func (o *Object) MaxDepth() int {
	switch o.format {
	case jsonText:
		return tree.MaxDepth - JSONDepth
	case listItem:
		return tree.MaxDepth - 1
	}
	return tree.MaxDepth
}

// Fits tells whether maps and lists in n nest no deeper than levels.
func Fits(n *tree.Node, levels int) bool {
	n = tree.Deref(n)
	if n.Kind == tree.ScalarNode {
		return levels >= 0
	}
	return levels > 0 && !slices.ContainsFunc(n.Content, func(child *tree.Node) bool { return !Fits(child, levels-1) })
}
