package object

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// SetFirstLine says at which line of its file, counted from 1, the text begins that the lines of
// the object's nodes are counted from.
func (o *Object) SetFirstLine(line int) { o.firstLine = line }

// FirstLine is the line that SetFirstLine gave; 0 where it is not known.
func (o *Object) FirstLine() int { return o.firstLine }

// LineOf returns the line in the file of a node of the object's data as it came in, counted from 1;
// 0 where it is not known.
func (o *Object) LineOf(n *yaml.Node) int {
	if n == nil || n.Line == 0 || o.firstLine == 0 {
		return 0
	}
	return o.firstLine + n.Line - 1
}

// Input is the object's data as it was read, whatever became of it since; nil where it was created, or
// can't be parsed.
func (o *Object) Input() *yaml.Node {
	if o.text == nil || o.detached {
		return o.Original()
	}
	root, err := o.parse(o.text, tree.NewMemory())
	if err != nil {
		return nil
	}
	return root
}

// TextLine is the line of the file at which Source begins; 0 where it is not known.
func (o *Object) TextLine() int {
	if o.detached {
		return o.LineOf(o.Original())
	}
	return o.firstLine
}

// File is the file that the object came from: the one that SetFile named, else the one that the
// host's annotations name.
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

// PathInPackage is the path of the object's file within the package, or "".
func (o *Object) PathInPackage() string {
	if o.inPackage != "" {
		return o.inPackage
	}
	return o.File().Path
}

// SetLead keeps the comments of the documents without a value that stand right before the object's,
// with the "---" lines between and behind them.
func (o *Object) SetLead(comments []byte) { o.lead = comments }

// Lead is what SetLead kept.
func (o *Object) Lead() []byte { return o.lead }

// MarkLive says that the object shows what is on the cluster.
func (o *Object) MarkLive() { o.live = true }

// IsLive tells whether MarkLive was called.
func (o *Object) IsLive() bool { return o.live }

// MarkSchema says that the object is there for the schema in it alone.
func (o *Object) MarkSchema() { o.schema = true }

// IsSchema tells whether MarkSchema was called.
func (o *Object) IsSchema() bool { return o.schema }

// AssumeNamespace says which namespace the object counts as in where it names none, when package
// and live objects are paired. Its data stays as it is.
func (o *Object) AssumeNamespace(namespace string) { o.assumed = namespace }

// AssumedNamespace is the namespace that AssumeNamespace gave.
func (o *Object) AssumedNamespace() string { return o.assumed }
