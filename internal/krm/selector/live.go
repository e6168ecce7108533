package selector

import (
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
)

// Identity names an object on a cluster, in any version.
type Identity struct {
	Group, Kind, Namespace, Name string
	// Assumed is the default namespace of an object that names none.
	Assumed string
}

// Identity returns the identity of the object; assumed is its default namespace.
func (o *Candidate) Identity(assumed string) Identity {
	return Identity{Group: o.Group, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, Assumed: assumed}
}

func (i Identity) String() string {
	return report.Ref{Kind: i.Kind, Namespace: i.Namespace, Name: i.Name}.String()
}

func (i Identity) namespace() string {
	if i.Namespace == "" {
		return i.Assumed
	}
	return i.Namespace
}

func (i Identity) kind() Kind { return Kind{Group: i.Group, Kind: i.Kind} }

// Kind is a kind of object, of any version.
type Kind struct {
	Group, Kind string
}

// Live finds the live object for each object of a package.
type Live struct {
	objects []Identity
	byName  map[liveName][]int
	// namespaced has the kinds of the live objects, with true if one of them names a namespace.
	namespaced map[Kind]bool
}

// liveName is a name in any namespace.
type liveName struct {
	kind Kind
	name string
}

// NewLive returns the index of live objects. One without a name is ignored. Of several with one
// identity the last counts.
func NewLive(objects []Identity) *Live {
	l := &Live{objects: objects, byName: map[liveName][]int{}, namespaced: map[Kind]bool{}}
	for i, o := range objects {
		if o.Name == "" {
			continue
		}
		l.namespaced[o.kind()] = l.namespaced[o.kind()] || o.Namespace != ""
		name := liveName{o.kind(), o.Name}
		l.byName[name] = append(l.without(l.byName[name], o), i)
	}
	return l
}

// without returns the live objects that are not in the namespace of o.
func (l *Live) without(same []int, o Identity) []int {
	var others []int
	for _, i := range same {
		if l.objects[i].namespace() != o.namespace() {
			others = append(others, i)
		}
	}
	return others
}

// IsEmpty tells whether there are no live objects.
func (l *Live) IsEmpty() bool { return len(l.byName) == 0 }

// HasKind tells whether there is a live object of the kind.
func (l *Live) HasKind(kind Kind) bool {
	_, ok := l.namespaced[kind]
	return ok
}

// Find returns the index of the live object for an object of the package; false for none. An object
// without a namespace matches the one live object of its group, kind and name, in any namespace. An
// object with a namespace also matches a live object without one, if no live object of its kind has
// a namespace: the kind is not namespaced, and the API server ignores the namespace. The error is
// an *AmbiguousLiveError.
func (l *Live) Find(o Identity) (int, bool, error) {
	candidates := l.byName[liveName{o.kind(), o.Name}]
	for _, i := range candidates {
		if l.objects[i].namespace() == o.namespace() {
			return i, true, nil
		}
	}
	switch {
	case len(candidates) == 0 || o.namespace() != "" && l.namespaced[o.kind()]:
		return 0, false, nil
	case len(candidates) == 1:
		return candidates[0], true, nil
	}
	err := &AmbiguousLiveError{Object: o}
	for _, i := range candidates {
		err.Live = append(err.Live, l.objects[i])
	}
	return 0, false, err
}

// AmbiguousLiveError reports an object without a namespace that matches live objects in several.
type AmbiguousLiveError struct {
	Object Identity
	Live   []Identity
}

func (e *AmbiguousLiveError) Error() string {
	names := make([]string, len(e.Live))
	for i, live := range e.Live {
		names[i] = live.String()
	}
	namespace := e.Live[0].namespace()
	return fmt.Sprintf("%s has no namespace, and there are %d live objects of its group, kind and name: %s; "+
		"set its metadata.namespace, for example to %q, or on the command line give --namespace %s",
		e.Object, len(e.Live), strings.Join(names, ", "), namespace, namespace)
}

// String returns the kind as messages name it: `Deployment.apps`, `Service`.
func (k Kind) String() string {
	if k.Group == "" {
		return k.Kind
	}
	return k.Kind + "." + k.Group
}
