// Package corpus writes the inputs of the benchmarks: the same bytes for the same arguments, on any
// machine.
package corpus

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// A Kind is a mixture of objects.
type Kind struct {
	objects []manifest
	// perFile is how many YAML documents WriteFolder puts into a file; 0 means 1.
	perFile int
}

// A manifest has the place holders {i}, the number of the object, and {team}, that of its
// namespace. It has an annotation at least, so that those of a host can go in front of it.
type manifest struct {
	apiVersion, kind, name string
	text                   string
}

// An Object names one object.
type Object struct {
	APIVersion, Kind, Namespace, Name string
}

var (
	// Deployments are Deployments of two containers, some 2 KB each.
	Deployments = load("deployments", 1)
	// Mixed are Deployments with comments, ConfigMaps with block scalars, custom resources and
	// Secrets.
	Mixed = load("mixed", 1)
	// Rich are objects as people write them: comments, flow maps, folded and literal scalars.
	Rich = load("rich", 1)
	// Large are CustomResourceDefinitions of 20,000 lines, ConfigMaps of 500 kB and Grafana
	// dashboards.
	Large = load("large", 1)
	// Style are objects in the ways that people and tools write YAML: lists indented by two spaces,
	// anchors, quoted keys, long strings of every form, JSON, several documents in a file.
	Style = load("style", 4)
	// Pods are Pods as `kubectl get -o yaml --show-managed-fields` prints them.
	Pods = load("pods", 1)
	// Live are the Deployments as `kubectl get -o yaml --show-managed-fields` prints them once they
	// were applied, and an autoscaler has set their replicas.
	Live = load("live", 1)
	// Helm are objects as Helm charts make them.
	Helm = load("helm", 1)
	// CRDs are a bundle of CustomResourceDefinitions as controller-gen writes them.
	CRDs = load("crds", 1)
	// Crossplane are Compositions with many patches.
	Crossplane = load("crossplane", 1)
	// Dashboards are ConfigMaps with a Grafana dashboard.
	Dashboards = Kind{objects: Large.objects[2:]}
	// Tiny are ConfigMaps of one entry.
	Tiny = load("tiny", 1)
)

const teams = 10

// Objects returns the names of n objects.
func (k Kind) Objects(n int) []Object {
	objects := make([]Object, n)
	for i := range objects {
		t := k.template(i)
		objects[i] = Object{APIVersion: t.apiVersion, Kind: t.kind, Name: fill(t.name, i)}
		if namespaceOf.MatchString(t.text) {
			objects[i].Namespace = fill("team-{team}", i)
		}
	}
	return objects
}

// template returns that of object i. The team changes with each object and the kind with every ten,
// so that a team has all kinds.
func (k Kind) template(i int) manifest { return k.objects[i/teams%len(k.objects)] }

// manifest returns object i.
func (k Kind) manifest(i int) string { return fill(k.template(i).text, i) }

func fill(text string, i int) string {
	return strings.NewReplacer("{i}", strconv.Itoa(i), "{team}", strconv.Itoa(i%teams)).Replace(text)
}

// WriteList writes a ResourceList of n objects as kpt sends it: with the annotations of the host,
// the functionConfig last. The functionConfig is YAML text; an empty one is left out. Every tenth
// object is of the team team-0.
func (k Kind) WriteList(w io.Writer, n int, functionConfig string) error {
	out := bufio.NewWriter(w)
	writeHead(out, n)
	for i := range n {
		out.WriteString(item(withAnnotations(k.manifest(i), hostAnnotations("objects/", i))))
	}
	writeConfig(out, functionConfig)
	return out.Flush()
}

