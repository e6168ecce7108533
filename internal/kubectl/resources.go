package kubectl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
)

// Resource is a kind that the API server serves, in its preferred version.
type Resource struct {
	selector.GroupKind
	// APIVersion is the preferred one.
	APIVersion string
	// Plural names the kind in URLs, as ShortNames do for kubectl.
	Plural     string
	ShortNames []string
	// Namespaced is true if objects of the kind are in a namespace.
	Namespaced bool
}

// Resources returns the kinds of the cluster that can be read, and the error of the others.
func (k Kubectl) Resources() ([]Resource, error) {
	stdout, err := k.Run(nil, "api-resources", "--no-headers")
	var all []Resource
	for line := range strings.Lines(string(stdout)) {
		// The columns are NAME, SHORTNAMES, which may be empty, APIVERSION, NAMESPACED and KIND.
		columns := strings.Fields(line)
		last := len(columns) - 1
		if last < 3 {
			continue
		}
		r := Resource{APIVersion: columns[last-2], Plural: columns[0], Namespaced: columns[last-1] == "true"}
		r.GroupKind = selector.GroupKind{Group: schema.ParseGVK(r.APIVersion, "").Group, Kind: columns[last]}
		if last > 3 {
			r.ShortNames = strings.Split(columns[1], ",")
		}
		all = append(all, r)
	}
	return all, err
}

// isNamed tells whether a name means the kind: its own, its plural or a short one, in any case.
func (r Resource) isNamed(name string) bool {
	return strings.EqualFold(name, r.GroupKind.Kind) || strings.EqualFold(name, r.Plural) ||
		slices.ContainsFunc(r.ShortNames, func(short string) bool { return strings.EqualFold(name, short) })
}

// isMeant tells whether the name of an object means the kind.
func (r Resource) isMeant(ref report.Ref) bool {
	return r.isNamed(ref.Kind) && (ref.APIVersion == "" || schema.ParseGVK(ref.APIVersion, "").Group == r.Group)
}

// UnknownKindError is a kind that the cluster does not have.
type UnknownKindError struct {
	Ref report.Ref
	// Near is a kind whose name is near; "" for none.
	Near string
}

func (e *UnknownKindError) Error() string {
	of := ""
	if e.Ref.APIVersion != "" {
		of = " in " + e.Ref.APIVersion
	}
	text := "the cluster has no kind " + strconv.Quote(e.Ref.Kind) + of
	if e.Near != "" {
		text += "; did you mean " + e.Near + "?"
	}
	return text
}

func unknownKind(ref report.Ref, known []Resource) *UnknownKindError {
	var names []string
	for _, r := range known {
		if r.isNamed(ref.Kind) {
			return &UnknownKindError{Ref: ref, Near: r.GroupKind.Kind + " in " + r.APIVersion}
		}
		names = append(names, r.GroupKind.Kind)
	}
	near, _ := words.Nearest(ref.Kind, names)
	return &UnknownKindError{Ref: ref, Near: near}
}
