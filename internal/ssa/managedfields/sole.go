package managedfields

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Managers under which an object has fields that were not applied server-side.
const (
	// ClientSideApply is that of kubectl apply without --server-side, which removes what it applied
	// last and applies no more.
	ClientSideApply = "kubectl-client-side-apply"
	// beforeFirstApply is the one to which the API server gives what an object had before its first
	// server-side apply.
	beforeFirstApply = "before-first-apply"
)

// handEdits are managers that stand for a person.
var handEdits = []string{"kubectl-edit", "kubectl-set", "Mozilla"}

// IsHandEdit tells whether a manager stands for a person, whose edit is drift.
func IsHandEdit(manager string) bool { return slices.Contains(handEdits, manager) }

// takesOver are the appliers that make the fields of another manager their own: kubectl
// (https://github.com/kubernetes/kubernetes/blob/v1.34.0/staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go),
// Argo CD
// (https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#client-side-apply-migration)
// and Flux
// (https://github.com/fluxcd/kustomize-controller/blob/v1.6.0/internal/controller/kustomization_controller.go).
var takesOver = map[string][]string{
	"kubectl":              {ClientSideApply, beforeFirstApply},
	"argocd-controller":    {ClientSideApply},
	"kustomize-controller": {ClientSideApply, beforeFirstApply},
}

// TakesOver tells whether an applier makes the fields of another manager its own.
func TakesOver(applier, manager string) bool { return slices.Contains(takesOver[applier], manager) }

// Sole is a manager that alone owns a field.
type Sole struct {
	Manager string
	// TakenOverBy is the applier that makes the manager's fields its own; "" where the manager is
	// an applier itself.
	TakenOverBy string
}

// SoleOwner returns the manager that alone owns what is at a location of root, so that its next
// apply without the field removes it: each leaf that has an owner has no other, and that one is an
// applier, or one whose fields an applier takes over. Where applier is not "", only that one
// counts.
func SoleOwner(entries []Entry, l location.Location, root *tree.Node, applier string) (Sole, bool) {
	w := leafWalker{entries: entries, owners: make([]bool, len(entries))}
	fields := make([]owned, len(entries))
	for i, entry := range entries {
		fields[i] = entry.at(l, root)
	}
	w.walk(location.At(root, l), fields)
	if w.isShared {
		return Sole{}, false
	}
	var owners []Entry
	for i, owns := range w.owners {
		if owns {
			owners = append(owners, entries[i])
		}
	}
	return soleOf(owners, entries, applier)
}

// soleOf returns the one manager that the owners stand for. No two of them own the same leaf,
// except an applier and those that it takes over.
func soleOf(owners, entries []Entry, applier string) (Sole, bool) {
	var sole Sole
	for _, owner := range owners {
		switch {
		case owner.isApplier() && (sole.Manager == "" || sole.Manager == owner.Manager):
			sole.Manager = owner.Manager
		case !owner.isLegacy():
			return Sole{}, false
		}
	}
	if sole.Manager == "" {
		return soleLegacy(owners, entries, applier)
	}
	if applier != "" && applier != sole.Manager {
		return Sole{}, false
	}
	for _, owner := range owners {
		if owner.isLegacy() && !slices.Contains(takesOver[sole.Manager], owner.Manager) {
			return Sole{}, false
		}
	}
	return sole, true
}

// soleLegacy is soleOf for owners that are no appliers: what kubectl applied client-side, it
// removes; what was there before the first apply, the applier that takes it over.
func soleLegacy(owners, entries []Entry, applier string) (Sole, bool) {
	if len(owners) == 0 {
		return Sole{}, false
	}
	sole := Sole{Manager: owners[0].Manager}
	if slices.ContainsFunc(owners, func(e Entry) bool { return e.Manager == ClientSideApply }) {
		sole.Manager = ClientSideApply
	}
	if sole.Manager == ClientSideApply {
		if applier != "" && applier != ClientSideApply && !slices.Contains(takesOver[applier], ClientSideApply) {
			return Sole{}, false
		}
		return sole, true
	}
	for _, entry := range entries {
		if entry.isApplier() && (applier == "" || applier == entry.Manager) {
			sole.TakenOverBy = entry.Manager
			return sole, true
		}
	}
	return Sole{}, false
}

// isApplier tells whether the entry is that of a server-side apply.
func (e Entry) isApplier() bool { return e.Operation == "Apply" && e.Subresource == "" }

// isLegacy tells whether an applier may take the entry over.
func (e Entry) isLegacy() bool {
	return e.Operation == "Update" && e.Subresource == "" && (e.Manager == ClientSideApply || e.Manager == beforeFirstApply)
}

// leafWalker collects the owners of all leaves of a value.
type leafWalker struct {
	entries []Entry
	// owners tells which entries own a leaf.
	owners []bool
	// isShared is set where a leaf has two owners of which none takes the other over.
	isShared bool
}

func (w *leafWalker) walk(n *tree.Node, parts []owned) {
	n = tree.Deref(n)
	switch {
	case w.isShared || !slices.ContainsFunc(parts, owned.isOwned):
	case tree.IsMap(n) && len(n.Content) > 0:
		for key, value := range tree.Entries(n) {
			w.walk(value, w.below(parts, location.Key(key), n))
		}
	case tree.IsList(n) && len(n.Content) > 0:
		for i, element := range n.Content {
			w.walk(element, w.below(parts, location.Index(i), n))
		}
	default:
		w.leaf(parts)
	}
}

// below returns what the entries own one step further into a value.
func (w *leafWalker) below(parts []owned, step location.Step, value *tree.Node) []owned {
	inner := make([]owned, len(parts))
	for i, part := range parts {
		inner[i] = w.entries[i].below(part, step, value)
	}
	return inner
}

func (w *leafWalker) leaf(parts []owned) {
	others := 0
	for i, part := range parts {
		if part.isOwned() {
			w.owners[i] = true
			if !w.entries[i].isLegacy() {
				others++
			}
		}
	}
	w.isShared = w.isShared || others > 1
}
