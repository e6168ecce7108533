package report

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// RefOf names the object at root. What is missing, null or no scalar stays empty.
func RefOf(root *yaml.Node) Ref {
	metadata := tree.Lookup(root, "metadata")
	return Ref{
		APIVersion: text(root, "apiVersion"),
		Kind:       text(root, "kind"),
		Namespace:  text(metadata, "namespace"),
		Name:       text(metadata, "name"),
	}
}

// text returns the text of the scalar key of the map m; "" for null.
func text(m *yaml.Node, key string) string {
	n := tree.Lookup(m, key)
	if tree.Type(n) == tree.Null {
		return ""
	}
	return tree.GetString(n)
}

// FileOf returns the file that the host says the object at root came from: the annotations
// internal.config.kubernetes.io/path and index, else config.kubernetes.io/path and index. Without a
// path nothing is known; an index that is no number, or below zero, is unknown.
func FileOf(root *yaml.Node) File {
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

// hostAnnotation returns the first of two annotations, or where it is empty the other one.
func hostAnnotation(annotations *yaml.Node, name, other string) string {
	if value := text(annotations, name); value != "" {
		return value
	}
	return text(annotations, other)
}
