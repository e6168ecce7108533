// Package objecthash computes the object hash, which tells whether a package has changed since an
// object was applied.
//
// The hash is of the object's data. Key order, comments, quoting, indentation and anchors do not
// count, nor does what a host or the cluster puts in:
//
//   - the annotation that carries the hash
//   - the annotations of hosts: config.kubernetes.io/* but for local-config,
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
