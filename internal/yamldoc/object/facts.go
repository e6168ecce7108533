package object

import (
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// SetFirstLine sets the line of the file, from 1, at which the line numbers of the object's nodes
// start.
func (o *Object) SetFirstLine(line int) { o.firstLine = line }

// FirstLine returns the line of SetFirstLine; 0 if it is not known.
func (o *Object) FirstLine() int { return o.firstLine }

// LineOf returns the line in the file of a node of the input data, from 1; 0 if it is not known.
func (o *Object) LineOf(n *tree.Node) int {
	if n == nil || n.Line() == 0 || o.firstLine == 0 {
		return 0
	}
	return o.firstLine + n.Line() - 1
}

// Input returns the object's data as it was read, without edits; nil if it was created, or can't be
// parsed.
func (o *Object) Input() *tree.Node {
	switch {
	case o.text == nil || o.detached || o.loaded && !o.Changed():
		return o.Original()
	case o.shared != nil:
		return o.shared
	}
	root, err := o.parse(withoutCR(o.text), tree.NewMemory())
	if err != nil {
		return nil
	}
	return root
}

// TextLine returns the line of the file at which Source begins; 0 if it is not known.
func (o *Object) TextLine() int {
	if o.detached {
		return o.LineOf(o.Original())
	}
	return o.firstLine
}

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

// SetLead sets the comments of the documents without a value right before the object's, with the
// "---" lines between and behind them.
func (o *Object) SetLead(comments []byte) { o.lead = comments }

// Lead returns the comments of SetLead.
func (o *Object) Lead() []byte { return o.lead }

// MarkLive marks the object as one of the cluster.
func (o *Object) MarkLive() { o.live = true }

// IsLive tells whether MarkLive was called.
func (o *Object) IsLive() bool { return o.live }

// HideEdits marks the edits of the object as not to be shown: they may hold values of a Secret.
func (o *Object) HideEdits() { o.hideEdits = true }

// HidesEdits tells whether HideEdits was called.
func (o *Object) HidesEdits() bool { return o.hideEdits }

// MarkSchema marks the object as input only for its schema.
func (o *Object) MarkSchema() { o.schema = true }

// IsSchema tells whether MarkSchema was called.
func (o *Object) IsSchema() bool { return o.schema }

// AssumeNamespace sets the default namespace of an object that names none, for pairing package and
// live objects. Its data does not change.
func (o *Object) AssumeNamespace(namespace string) { o.assumed = namespace }

// AssumedNamespace returns the namespace of AssumeNamespace.
func (o *Object) AssumedNamespace() string { return o.assumed }
