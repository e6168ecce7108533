package cli_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
)

// TestPlanAuditAndSuggestAgree takes the cases of testdata/plan without their rules: a field that
// the applier has and plan has a conflict about is in the table of audit with the other manager,
// and one in that table that the package changes is a conflict. No conflict is left with the rules
// of suggest, but with hand edits, and a field that suggest --check finds is a conflict.
func TestPlanAuditAndSuggestAgree(t *testing.T) {
	contested, resolved, checked := 0, 0, 0
	golden.Run(t, "../testdata/plan/*.txtar", func(t *testing.T, c *golden.Case) {
		_, more, _ := strings.Cut(c.Comment(), "\n\n")
		if strings.Contains(more, "--as") || strings.Contains(more, "--prune") || strings.Contains(more, "--force") || c.File("openapi.json") != nil {
			t.Skip("of another tool, or by force")
		}
		h := newHistory(t, c, strings.Fields(more))
		if i := slices.Index(h.flags, "--config"); i >= 0 {
			h.flags = slices.Delete(h.flags, i, i+2)
		}
		applier := managedfields.Kubectl
		if i := slices.Index(h.flags, "--field-manager"); i >= 0 {
			applier = h.flags[i+1]
		}
		planned := h.contests()
		if planned == nil {
			t.Skip("there is no plan")
		}
		audited := h.audited()
		for at, f := range planned {
			isOurs := slices.ContainsFunc(f.before, func(name string) bool { return managedfields.Tools[0].Own(applier, name) })
			for _, manager := range f.conflicts {
				isSame := managedfields.Tools[0].Own(applier, manager)
				if contested++; isOurs && !isSame && !slices.Contains(audited[at], manager) {
					t.Errorf("%s: the plan has a conflict with %s, and audit has %q", at, manager, audited[at])
				}
			}
			if isOurs && len(audited[at]) > 0 && f.changes && len(f.conflicts) == 0 {
				t.Errorf("%s: audit has %q, and the plan has no conflict", at, audited[at])
			}
		}
		for at, path := range h.checked() {
			isFound := false
			for around, f := range planned { // which may be atomic in the version of its owner alone
				isFound = isFound || len(f.conflicts) > 0 && (at == around || strings.HasPrefix(at, around+"."))
			}
			if checked++; !isFound {
				t.Errorf("%s: suggest --check finds %s, and the plan has no conflict", at, path)
			}
		}
		out, errOut, code := h.run("suggest", "--live", "live.yaml")
		if strings.Contains(errOut, "found none in live.yaml") {
			return
		}
		if code != 0 {
			t.Fatalf("%s%s", out, errOut)
		}
		h.flags = append(h.flags, "--config", "suggested.yaml")
		if h.write("suggested.yaml", []byte(out)); out == "" {
			h.flags = h.flags[:len(h.flags)-2]
		}
		for at, f := range h.contests() {
			for _, manager := range f.conflicts {
				// A string with live values in it stays in conflict, and is applied by force.
				if resolved++; !managedfields.IsHandEdit(manager) && !strings.Contains(out, "action: TakeLive") {
					t.Errorf("%s: a conflict with %s is left, with the rules\n%s%s", at, manager, out, errOut)
				}
			}
		}
	})
	if contested < 20 || checked < 10 {
		t.Errorf("there must be contested fields, found %d, %d, %d", contested, resolved, checked)
	}
}

// contest is a field of a plan.
type contest struct {
	conflicts, before []string
	changes           bool
}

var inBrackets = regexp.MustCompile(`\["([^"]+)"\]|\[[^\]]*\]`)

// named is a path in one spelling for all commands, which name elements of lists in several ways.
func named(path string) string {
	return inBrackets.ReplaceAllString(strings.TrimPrefix(path, "."), ".$1")
}

// contests are the fields of a plan, by their objects and paths.
func (h *history) contests() map[string]contest {
	out, errOut, code := h.run("plan", "--live", "live.yaml", "-o", "json")
	var list struct {
		Objects []struct {
			Kind, Namespace, Name string
			Conflicts             []struct{ Manager, Field string }
			Fields                []struct {
				Path         string
				Old, New     *json.RawMessage
				OwnersBefore []string
				Why          string
			}
		}
	}
	if code == 2 {
		return nil
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		h.t.Fatalf("%v\n%s%s", err, out, errOut)
	}
	all := map[string]contest{}
	for _, o := range list.Objects {
		object := o.Kind + " " + o.Namespace + "/" + o.Name + " "
		for _, f := range o.Fields {
			all[object+named(f.Path)] = contest{before: f.OwnersBefore, changes: f.Old != nil && f.New != nil && string(*f.Old) != string(*f.New)}
		}
		for _, c := range o.Conflicts {
			at := object + named(c.Field)
			f := all[at]
			f.conflicts = append(f.conflicts, c.Manager)
			all[at] = f
		}
	}
	return all
}

// audited are the managers of the fields that audit tells of as contested, or as shared as a whole.
func (h *history) audited() map[string][]string {
	before := h.flags
	h.flags = slices.DeleteFunc(slices.Clone(h.flags), func(flag string) bool { return strings.HasPrefix(flag, "--namespace") })
	out, errOut, _ := h.runOn("audit", nil, "--live", "live.yaml", "-o", "json")
	h.flags = before
	var list []struct {
		Problem, Field string
		Object         struct{ Kind, Namespace, Name string }
		Managers       []string
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		h.t.Fatalf("%v\n%s%s", err, out, errOut)
	}
	all := map[string][]string{}
	for _, f := range list {
		if f.Problem == "contested" || f.Problem == "sharedWhole" {
			all[f.Object.Kind+" "+f.Object.Namespace+"/"+f.Object.Name+" "+named(f.Field)] = f.Managers
		}
	}
	return all
}

// checked are the fields that a manager owns by suggest --check.
func (h *history) checked() map[string]string {
	out, errOut, _ := h.run("suggest", "--check", "--live", "live.yaml", "-o", "json")
	var list struct {
		Fields []struct {
			Kind, Namespace, Name, Path string
			Owners                      []struct{ Name string }
		}
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		h.t.Fatalf("%v\n%s%s", err, out, errOut)
	}
	all := map[string]string{}
	for _, f := range list.Fields {
		for _, o := range f.Owners {
			// The API server has no conflicts about stringData, which overwrites data.
			if strings.HasSuffix(o.Name, ")") && !strings.HasPrefix(f.Path, "stringData.") {
				all[f.Kind+" "+f.Namespace+"/"+f.Name+" "+named(f.Path)] = o.Name
			}
		}
	}
	return all
}
