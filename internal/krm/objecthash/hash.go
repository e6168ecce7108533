// Package objecthash computes the object hash, which tells whether a package has changed since an
// object was applied.
//
// The hash is of the object's data. Key order, comments, quoting, indentation and anchors do not
// count, nor does what a host or the cluster puts in:
//
//   - the annotation that carries the hash
//   - the annotations of hosts: config.kubernetes.io/* except local-config,
//     internal.config.kubernetes.io/*, internal.config.k8s.io/*,
//     config.k8s.io/id, kustomize.config.k8s.io/* and postrenderer.helm.sh/*
//   - the annotations fn.kpt.dev/ignore-fields and fn.kpt.dev/ignored-fields
//   - every creationTimestamp that is null, at any depth
//   - the object's status
//   - metadata, metadata.annotations and metadata.labels that are empty, null or
//     left empty by the above
//
// The last rule makes an object without annotations equal to one that has those of hosts only, and
// an object whose labels were stripped equal to one that came without labels. All other empty maps
// and lists count.
package objecthash

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Algorithms.
const (
	// SHA256 is SHA-256 over the canonical JSON of RFC 8785, in lower-case hex. Whole numbers are
	// written in full at any size, where the RFC would round them to 53 bits.
	SHA256 = "SHA256"
	// OCM is what the agent of Open Cluster Management computes for the same object: MD5, in
	// lower-case hex, of what Go's fmt prints for it. It confuses some objects that differ, such as
	// {a: "b c:d"} and {a: b, c: d}.
	OCM = "OCM"
)

// Compute returns the hash of the object root. The algorithm is SHA256 or OCM; any other counts as
// SHA256. The annotation named by annotation, which carries the hash, is not hashed.
//
// Compute does not know which fields are ignored: root is the object after OnSpokePresent fields
// were stripped from it. The object must come from package tree, which bounds its depth and its
// aliases.
func Compute(root *tree.Node, algorithm, annotation string) string {
	f := filter{annotation: annotation}
	if algorithm == OCM {
		return sumOCM(root, f)
	}
	return sumSHA256(root, f)
}

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
	return slices.ContainsFunc(foreignPrefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}
