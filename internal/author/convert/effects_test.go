package convert

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// eachFound calls a test for each shape of rules that was found in public repositories; its name
// begins with the format.
func eachFound(t *testing.T, test func(t *testing.T, c *golden.Case, from string)) {
	golden.Run(t, testdata+"/found/*.txtar", func(t *testing.T, c *golden.Case) {
		from, _, _ := strings.Cut(c.Name, "-")
		if strings.HasPrefix(c.Name, "argocd-annotations-") {
			from = "argocd-annotations"
		}
		test(t, c, from)
	})
}

// TestFound converts each shape, and what comes of it back.
func TestFound(t *testing.T) {
	if n := len(golden.Cases(t, testdata+"/found/*.txtar")); n < 40 {
		t.Errorf("there are %d shapes, which are few", n)
	}
	eachFound(t, func(t *testing.T, c *golden.Case, from string) {
		out, err := Convert(from, "ignorefields", parse(t, from, c.File("input.yaml")), Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := []txtar.File{{Name: "ignorefields.yaml", Data: []byte(warningLines(out.Results) + text(t, out.Documents))}}
		if slices.Contains(TargetNames, from) && from != toArgoAnnotations.Name && len(out.Documents) > 0 {
			back := mustConvert(t, "ignorefields", from, out.Documents)
			got = append(got, txtar.File{Name: "back.yaml", Data: []byte(warningLines(back.Results) + text(t, back.Documents))})
		}
		c.Expect(t, []string{"input.yaml", "objects.yaml"}, got...)
	})
}

// TestEffects compares what a program does by its rules with what the converted rules do, on
// objects that have the fields, lack them, have null there or another type.
func TestEffects(t *testing.T) {
	counts := map[string]*effectCount{}
	eachFound(t, func(t *testing.T, c *golden.Case, from string) {
		if counts[from] == nil {
			counts[from] = &effectCount{}
		}
		counts[from].cases++
		compareEffects(t, c, from, counts)
	})
	total := 0
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%s: %+v", name, *counts[name])
		total += counts[name].compared
	}
	if total < 2000 {
		t.Errorf("only %d comparisons, which prove little", total)
	}
}

// effectCount counts the comparisons of a format.
type effectCount struct {
	cases, compared int
	// changed are those in which a field went, failed those in which the program itself fails, and
	// more those in which the rule finds what a warning says.
	changed, failed, more int
}

func compareEffects(t *testing.T, c *golden.Case, from string, counts map[string]*effectCount) {
	input := parse(t, from, c.File("input.yaml"))
	form := Sources[slices.Index(SourceNames, from)]
	sources := form.readAll(input).sources
	var exact, plain []*object.Object
	for _, s := range sources {
		if document := writeIgnoreFields(s); document != nil {
			plain = append(plain, object.NewDocument(document))
		}
	}
	sources = form.readAll(parse(t, from, c.File("input.yaml"))).sources
	for _, s := range sources {
		s.makeExact()
		if document := writeIgnoreFields(s); document != nil {
			exact = append(exact, object.NewDocument(document))
		}
	}
	var rules []any
	for _, o := range input {
		rules = append(rules, valueOf(o.Root()))
	}
	targets := targetsOf(t, plain)
	// What the case says is left out is not compared.
	apart := strings.Fields(c.Setting("left out"))
	errs := 0
	for _, o := range parse(t, "", c.File("objects.yaml")) {
		base := removedBy(t, from, rules, valueOf(o.Root()))
		for _, variant := range variantsOf(valueOf(o.Root()), base, ours(t, plain, valueOf(o.Root()))) {
			count := counts[from]
			want, err := peerResult(from, rules, variant)
			if err != nil {
				count.failed++
				continue
			}
			got, also := ours(t, exact, variant), ours(t, plain, variant)
			converted := also
			if want, got, also = withoutKeys(want, apart), withoutKeys(got, apart), withoutKeys(also, apart); !sameEffect(want, got) {
				if errs++; errs > 3 {
					continue
				}
				t.Errorf("on %s\nthe program makes %s\nand the rules     %s", show(variant), show(want), show(got))
			}
			if !sameEffect(want, also) {
				count.more++
			}
			if count.compared++; !reflect.DeepEqual(want, variant) {
				count.changed++
			}
			for _, to := range targets {
				compareTarget(t, to, variant, converted, counts)
			}
		}
	}
}

func withoutKeys(v any, keys []string) any {
	m, ok := v.(map[string]any)
	if !ok || len(keys) == 0 {
		return v
	}
	m = maps.Clone(m)
	for _, key := range keys {
		delete(m, key)
	}
	return m
}

// written is what the rules became for another program without a loss.
type written struct {
	name  string
	rules []any
}

func targetsOf(t *testing.T, documents []*object.Object) []written {
	t.Helper()
	var all []written
	for _, to := range []string{"argocd", "ocm", "flux", "kapp", "fleet"} {
		if len(documents) == 0 {
			break
		}
		out := mustConvert(t, "ignorefields", to, documents)
		if len(out.Results) > 0 {
			continue
		}
		w := written{name: to}
		for _, o := range out.Documents {
			w.rules = append(w.rules, valueOf(o.Root()))
		}
		all = append(all, w)
	}
	return all
}

// compareTarget compares what the rules do with what the program does for which they were written.
func compareTarget(t *testing.T, to written, variant, want any, counts map[string]*effectCount) {
	t.Helper()
	name := "to " + to.name
	if counts[name] == nil {
		counts[name] = &effectCount{}
	}
	got, err := peerResult(to.name, to.rules, variant)
	if err != nil {
		counts[name].failed++
		return
	}
	if !sameEffect(want, got) {
		t.Errorf("on %s\nthe rules make  %s\nand %s makes %s", show(variant), show(want), to.name, show(got))
	}
	if counts[name].compared++; !reflect.DeepEqual(want, variant) {
		counts[name].changed++
	}
}