// WriteLiveList is WriteList with a live object behind each object. In the live ones, the words of
// drift are replaced, which are pairs of old and new text.
func (k Kind) WriteLiveList(w io.Writer, n int, drift []string, functionConfig string) error {
	out := bufio.NewWriter(w)
	writeHead(out, n)
	drifted := strings.NewReplacer(drift...)
	for i := range n {
		manifest := k.manifest(i)
		out.WriteString(item(withAnnotations(manifest, hostAnnotations("objects/", i))))
		live := append(hostAnnotations("live/", i), annotation{"fn.kpt.dev/live", "true"})
		out.WriteString(item(withAnnotations(drifted.Replace(manifest), live)))
	}
	writeConfig(out, functionConfig)
	return out.Flush()
}

func writeHead(out *bufio.Writer, n int) {
	out.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n")
	if n == 0 {
		out.WriteString("items: []\n")
		return
	}
	out.WriteString("items:\n")
}

func writeConfig(out *bufio.Writer, functionConfig string) {
	if functionConfig == "" {
		return
	}
	out.WriteString("functionConfig:\n")
	out.WriteString(indent("  ", functionConfig))
}

// WriteStream writes n objects as YAML documents, each after a line "---".
func (k Kind) WriteStream(w io.Writer, n int) error {
	out := bufio.NewWriter(w)
	for i := range n {
		out.WriteString("---\n")
		out.WriteString(k.manifest(i))
	}
	return out.Flush()
}

// WriteJSONList writes n objects as `kubectl get -o json` does.
func (k Kind) WriteJSONList(w io.Writer, n int) error {
	list := map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": ""}}
	items := make([]json.RawMessage, n)
	for i := range items {
		item, err := yaml.YAMLToJSON([]byte(k.manifest(i)))
		if err != nil {
			return err
		}
		items[i] = item
	}
	list["items"] = items
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "    ")
	return encoder.Encode(list)
}

type annotation struct{ key, value string }

// hostAnnotations are those that kpt gives to the object of a file.
func hostAnnotations(folder string, i int) []annotation {
	index := strconv.Itoa(i)
	path := folder + index + ".yaml"
	return []annotation{
		{"config.kubernetes.io/index", "0"},
		{"config.kubernetes.io/path", path},
		{"internal.config.kubernetes.io/index", "0"},
		{"internal.config.kubernetes.io/path", path},
		{"internal.config.kubernetes.io/seqindent", "compact"},
		{"config.k8s.io/id", index},
	}
}

// annotationsStart is the beginning of the annotations in YAML and in JSON, up to the first key.
var annotationsStart = regexp.MustCompile(`(?m)^ +"?annotations"?:(?: \{)?\n( +)`)

// withAnnotations puts annotations in front of those of a manifest.
func withAnnotations(manifest string, annotations []annotation) string {
	at := annotationsStart.FindStringSubmatchIndex(manifest)
	start, indent := at[1], manifest[at[2]:at[3]]
	var added strings.Builder
	for _, a := range annotations {
		if isJSON(manifest) {
			fmt.Fprintf(&added, "%q: %q,\n%s", a.key, a.value, indent)
		} else {
			fmt.Fprintf(&added, "%s: '%s'\n%s", a.key, a.value, indent)
		}
	}
	return manifest[:start] + added.String() + manifest[start:]
}

func isJSON(manifest string) bool { return strings.HasPrefix(manifest, "{") }

// item writes a manifest as an item of a list, JSON on one line as hosts do.
func item(manifest string) string {
	if isJSON(manifest) {
		return "- " + oneLine(manifest) + "\n"
	}
	return indent("- ", manifest)
}

// oneLine joins the lines of JSON.
func oneLine(text string) string {
	var line strings.Builder
	for part := range strings.Lines(text) {
		part = strings.TrimSpace(part)
		line.WriteString(part)
		if strings.HasSuffix(part, ",") {
			line.WriteByte(' ')
		}
	}
	return line.String()
}

// indent puts first before the first line and two spaces before the others; empty lines stay empty.
func indent(first, text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines[1:] {
		if line != "" {
			lines[i+1] = "  " + line
		}
	}
	return first + strings.Join(lines, "\n") + "\n"
}
