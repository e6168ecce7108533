package ignorefields

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/owners"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func isFromOwners(r rules.Rule) bool { return r.FromOwners }

// findOwners finds the owners among the items, if a rule asks for them, before the first item is
// processed.
func (r *run) findOwners(items []*object.Object) {
	asks := func(i int) bool { return mayAskForOwners(items[i]) }
	if slices.ContainsFunc(r.rules, isFromOwners) || parallel.Any(len(items), asks) {
		r.owners = owners.NewIndex(items, r.live.has)
	}
}

// mayAskForOwners tells whether rules in the annotation of an item may have fromOwners.
func mayAskForOwners(item *object.Object) bool {
	return item.Mentions(RulesAnnotation) && item.Mentions("fromOwners")
}

// ownedFields are the fields of an object that have owners.
type ownedFields struct {
	// isClaimed is true if a rule with fromOwners applies: a field has an owner, or had one in an
	// earlier run, which has left its hash.
	isClaimed   bool
	here, there []rules.Owned // there are those of the live object, for an action that needs it
	// left are fields that their owners do not manage at present.
	left []owners.Ownership
}

// ownedIn returns the fields of an object that have owners.
func (r *run) ownedIn(item *object.Object, identity *selector.Candidate) ownedFields {
	if r.owners == nil {
		return ownedFields{}
	}
	live, _ := r.live.find(identity.Identity(item.AssumedNamespace)) // several are reported if a rule applies
	namespace := ""
	if live != nil {
		namespace = live.namespace
	}
	claims := r.owners.Of(identity, item.AssumedNamespace, namespace)
	if len(claims) == 0 {
		return ownedFields{}
	}
	kind := r.schemas.kind(schema.ParseGVK(identity.APIVersion, identity.Kind))
	var owned ownedFields
	owned.here, owned.left = r.located(claims, item.Root(), kind)
	if r.comparesLive() && live != nil {
		owned.there, _ = r.located(claims, live.root(), kind)
	}
	owned.isClaimed = len(owned.here)+len(owned.there) > 0 || r.isHashed(item.Root())
	return owned
}

// isHashed tells whether an object has an object hash.
func (r *run) isHashed(root *tree.Node) bool {
	_, has := annotation(root, r.config.ObjectHash.Annotation)
	return has
}

// located returns the fields of the claims, each once, and those that their owners do not manage at
// present.
func (r *run) located(claims []*owners.Claim, root *tree.Node, kind *schema.Kind) (owned []rules.Owned, left []owners.Ownership) {
	for _, c := range claims {
		fields := c.Locate(root, kind)
		if r.action.Effect != TakenFromLive {
			fields = owners.WithoutAtomic(fields, kind)
		}
		for _, f := range fields {
			if f.Left != "" {
				left = append(left, f)
				continue
			}
			owner := f.Claim.Name()
			i := slices.IndexFunc(owned, func(o rules.Owned) bool { return location.Compare(o.Location, f.Location) == 0 })
			switch {
			case i < 0:
				owned = append(owned, rules.Owned{Location: f.Location, Owners: []string{owner}, Page: f.Claim.Entry.Source})
			case !slices.Contains(owned[i].Owners, owner):
				owned[i].Owners = append(owned[i].Owners, owner)
			}
		}
	}
	return owned, left
}

// withOwned adds the object's owned fields to the rules with fromOwners, and removes these rules if
// it has no owner.
func withOwned(applied []rules.Rule, owned ownedFields) []rules.Rule {
	if !slices.ContainsFunc(applied, isFromOwners) {
		return applied
	}
	var with []rules.Rule
	for _, rule := range applied {
		if rule.FromOwners {
			if !owned.isClaimed {
				continue
			}
			rule.Owned = owned.here
		}
		with = append(with, rule)
	}
	return with
}