// makeExact puts the exact form in the place of each expression that has one, and leaves out those
// that the program is said to ignore.
func (s *source) makeExact() {
	for _, r := range s.rules {
		r.expressions = slices.DeleteFunc(r.expressions, func(e expression) bool {
			return slices.ContainsFunc(r.notes, func(n note) bool {
				return n.path == e.path && strings.HasPrefix(n.text, "changed: the agent ignores it")
			})
		})
		for i, e := range r.expressions {
			if e.exact != "" {
				r.expressions[i].text = e.exact
			}
		}
	}
}

// peerResult is what the program makes of an object, by all the documents.
func peerResult(name string, rules []any, v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	for _, document := range rules {
		if text, err = peers[name](document, text); err != nil {
			return nil, err
		}
	}
	var out any
	return out, json.Unmarshal(text, &out)
}

func removedBy(t *testing.T, name string, rules []any, v any) any {
	t.Helper()
	out, err := peerResult(name, rules, v)
	if err != nil {
		return v
	}
	return out
}

// ours is what the functionConfigs make of an object.
func ours(t *testing.T, configs []*object.Object, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range configs {
		config := withoutManagers(c.Root())
		replace(config, "objectHash", tree.FromValue(map[string]any{"emit": false}))
		replace(config, "onNoMatch", tree.NewString("Ignore"))
		replace(config, "onHandover", tree.NewString("Ignore"))
		replace(config, "pruneEmptied", tree.NewString("Never"))
		replace(config, "jq", tree.FromValue(map[string]any{"timeout": "10m"})) // however busy the machine is
		item, err := object.ParseDocument(text)
		if err != nil {
			t.Fatal(err)
		}
		items, results := fn.Items(config, []*object.Object{item})
		for _, result := range results {
			if result.Severity == report.SeverityError {
				t.Fatalf("the rules fail on %s: %s", text, result.Message)
			}
		}
		if text, err = json.Marshal(valueOf(items[0].Root())); err != nil {
			t.Fatal(err)
		}
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// replace sets a member that may be there.
func replace(m *tree.Node, key string, value *tree.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Text() == key {
			m.Content[i+1] = value
			return
		}
	}
	m.Content = append(m.Content, tree.NewString(key), value)
}

// variantsOf returns the object, and for each place that one of the results lacks, and each place
// above it, the object without it, with null and with another type there.
func variantsOf(v any, results ...any) []any {
	all := []any{v}
	places := map[string][]any{}
	for _, result := range results {
		missing(v, result, nil, places)
	}
	for _, key := range slices.Sorted(maps.Keys(places)) {
		place := places[key]
		for depth := 1; depth <= len(place); depth++ {
			if depth == 1 && place[0] == "metadata" {
				continue
			}
			all = append(all, without(v, place[:depth]))
			for _, odd := range []any{nil, "text", 7.0, true, []any{}, []any{"text", map[string]any{"name": "x"}}, map[string]any{}} {
				all = append(all, with(v, place[:depth], odd))
			}
		}
	}
	return unequal(all)
}

func unequal(all []any) []any {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(v any) bool {
		text := show(v)
		defer func() { seen[text] = true }()
		return seen[text]
	})
}

// missing collects the places of v that the result lacks.
func missing(v, result any, at []any, places map[string][]any) {
	switch v := v.(type) {
	case map[string]any:
		m, _ := result.(map[string]any)
		for key, value := range v {
			place := append(slices.Clone(at), key)
			if _, ok := m[key]; !ok {
				places[fmt.Sprint(place)] = place
				continue
			}
			missing(value, m[key], place, places)
		}
	case []any:
		l, _ := result.([]any)
		for i, value := range v {
			place := append(slices.Clone(at), i)
			if len(l) != len(v) {
				places[fmt.Sprint(place)] = place
				continue
			}
			missing(value, l[i], place, places)
		}
	}
}

// with returns a copy of v with a value at a place, without one with the place removed.
func with(v any, place []any, value any) any { return edit(v, place, value, false) }

func without(v any, place []any) any { return edit(v, place, nil, true) }

func edit(v any, place []any, value any, remove bool) any {
	switch container := v.(type) {
	case map[string]any:
		m := maps.Clone(container)
		key := place[0].(string)
		switch {
		case len(place) > 1:
			m[key] = edit(m[key], place[1:], value, remove)
		case remove:
			delete(m, key)
		default:
			m[key] = value
		}
		return m
	case []any:
		l := slices.Clone(container)
		i := place[0].(int)
		switch {
		case len(place) > 1:
			l[i] = edit(l[i], place[1:], value, remove)
		case remove:
			l = slices.Delete(l, i, i+1)
		default:
			l[i] = value
		}
		return l
	}
	return v
}

// sameEffect compares two objects. A field that is null is none to the API server, and jq
// expressions do not find it here.
func sameEffect(a, b any) bool { return reflect.DeepEqual(withoutNulls(a), withoutNulls(b)) }

func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for key, value := range v {
			if value != nil {
				m[key] = withoutNulls(value)
			}
		}
		return m
	case []any:
		l := []any{}
		for _, value := range v {
			if value != nil {
				l = append(l, withoutNulls(value))
			}
		}
		return l
	}
	return v
}

func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return strconv.Quote(err.Error())
	}
	return string(text)
}
