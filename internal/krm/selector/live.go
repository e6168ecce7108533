package selector

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Identity names an object on a cluster, in any version.
type Identity struct {
	Group, Kind, Namespace, Name string
	// Assumed is the default namespace of an object that names none.
	Assumed string
}

// IdentityOf returns the identity of an object with those names; assumed is its default namespace.
func IdentityOf(ref report.Ref, assumed string) Identity {
	return Identity{Group: ref.Group(), Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name, Assumed: assumed}
}

// Identity returns the identity of the object; assumed is its default namespace.
func (o *Candidate) Identity(assumed string) Identity {
	return IdentityOf(o.Ref(), assumed)
}

func (i Identity) String() string {
	return report.Ref{Kind: i.Kind, Namespace: i.Namespace, Name: i.Name}.String()
}

func (i Identity) namespace() string { return cmp.Or(i.Namespace, i.Assumed) }

func (i Identity) in(namespace string) liveName { return liveName{i.kind(), namespace, i.Name} }

func (i Identity) kind() GroupKind { return GroupKind{Group: i.Group, Kind: i.Kind} }

// GroupKind is a kind of object, of any version.
type GroupKind struct {
	Group string `json:"group" doc:"The API group; empty for the core group."`
	Kind  string `json:"kind" required:"true"`
}

// Live finds the live object for each object of a package.
type Live struct {
	objects map[liveName]liveObject
	// others has the live objects of a kind and name, one for each namespace.
	others map[liveName][]Identity
	// namespaced has the kinds of the live objects, with true if one of them names a namespace.
	namespaced map[GroupKind]bool
	count      int
}

// liveName is a name in a namespace, or in any if that is "*".
type liveName struct {
	kind            GroupKind
	namespace, name string
}

type liveObject struct {
	index int
	root  func() *tree.Node
	// isUnclear is true if there is another one of the same identity.
	isUnclear bool
}

// NewLive returns an index without live objects.
func NewLive() *Live {
	return &Live{objects: map[liveName]liveObject{}, others: map[liveName][]Identity{}, namespaced: map[GroupKind]bool{}}
}

// Add adds a live object. One without a name is never found. Its data is asked for only if there is
// another one of its identity.
func (l *Live) Add(identity Identity, root func() *tree.Node) {
	o := liveObject{index: l.count, root: root}
	if l.count++; identity.Name == "" {
		return
	}
	l.namespaced[identity.kind()] = l.namespaced[identity.kind()] || identity.Namespace != ""
	name := identity.in(identity.namespace())
	if other, ok := l.objects[name]; ok {
		o.isUnclear = other.isUnclear || !isSame(o.root(), other.root())
	} else {
		l.others[identity.in("*")] = append(l.others[identity.in("*")], identity)
	}
	l.objects[name] = o
}

// isSame tells whether two say that they are the same object of the cluster in the same state.
func isSame(a, b *tree.Node) bool {
	for _, field := range []string{"uid", "resourceVersion"} {
		if own := tree.GetString(a, "metadata", field); own == "" || own != tree.GetString(b, "metadata", field) {
			return false
		}
	}
	return true
}

// IsEmpty tells whether there are no live objects.
func (l *Live) IsEmpty() bool { return len(l.objects) == 0 }

// HasKind tells whether there is a live object of the kind.
func (l *Live) HasKind(kind GroupKind) bool {
	_, ok := l.namespaced[kind]
	return ok
}

// Find returns the index of the live object for an object of the package; false for none. An object
// without a namespace matches the one live object of its group, kind and name, in any namespace. An
// object with a namespace also matches a live object without one, if no live object of its kind has
// a namespace: the kind is not namespaced, and the API server ignores the namespace. The error is
// an *AmbiguousLiveError.
func (l *Live) Find(o Identity) (int, bool, error) {
	found, ok := l.objects[o.in(o.namespace())]
	if !ok {
		others := l.others[o.in("*")]
		switch {
		case len(others) == 0 || o.namespace() != "" && l.namespaced[o.kind()]:
			return 0, false, nil
		case len(others) > 1:
			return 0, false, &AmbiguousLiveError{Object: o, Live: others}
		}
		found = l.objects[others[0].in(others[0].namespace())]
	}
	if found.isUnclear {
		return 0, false, &AmbiguousLiveError{Object: o}
	}
	return found.index, true, nil
}

// AmbiguousLiveError reports an object without a namespace that matches live objects in several, or
// an object that matches several live objects of one identity.
type AmbiguousLiveError struct {
	Object Identity
	// Live are those in several namespaces; empty if several are of one identity.
	Live []Identity
}

func (e *AmbiguousLiveError) Error() string {
	if len(e.Live) == 0 {
		return fmt.Sprintf("%s must be once among the live objects, found it several times, with another uid or resourceVersion, or none; "+
			"leave out all but the newest", e.Object)
	}
	names := lists.Map(e.Live, Identity.String)
	namespace := e.Live[0].namespace()
	return fmt.Sprintf("%s has no namespace, and there are %d live objects of its group, kind and name: %s; "+
		"set its metadata.namespace, for example to %q, or on the command line give --namespace %s",
		e.Object, len(e.Live), strings.Join(names, ", "), namespace, namespace)
}

// String returns the kind as messages name it: `Deployment.apps`, `Service`.
func (k GroupKind) String() string {
	if k.Group == "" {
		return k.Kind
	}
	return k.Kind + "." + k.Group
}
