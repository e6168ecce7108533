package report

import (
	"strconv"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// RefOf names the object at root. Missing, null or non-scalar parts are empty.
func RefOf(root *tree.Node) Ref {
	metadata := tree.Lookup(root, "metadata")
	return Ref{
		APIVersion: text(root, "apiVersion"),
		Kind:       text(root, "kind"),
		Namespace:  text(metadata, "namespace"),
		Name:       text(metadata, "name"),
	}
}

// text returns the text of the scalar key of the map m; "" for null.
func text(m *tree.Node, key string) string {
	n := tree.Lookup(m, key)
	if tree.Type(n) == tree.Null {
		return ""
	}
	return tree.GetString(n)
}

// FileOf returns the file of the object at root according to the host: the annotations
// internal.config.kubernetes.io/path and index, else config.kubernetes.io/path and index. Without a
// path the file is unknown; an index that is no number, or negative, is unknown.
func FileOf(root *tree.Node) File {
	annotations := tree.Get(root, "metadata", "annotations")
	file := File{Path: hostAnnotation(annotations, "internal.config.kubernetes.io/path", "config.kubernetes.io/path")}
	if file.Path == "" {
		return File{}
	}
	index, err := strconv.Atoi(hostAnnotation(annotations, "internal.config.kubernetes.io/index", "config.kubernetes.io/index"))
	if err == nil && index >= 0 {
		file.Index, file.HasIndex = index, true
	}
	return file
}

// hostAnnotation returns the first of two annotations, or the other one if it is empty.
func hostAnnotation(annotations *tree.Node, name, other string) string {
	if value := text(annotations, name); value != "" {
		return value
	}
	return text(annotations, other)
}
