package cluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A group has the moments of one manager.
type group struct {
	t       *testing.T
	moments []*moment
	manager string
	*verdict
	// flags are added to each command, and lives changes what the commands get as live objects.
	flags []string
	lives func(object) object
	// seen are the answers of commands that several sentences ask for.
	seen map[string]any
}

func (g *group) fault(m *moment, format string, args ...any) {
	g.faults = append(g.faults, fmt.Sprintf(format, args...)+"\n"+m.String())
}

// live are the live objects of moments, as commands get them.
func (g *group) live(moments []*moment) (all []object) {
	for _, m := range moments {
		for _, o := range append(slices.Clone(m.others), m.live) {
			if o != nil && g.lives != nil {
				o = g.lives(copyOf(o))
			}
			if o != nil {
				all = append(all, o)
			}
		}
	}
	return all
}

func packages(moments []*moment) (all []object) {
	for _, m := range moments {
		all = append(all, m.ours)
	}
	return all
}

// run runs a command of krm-fields on packages with live objects.
func (g *group) run(command string, live, packages []object, more ...string) printed {
	g.t.Helper()
	args := []string{"krm-fields", command, "--crds", crds, "--live", jsonFile(g.t, live)}
	if command != "audit" {
		args = append(args, "--field-manager", g.manager)
		more = append(more, jsonFile(g.t, packages))
	}
	c := asAdmin
	c.folder = "."
	return c.run(g.t, slices.Concat(args, g.flags, more)...)
}

// byName are what a command tells of objects by their names.
func byName[T any](all []T, name func(T) string) map[string]T {
	by := map[string]T{}
	for _, one := range all {
		by[name(one)] = one
	}
	return by
}

// once keeps the answer to a question of several sentences.
func once[T any](g *group, question string, answer func() T) T {
	if got, ok := g.seen[question].(T); ok {
		return got
	}
	got := answer()
	g.seen[question] = got
	return got
}

// planOfObject is what plan says of an object.
type planOfObject struct {
	Name, Outcome, Cause string
	Conflicts            []conflict
	Fields               []struct {
		Path         string
		Old, New     *json.RawMessage
		OwnersBefore []string
		OwnersAfter  []string
		Why          string
	}
	Merged   object
	Leftover []struct{ Path, Manager, Command string }
}

// A judgedRule is what plan says of a rule.
type judgedRule struct {
	Expression, Verdict string
	Objects             int
}

func (g *group) plan(live, packages []object, more ...string) (map[string]planOfObject, []judgedRule, printed) {
	g.t.Helper()
	got := g.run("plan", live, packages, append([]string{"-o", "json"}, more...)...)
	var plan struct {
		Objects []planOfObject
		Rules   []judgedRule
	}
	if err := decodeNumbers(got.out, &plan); err != nil {
		g.t.Fatalf("plan must succeed: %v\n%s", err, got.err)
	}
	if len(plan.Objects) != len(packages) {
		g.t.Fatalf("there must be a plan of %d objects, found %d\n%s", len(packages), len(plan.Objects), got.err)
	}
	return byName(plan.Objects, func(p planOfObject) string { return p.Name }), plan.Rules, got
}

// planOf is the plan of all moments, without rules.
func (g *group) planOf() map[string]planOfObject {
	return once(g, "plan", func() map[string]planOfObject {
		plan, _, _ := g.plan(g.live(g.moments), packages(g.moments))
		return plan
	})
}

// differing is what diff says of an object.
type differing struct {
	Name, Change string
	Fields       []struct{ Path string }
}

func (g *group) diff(live, packages []object, more ...string) map[string]differing {
	g.t.Helper()
	got := g.run("diff", live, packages, append([]string{"-o", "json"}, more...)...)
	var diff struct{ Objects []differing }
	if err := decodeNumbers(got.out, &diff); err != nil {
		g.t.Fatalf("diff must succeed: %v\n%s", err, got.err)
	}
	return byName(diff.Objects, func(d differing) string { return d.Name })
}

// A told is a result on stderr.
type told struct {
	Message, Severity string
	Object            struct{ Name string } `json:"resourceRef"`
	Tags              map[string]string
}

