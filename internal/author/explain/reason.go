package explain

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/krm-fields/krm-fields/internal/lists"
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

//go:embed reasons.txt
var reasonsFile string

// Reasons are the reasons that a run, a plan or an apply gives, as reasons.txt has them.
var Reasons = sync.OnceValue(func() []Reason {
	var all []Reason
	for _, block := range strings.Split(strings.TrimSpace(reasonsFile), "\n\n")[1:] {
		lines := strings.Split(block, "\n")
		head := strings.Split(lines[0], " | ")
		r := Reason{Name: head[0], Severity: head[1], Page: head[2], Meaning: lines[1]}
		if len(lines) > 2 {
			r.Action = lines[2]
		}
		all = append(all, r)
	}
	return all
})

// FindReason returns the reason of that name, whose case does not matter.
func FindReason(name string) (Reason, bool) {
	return lists.Find(Reasons(), func(r Reason) bool { return strings.EqualFold(r.Name, name) })
}

// ReasonNames returns the names of all reasons.
func ReasonNames() []string {
	return lists.Map(Reasons(), func(r Reason) string { return r.Name })
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
