package ignorefields

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// fromManagers tells whether a rule takes its fields from the managedFields of live objects.
func fromManagers(r rules.Rule) bool { return len(r.Managers) > 0 }

// withManaged gives the rules that name managers the fields that these own: in the object of the
// package, or in the live object itself.
func (j *job) withManaged(all []rules.Rule, root *tree.Node) []rules.Rule {
	if !slices.ContainsFunc(all, fromManagers) || j.live == nil {
		return all
	}
	entries := managedfields.Of(j.live)
	with := slices.Clone(all)
	for i, rule := range with {
		if !fromManagers(rule) {
			continue
		}
		with[i].Owned = nil
		for _, field := range managedfields.OwnedBy(entries, rule.Managers, root) {
			owned := rules.Owned{Location: field.Location}
			for _, owner := range field.Owners {
				owned.Owners = append(owned.Owners, owner.String())
			}
			with[i].Owned = append(with[i].Owned, owned)
		}
	}
	return with
}

// noManager says that no live object has a field of the managers of a rule.
func noManager(r rules.Rule) string {
	return "no selected object has a field that " + strings.Join(r.Managers, " or ") + " owns on the cluster; the live objects must have " +
		"managedFields, which kubectl get prints with --show-managed-fields"
}
