package explain

import (
	"fmt"
	"strings"
)

// Repository is where the project is, and site where the pages of its documentation are.
const (
	Repository = "https://github.com/krm-fields/krm-fields"
	site       = Repository + "/blob/main/"
)

// A Reason is the tag "reason" of results.
type Reason struct {
	Name     string
	Severity string // of its results, and the field of the functionConfig that sets it
	Meaning  string
	Action   string // what to do about it; empty where there is nothing to do
	Page     string // in the repository, with the section: "docs/results.md#reasons"
}

// FindReason returns the reason of that name, whose case does not matter.
func FindReason(name string) (Reason, bool) {
	for _, r := range Reasons {
		if strings.EqualFold(r.Name, name) {
			return r, true
		}
	}
	return Reason{}, false
}

// ReasonNames returns the names of all reasons.
func ReasonNames() []string {
	names := make([]string, len(Reasons))
	for i, r := range Reasons {
		names[i] = r.Name
	}
	return names
}

// URL is the address of the page.
func (r Reason) URL() string { return site + r.Page }

// String returns the reason as a text of some lines.
func (r Reason) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n\n  %s\n", r.Name, r.Severity, r.Meaning)
	if r.Action != "" {
		fmt.Fprintf(&b, "\n  To do: %s\n", r.Action)
	}
	fmt.Fprintf(&b, "\n  More: %s\n", r.URL())
	return b.String()
}