func toldOf(t *testing.T, stderr string) (all []told) {
	t.Helper()
	at := strings.Index(stderr, "[")
	if at < 0 || json.NewDecoder(strings.NewReader(stderr[at:])).Decode(&all) != nil {
		t.Fatalf("there must be results in JSON, found %s", stderr)
	}
	return all
}

// A suggested is what suggest writes: a file of rules, "" for none, and what it tells.
type suggested struct {
	file  string
	text  string
	tells []told
}

func (g *group) suggest(live, packages []object) suggested {
	g.t.Helper()
	got := g.run("suggest", live, packages, "-o", "json")
	if got.code != 0 {
		g.t.Fatalf("suggest must succeed\n%s%s", got.out, got.err)
	}
	s := suggested{text: got.out, tells: toldOf(g.t, got.err)}
	if strings.Contains(got.out, "kind: ") {
		s.file = file(g.t, "suggested.yaml", got.out)
	}
	return s
}

// suggestedOf are the suggestions for all moments.
func (g *group) suggestedOf() suggested {
	return once(g, "suggest", func() suggested { return g.suggest(g.live(g.moments), packages(g.moments)) })
}

// config is the flag with what suggest wrote.
func (s suggested) config() []string {
	if s.file == "" {
		return nil
	}
	return []string{"--config", s.file}
}

// printedObjects are the objects that a command prints, which got theirs in JSON.
func printedObjects(t *testing.T, out string) map[string]object {
	t.Helper()
	var all []object
	for document := range strings.SplitSeq(out, "\n---\n") {
		var o object
		if err := decodeNumbers(document, &o); err != nil {
			t.Fatalf("%v in %s", err, document)
		}
		all = append(all, o)
	}
	return byName(all, func(o object) string { return inner(o, "metadata")["name"].(string) })
}

func decodeNumbers(text string, into any) error {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// actions are those that rules have, and how.
var actions = []string{"Strip", "Keep", "TakeLive"}

// configs writes the rules of moments, those of an action in one file, and returns the flags.
func (g *group) configs(moments []*moment, only ...string) (flags []string) {
	for _, action := range actions {
		if len(only) > 0 && !slices.Contains(only, action) {
			continue
		}
		var rules []any
		for _, m := range moments {
			for _, path := range slices.Sorted(maps.Keys(m.rules)) {
				if m.rules[path] != action {
					continue
				}
				rule := object{"selectors": []any{object{"kind": m.kind, "name": m.name}}}
				if manager, isOfManager := strings.CutPrefix(path, ofManager); isOfManager {
					rule["managedFieldsManagers"] = []any{manager}
				} else {
					rule["jsonPaths"] = []any{expressionFor(path)}
				}
				rules = append(rules, rule)
			}
		}
		if rules == nil {
			continue
		}
		config := object{"apiVersion": "fn.kpt.dev/v1alpha1", "kind": "IgnoreFields", "metadata": object{"name": strings.ToLower(action)},
			"objectHash": false, "onNoMatch": "Ignore", "ignoreFields": rules}
		switch action {
		case "TakeLive":
			config["action"] = action
		case "Keep":
			config["onHandover"] = action
		}
		flags = append(flags, "--config", file(g.t, "rules.yaml", text(config)))
	}
	return flags
}

// ofManager comes before the name of a manager whose fields a rule is for.
const ofManager = "of "

// ruled are the paths of a rule, as the API server stores them: for a manager, of what it has.
func (m *moment) ruled(rule string) (paths []string) {
	manager, isOfManager := strings.CutPrefix(rule, ofManager)
	if !isOfManager {
		path, _ := m.stored(rule)
		return []string{path}
	}
	all := entriesOf(m.live)
	for _, e := range all {
		for _, path := range e.leaves() {
			isOthers := slices.ContainsFunc(all, func(other entry) bool { return other.hasIn(path) })
			if e.manager == manager && e.subresource != "status" && isField(path) && !isOthers {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// expressionFor is the JSONPath of a path.
func expressionFor(path string) (expression string) {
	for _, step := range segments.FindAllString(path, -1) {
		if strings.HasPrefix(step, "[") {
			expression += strings.Replace(strings.Replace(step, "[", "[?(@.", 1), "=", "==", 1)
			expression = strings.TrimSuffix(expression, "]") + ")]"
			continue
		}
		expression += "." + step
	}
	return expression
}
