package objecthash

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// position is that of a walk over an object, as far as the filter needs it.
type position int

const (
	other position = iota
	object
	metadata
	labels
	annotations
)

// filter selects the parts of an object that are hashed.
type filter struct {
	// annotation is the key of the annotation that carries the hash.
	annotation string
}

// member returns the place of the member key of a map at at, and whether the member is hashed.
func (f filter) member(at position, key string, value *tree.Node) (position, bool) {
	if key == "creationTimestamp" && tree.Type(value) == tree.Null {
		return other, false
	}
	switch at {
	case object:
		if key == "metadata" {
			return metadata, !f.isEmpty(metadata, value)
		}
		return other, key != "status"
	case metadata:
		switch key {
		case "labels":
			return labels, !f.isEmpty(labels, value)
		case "annotations":
			return annotations, !f.isEmpty(annotations, value)
		}
	case annotations:
		return other, key != f.annotation && !IsForeign(key)
	}
	return other, true
}

// isEmpty tells whether value, at the location at, is null or a map of which nothing is hashed.
func (f filter) isEmpty(at position, value *tree.Node) bool {
	for key, v := range tree.Entries(value) {
		if _, hashed := f.member(at, key, v); hashed {
			return false
		}
	}
	return tree.IsMap(value) || tree.Type(value) == tree.Null
}

// foreignPrefixes are the prefixes of annotations that hosts set.
var foreignPrefixes = []string{
	"config.kubernetes.io/",
	"internal.config.kubernetes.io/",
	"internal.config.k8s.io/",
	"kustomize.config.k8s.io/",
	"postrenderer.helm.sh/",
}

// IsForeign tells whether an annotation is no part of the object's state: it is a host's, or an
// instruction to this function.
func IsForeign(key string) bool {
	switch key {
	case "config.kubernetes.io/local-config":
		return false
	case "config.k8s.io/id", "fn.kpt.dev/ignore-fields", "fn.kpt.dev/ignored-fields":
		return true
	}
	for _, prefix := range foreignPrefixes {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}