// leftFields reports that fields stay which their owners do not manage at present.
func (r *run) leftFields(item *object.Object, applied []rules.Rule, left []owners.Ownership) []report.Result {
	i := slices.IndexFunc(applied, isFromOwners)
	if i < 0 {
		return nil
	}
	var results []report.Result
	for _, f := range left {
		owner := f.Claim.Name()
		by := &rules.Source{Path: applied[i].Path, Rule: applied[i].Index, Owner: owner}
		message := fmt.Sprintf("%s: %s stays: %s", by.Name(), f.Location, f.Left)
		result := report.New(report.SeverityInfo, "", message).Of(report.RefOf(item.Root()), item.File()).At(f.Location.String())
		result.Tags = by.Tags(report.ReasonFromOwners, applied[i].Condition)
		results = append(results, result)
	}
	return results
}

// ownersNotInList reports for the rules with fromOwners what they did not find: the first target of
// each owner that is not in the list, that owners have nothing in it, or that there are none.
func (r *run) ownersNotInList() []report.Result {
	i := slices.IndexFunc(r.rules, isFromOwners)
	if i < 0 {
		return nil
	}
	rule := r.rules[i]
	info := func(format string, args ...any) report.Result {
		result := report.New(report.SeverityInfo, report.ReasonFromOwners, rule.Path+": "+fmt.Sprintf(format, args...)).At(rule.Path)
		result.Tags["rule"] = fmt.Sprint(rule.Index)
		return result
	}
	if r.owners.IsEmpty() && r.config.ManifestWorks == policyIgnore {
		return []report.Result{info("no object of the list owns fields of others, as a HorizontalPodAutoscaler does")}
	}
	var results []report.Result
	of := func(result report.Result, owner report.Ref, file report.File) {
		result.Ref, result.File = owner, file
		result.Tags["owner"] = owner.String()
		results = append(results, result)
	}
	missing := r.owners.Missing()
	for i, c := range missing {
		isSame := func(other *owners.Claim) bool { return other.Entry == c.Entry }
		if slices.IndexFunc(missing, isSame) < i {
			continue
		}
		more := 0
		for _, other := range missing[i+1:] {
			if isSame(other) {
				more++
			}
		}
		of(info("%s owns fields of %s, which is not in the list%s", c.Owner, c.Targets(), andSoOn(more)), c.Owner, c.File)
	}
	for _, n := range r.owners.Notes {
		of(info("%s: %s (%s)%s", n.Owner, n.Entry.Note, n.Entry.Source, andSoOn(n.More)), n.Owner, n.File)
	}
	return results
}

func andSoOn(more int) string {
	if more == 0 {
		return ""
	}
	return fmt.Sprintf("; the same holds for %s", words.Count(more, "more object"))
}

// fromManagers tells whether a rule takes its fields from the managedFields of live objects.
func fromManagers(r rules.Rule) bool { return len(r.Managers) > 0 }

// withManaged gives the rules that name managers the fields that these own: in the object of the
// package, or in the live object itself.
func (j *job) withManaged(all []rules.Rule, root *tree.Node) []rules.Rule {
	if !slices.ContainsFunc(all, fromManagers) || j.live == nil {
		return all
	}
	entries := j.managed().entries
	with := slices.Clone(all)
	for i, rule := range with {
		if !fromManagers(rule) {
			continue
		}
		with[i].Owned = nil
		for _, field := range append(managedfields.OwnedBy(entries, rule.Managers, j.schema().WithKeys(root)), j.textsOf(rule.Managers, root)...) {
			owned := rules.Owned{Location: field.Location}
			for _, owner := range field.Owners {
				owned.Owners = append(owned.Owners, owner.String())
			}
			with[i].Owned = append(with[i].Owned, owned)
		}
	}
	return with
}

// textsOf are the texts of a Secret of the package whose values managers own in the data of the
// live one, where the API server keeps them.
func (j *job) textsOf(managers []string, root *tree.Node) (texts []managedfields.OwnedField) {
	ours := tree.Lookup(root, stringData)
	if ours == nil || !redact.IsSecretObject(root) {
		return nil
	}
	for _, f := range managedfields.OwnedBy(j.managed().entries, managers, j.live) {
		if len(f.Location) == 2 && f.Location[0].Key == "data" && tree.Lookup(ours, f.Location[1].Key) != nil {
			f.Location = location.Location{location.Key(stringData), f.Location[1]}
			texts = append(texts, f)
		}
	}
	return texts
}
