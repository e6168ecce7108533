package managedfields

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Survey is what the managedFields of an object say of its managers.
type Survey struct {
	Entries []Entry // without their fields
	// Faults are those of entries that are left out.
	Faults []report.Result
	// IsShared tells that several entries have the same field, except the status.
	IsShared bool
}

// SurveyOf reads the managedFields of a live object in place, without making sets of their fields.
func SurveyOf(live *tree.Node) Survey {
	s := Survey{}
	s.Entries, s.Faults = read(live, false)
	var fields []*tree.Node
	for _, e := range s.Entries {
		if e.Subresource != "status" {
			fields = append(fields, e.fieldsV1)
		}
	}
	s.IsShared = areShared(fields)
	return s
}

// areShared tells whether several of the fieldsV1 of one value have a field with nothing in it.
// What names an element of a list counts, too.
func areShared(all []*tree.Node) bool {
	if len(all) < 2 {
		return false
	}
	inner := map[string][]*tree.Node{}
	for _, fields := range all {
		for key, value := range tree.Entries(fields) {
			if strings.HasPrefix(key, "f:") || strings.HasPrefix(key, "k:") {
				inner[key] = append(inner[key], tree.Deref(value))
			}
		}
	}
	isLeaf := func(fields *tree.Node) bool { return len(fields.Content) == 0 }
	for _, fields := range inner {
		leaves := len(slices.DeleteFunc(slices.Clone(fields), func(n *tree.Node) bool { return !isLeaf(n) }))
		if leaves > 1 || areShared(slices.DeleteFunc(fields, isLeaf)) {
			return true
		}
	}
	return false
}

// Applies tells whether the entry is that of a program that applies whole packages.
func (e Entry) Applies() bool {
	return e.IsApplier() || e.Subresource == "" && e.Operation == update &&
		(e.Manager == ClientSideApply || e.Manager != Kubectl && AppliesPackages(e.Manager))
}

// HasFormerApplier tells whether several programs that apply packages have entries.
func (s Survey) HasFormerApplier() bool {
	first := ""
	for _, e := range s.Entries {
		switch {
		case e.Subresource != "" || !AppliesPackages(e.Manager) || e.Operation == update && e.Manager == Kubectl:
		case first == "":
			first = e.Manager
		case e.Manager != first:
			return true
		}
	}
	return false
}

// LeftBehind returns the entries of client-side apply beside those of server-side applies, each
// with the applier that takes it over, "" if none of them does.
func (s Survey) LeftBehind() map[string]string {
	left := map[string]string{}
	appliers := slices.DeleteFunc(slices.Clone(s.Entries), func(e Entry) bool { return !e.IsApplier() })
	for _, old := range s.Entries {
		if !old.isLegacy() || len(appliers) == 0 || left[old.Manager] != "" {
			continue
		}
		left[old.Manager] = ""
		if i := slices.IndexFunc(appliers, func(e Entry) bool { return old.IsTakenOver(e.Manager) }); i >= 0 {
			left[old.Manager] = appliers[i].Manager
		}
	}
	return left
}
