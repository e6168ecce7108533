package cluster

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSuggestions applies packages, lets others change the objects, and counts the rules that
// suggest then writes: of those, and of those that it should write, 95 % must be right.
func TestSuggestions(t *testing.T) {
	api := newAPI(t)
	createCRDs(t, api)
	cases := readSuggestions(t, api)
	var right, suggested, wanted int
	for i, c := range cases {
		got := c.suggested(t, fmt.Sprint("suggest", i))
		suggested, wanted = suggested+len(got), wanted+len(c.wanted)
		wrong := slices.DeleteFunc(slices.Clone(got), func(expression string) bool { return slices.Contains(c.wanted, expression) })
		if right += len(got) - len(wrong); len(wrong) > 0 || len(got) != len(c.wanted) {
			t.Logf("%s\n    suggested %q\n    wanted    %q", c.steps[0], got, c.wanted)
		}
	}
	precision, recall := float64(right)/float64(suggested), float64(right)/float64(wanted)
	t.Logf("%d cases, %d rules suggested, %d wanted: precision %.3f, recall %.3f", len(cases), suggested, wanted, precision, recall)
	if len(cases) != 94 || precision < 0.95 || recall < 0.95 {
		t.Error("94 cases must have a precision and a recall of 0.95")
	}
}

// A suggestion is a case of testdata/suggestions.txt.
type suggestion struct {
	api                  *api
	templates            map[string]packaged
	steps, flags, wanted []string
	objects              []packaged
}

// packaged is an object of a package, with the path of its list.
type packaged struct {
	path string
	object
}

func (p packaged) name() string { return fmt.Sprint(inner(p.object, "metadata")["name"]) }

func readSuggestions(t *testing.T, api *api) (all []*suggestion) {
	content, err := os.ReadFile("testdata/suggestions.txt")
	if err != nil {
		t.Fatal(err)
	}
	head, cases, _ := strings.Cut(strings.TrimSpace(string(content)), "\n\nkubectl ")
	templates := map[string]packaged{}
	for _, text := range strings.Split(head, "\npackage ")[1:] {
		name, text, _ := strings.Cut(text, " ")
		path, text, _ := strings.Cut(text, "\n")
		templates[name] = packaged{path, parsed(t, text)}
	}
	for line := range strings.SplitSeq("kubectl "+cases, "\n") {
		step, isIndented := strings.CutPrefix(line, "  ")
		if !isIndented {
			all = append(all, &suggestion{api: api, templates: templates})
		}
		c := all[len(all)-1]
		switch word, rest, _ := strings.Cut(step, " "); word {
		case ">":
			c.wanted = append(c.wanted, rest)
		case "flags":
			c.flags = strings.Fields(rest)
		default:
			c.steps = append(c.steps, step)
		}
	}
	return all
}

// suggestedExpression is one in a functionConfig, maybe in quotes.
var suggestedExpression = regexp.MustCompile(`(?m)^  +- '?([/.].*?)'?$`)

// suggested does the steps, and returns the expressions that suggest writes.
func (c *suggestion) suggested(t *testing.T, name string) (all []string) {
	for _, step := range c.steps {
		step, _, _ := strings.Cut(step, "  # ")
		if got := c.step(t, step, name); got.err != nil || got.code >= http.StatusBadRequest {
			t.Fatalf("%s: %v", step, got)
		}
	}
	var live, desired []object
	for _, o := range c.objects {
		live = append(live, c.api.do(http.MethodGet, o.path+"/"+o.name(), "", nil).object)
		desired = append(desired, o.object)
		(&triple{api: c.api, kind: kind{path: o.path}, name: o.name()}).remove()
	}
	args := slices.Concat([]string{"suggest", "--live", jsonFile(t, live)}, c.flags, []string{jsonFile(t, desired)})
	for _, m := range suggestedExpression.FindAllStringSubmatch(asAdmin.inHere(t, 0, args...), -1) {
		all = append(all, strings.ReplaceAll(m[1], "''", "'"))
	}
	return all
}

func (c *suggestion) step(t *testing.T, step, name string) answer {
	if patch, ok := strings.CutPrefix(step, "package "); ok {
		last := &c.objects[len(c.objects)-1]
		last.object = merged(last.object, parsed(t, patch))
		return answer{}
	}
	words := append(strings.SplitN(step, " ", 4), "{}")
	manager, operation := words[0], words[1]
	if template, ok := c.templates[words[2]]; ok {
		return c.apply(manager, operation, packaged{template.path, merged(template.object, parsed(t, words[3]))}, name)
	}
	o := c.objects[len(c.objects)-1]
	at, patch := o.path+"/"+o.name(), strings.Join(strings.SplitN(step, " ", 3)[2:], "")
	switch operation {
	case "force":
		whole := merged(object{"apiVersion": o.object["apiVersion"], "kind": o.object["kind"]}, parsed(t, patch))
		return c.api.patch(at, manager, applyPatch, whole, true)
	case "scale":
		at, operation = at+"/scale", "merge"
	}
	types := map[string]string{"merge": mergePatch, "strategic": "application/strategic-merge-patch+json", "json": "application/json-patch+json"}
	return c.api.do(http.MethodPatch, at+"?fieldManager="+manager, types[operation], []byte(patch))
}

// apply applies a package, of one object with a name.
func (c *suggestion) apply(manager, operation string, p packaged, name string) answer {
	metadata := object{"name": fmt.Sprint(name, "-", len(c.objects))}
	if strings.Contains(p.path, "/namespaces/") {
		metadata["namespace"] = "default"
	}
	p.object["metadata"] = merged(metadata, inner(p.object, "metadata"))
	c.objects = append(c.objects, p)
	if operation == "apply" {
		return c.api.patch(p.path+"/"+p.name(), manager, applyPatch, p.object, false)
	}
	sent := p.object
	if operation == "client" {
		sent = merged(sent, object{"metadata": object{"annotations": object{"kubectl.kubernetes.io/last-applied-configuration": text(sent) + "\n"}}})
	}
	return c.api.do(http.MethodPost, p.path+"?fieldManager="+manager, "application/json", []byte(text(sent)))
}

func parsed(t *testing.T, text string) (o object) {
	decode(t, text, &o)
	return o
}

// merged is an object with a merge patch.
func merged(o, patch object) object {
	out := maps.Clone(o)
	for key, value := range patch {
		below, isMap := value.(object)
		switch {
		case value == nil:
			delete(out, key)
		case isMap:
			out[key] = merged(inner(out, key), below)
		default:
			out[key] = value
		}
	}
	return out
}
