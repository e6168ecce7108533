package fn_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// perShape is how many documents of each shape the corpus has.
const perShape = 150

// TestCorpus runs the usual rules and patches on documents as controller-gen, Helm, kustomize,
// people and programs write them. None is rewritten as a whole, every comment `keep` stays, all
// lines but those of the edits are lines that came in, and a second run changes nothing.
func TestCorpus(t *testing.T) {
	var texts []string
	for i, shape := range shapes {
		for n := range perShape {
			g := shapeWriter{Rand: rand.New(rand.NewPCG(uint64(i), uint64(n))), number: n}
			texts = append(texts, shape(&g))
		}
	}
	if len(texts) < 1000 {
		t.Fatalf("the corpus must have a thousand documents, found %d", len(texts))
	}
	for name, config := range corpusConfigs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			functionConfig, err := tree.Parse([]byte("apiVersion: fn.kpt.dev/v1alpha1\nmetadata: {name: corpus}\n" + config))
			if err != nil {
				t.Fatal(err)
			}
			changed := 0
			items := corpusItems(t, texts)
			_, results := fn.Items(functionConfig, items)
			checkCorpusResults(t, results)
			for _, item := range items {
				out := corpusText(t, item)
				if item.Changed() {
					changed++
				}
				checkCorpusText(t, string(item.Source()), out)
			}
			if changed == 0 {
				t.Error("the run must change documents")
			}
			if strings.Contains(config, "operation") && !strings.Contains(config, "MergePatch") {
				return // patches can't all run twice
			}
			checkCorpusAgain(t, functionConfig, items)
		})
	}
}

// checkCorpusAgain runs on what came out.
func checkCorpusAgain(t *testing.T, functionConfig *tree.Node, items []*object.Object) {
	t.Helper()
	var texts []string
	for _, item := range items {
		texts = append(texts, corpusText(t, item))
	}
	again := corpusItems(t, texts)
	_, results := fn.Items(functionConfig, again)
	checkCorpusResults(t, results)
	for i, item := range again {
		if out := corpusText(t, item); out != texts[i] {
			t.Fatalf("a second run must change nothing, found\n%s\nfrom\n%s", out, texts[i])
		}
	}
}

func checkCorpusResults(t *testing.T, results []report.Result) {
	t.Helper()
	for _, r := range results {
		if r.Severity == report.SeverityError || r.Tags["reason"] == report.ReasonReformatted {
			t.Fatalf("%s: %s (%s, %s)", r.Tags["reason"], r.Message, r.Ref, r.File)
		}
	}
}

func corpusItems(t *testing.T, texts []string) []*object.Object {
	t.Helper()
	var items []*object.Object
	for _, text := range texts {
		files, err := manifests.Read([]string{manifests.Stdin}, strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v\nin\n%s", err, text)
		}
		found := manifests.Objects(files)
		if len(found) != 1 {
			t.Fatalf("one object must stand in\n%s", text)
		}
		items = append(items, found...)
	}
	return items
}

func corpusText(t *testing.T, item *object.Object) string {
	t.Helper()
	text, err := item.Text()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkCorpusText checks the lines and the comments of a document.
func checkCorpusText(t *testing.T, text, out string) {
	t.Helper()
	if strings.Count(text, "keep") != strings.Count(out, "keep") {
		t.Fatalf("a comment went\n%s\nfrom\n%s", out, text)
	}
	came := map[string]bool{}
	for line := range strings.Lines(text) {
		came[bare(line)] = true
	}
	for line := range strings.Lines(out) {
		isNew := slices.ContainsFunc([]string{"object-hash", "annotations:", "annotations\"", "ignored", "{}", "[]", "patched", "labels:", "spec:", "z: |-"}, func(s string) bool {
			return strings.Contains(line, s)
		})
		isDash := strings.TrimSpace(line) == "-" // in front of a comment
		if !isNew && !isDash && !came[bare(line)] && !strings.ContainsAny(line, "[{]}") {
			t.Fatalf("the line %q is new\n%s\nfrom\n%s", line, out, text)
		}
	}
}

// bare returns a line without the commas of flow collections, its line break, and what stands
// before it where it is the first in a list's element, whose place the next one takes.
func bare(line string) string {
	line = strings.TrimRight(line, "\r\n, ")
	rest := strings.TrimLeft(line, " -\t")
	return fmt.Sprintf("%d %s", len(line)-len(rest), strings.ReplaceAll(rest, ", #", " #"))
}

func corpusConfigs() map[string]string {
	configs := map[string]string{}
	rules := []string{
		"jsonPointers: [/metadata/annotations]",
		"jsonPointers: [/metadata/labels]",
		"jsonPointers: [/metadata/creationTimestamp, /status]",
		"jsonPointers: [/spec/replicas]",
		"jsonPointers: [/spec/template/spec/containers/*/image]",
		"jsonPointers: [/spec/template/spec/containers/*/args]",
		"jqPathExpressions: ['.spec.template.spec.containers[]?.args[]? | select(. == \"--a\" or . == \"--port=80\")']",
		"jsonPointers: [/spec/template/spec/containers/*/resources]",
		"jqPathExpressions: ['.spec.template.spec.containers[]? | select(.name != \"app\")']",
		"jqPathExpressions: ['.spec.template.spec.containers[0]?.env[]? | select(.name == \"B\")']",
		"jsonPaths: ['.spec.template.spec.containers[*].env[?(@.name==\"A\")]']",
		"jsonPointers: [/spec/template/metadata/annotations]",
		"jsonPointers: [/spec/template/spec/affinity, /spec/template/spec/volumes]",
		"jsonPointers: [/spec/versions/*/schema]",
		"jsonPaths: ['..description']",
		"jqPathExpressions: ['.spec.names | .shortNames, (.categories[]? | select(. == \"all\"))']",
		"jsonPointers: [/data]",
		"jsonPointers: [/data/script.sh]",
		"jsonPaths: [\".metadata.labels['app.kubernetes.io/version']\"]",
		"jsonPointers: [/spec/template/spec/containers/*/name]",
		"jsonPointers: [/spec/strategy, /spec/scope]",
		"jqPathExpressions: ['.metadata.annotations | select(. != null) | keys[] as $k | .[$k]']",
	}
	for i, rule := range rules {
		configs[fmt.Sprintf("rule %d", i)] = "kind: IgnoreFields\nonNoMatch: Ignore\nignoreFields:\n- " + rule + "\n"
	}
	configs["most rules"] = "kind: IgnoreFields\nonNoMatch: Ignore\nignoreFields:\n- " + strings.Join(rules[:19], "\n- ") + "\n"
	configs["annotate"] = "kind: IgnoreFields\nonNoMatch: Ignore\naction: Annotate\nannotate: {comments: true}\nignoreFields:\n- " +
		strings.Join(rules[3:5], "\n- ") + "\n"
	configs["patches"] = `kind: ApplyPatches
patches:
- target: {name: "*"}
  operations:
  - {op: add, path: /metadata/labels/patched, value: "yes"}
  - {op: add, path: /metadata/annotations/patched, value: "1"}
  - {op: add, path: /spec/patched, value: {patched: [patched, {b: patched}], c: {d: patched}}}
- target: {kind: Deployment}
  operations:
  - {op: replace, path: /spec/template/spec/containers/0/image, value: patched}
  - {op: add, path: /spec/template/spec/containers/0/args/0, value: patched}
  - {op: add, path: /spec/template/spec/containers/0/args/-, value: patched}
  - {op: remove, path: /spec/template/spec/containers/0/env}
  - {op: replace, path: /spec/template/spec/containers/0/resources, value: patched}
`
	merges := "kind: ApplyOperations\noperations:\n"
	for n := range perShape {
		merges += fmt.Sprintf("- {operation: MergePatch, kind: ConfigMap, name: settings-%d, mergePatch: "+
			"{metadata: {annotations: {c: null, patched: x}}, data: {plain: patched, script.sh: null, patched: {patched: [patched]}}}}\n", n)
	}
	configs["merge patches"] = merges
	return configs
}

// shapes write one document each.
var shapes = []func(g *shapeWriter) string{
	(*shapeWriter).crd, (*shapeWriter).helm, (*shapeWriter).kustomize, (*shapeWriter).byHand, (*shapeWriter).sorted,
	(*shapeWriter).sortedJSON, (*shapeWriter).tabbedJSON,
}

type shapeWriter struct {
	*rand.Rand
	number int
}

// one returns one of the texts.
func (g *shapeWriter) one(texts ...string) string { return texts[g.IntN(len(texts))] }

// indented indents lines that are not blank.
func indentedBy(n int, text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			out.WriteString(strings.Repeat(" ", n))
		}
		out.WriteString(line)
	}
	return out.String()
}

// finish gives some documents Windows line ends, and some no line break at the end.
func (g *shapeWriter) finish(text string) string {
	if g.IntN(10) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if g.IntN(8) == 0 {
		text = strings.TrimRight(text, "\r\n")
	}
	return text
}

// description is a folded or literal text, with deeper lines in some.
func (g *shapeWriter) description() string {
	header := g.one("|-", ">-", ">-", "|", ">", "|+")
	text := "description: " + header + "\n  The resource that is described here goes over more than one line, as\n  generated text does.\n"
	if g.IntN(2) == 0 {
		text += "\n  List:\n    - deeper\n    - lines\n\n  End.\n"
	}
	if header == "|+" {
		text += "\n"
	}
	return text
}

func (g *shapeWriter) crd() string {
	step := g.one("  ", "    ")
	text := g.one("# keep Copyright.\n# keep Licence.\n\n", "# keep generated\n", "---\n", "")
	schema := g.description() + "properties:\n  spec:\n    " + strings.TrimPrefix(indentedBy(4, g.description()), "    ") +
		"    type: object\n    required:\n    - size\n    properties:\n      size: {type: integer, minimum: 1} # goes\n"
	text += "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n"
	text += g.one(
		step+"annotations:\n"+step+step+"controller-gen.kubebuilder.io/version: v0.14.0\n",
		step+"annotations:\n"+step+step+"controller-gen.kubebuilder.io/version: (devel)\n"+step+"creationTimestamp: null\n",
		step+"creationTimestamp: null\n")
	text += fmt.Sprintf("%sname: webs%d.example.com # keep\n", step, g.number)
	text += "spec:\n" + step + "group: example.com\n" + step + "names:\n" + step + step + "kind: Web\n" + step + step + "shortNames:\n" +
		step + step + "- w\n" + step + step + "categories:\n" + step + step + "- all\n" + step + step + "- example\n"
	text += step + "scope: Namespaced\n" + step + "versions:\n" + step + "- name: v1\n" + step + "  served: true\n" + step + "  schema:\n" +
		step + "    openAPIV3Schema:\n" + indentedBy(len(step)+6, schema) + step + "  storage: true\n"
	text += g.one("", "status:\n"+step+"conditions: []\n")
	return g.finish(text)
}

func (g *shapeWriter) helm() string {
	text := "# keep Source: chart/templates/deployment.yaml\n" + g.one("", "# keep by the chart\n\n") + "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n"
	text += fmt.Sprintf("  name: release-%d\n  labels:\n    helm.sh/chart: \"web-1.0\"\n    app.kubernetes.io/version: \"1.0\"\n\n", g.number)
	text += g.one("", "  annotations:\n    checksum/config: 0123abcd\n    \n", "  annotations: {}\n")
	text += "spec:\n  replicas: 3 # goes\n  strategy:\n    type: Recreate\n  template:\n    metadata:\n      annotations:\n        sidecar: 'true'\n"
	text += "    spec:\n      affinity:\n      containers:\n        - name: app\n          image: \"web:1\"\n          " +
		g.one(`args: ["--port=80", '--v', {"a": [1, 2]}]`, "args: [\n            \"--port=80\", # goes\n            \"--v\"\n          ]",
			"args:\n            - --port=80\n\n            - --v", "args:\n          - | \n            one\n            two\n          - --v") + "\n"
	text += "          env:\n            - name: A\n              value: \"1\"\n            - {name: B, value: '2'}\n" +
		"          resources:\n            {}\n" + g.one("", "        - name: proxy\n          image: proxy\n          args: []\n          resources: {limits: {cpu: 1}}\n")
	text += g.one("", "      volumes:\n        - name: x\n          configMap:\n            items: [{key: a,\n              path: b}]\n")
	return g.finish(text)
}

func (g *shapeWriter) kustomize() string {
	text := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n"
	text += g.one("  annotations:\n    a.example.com/b: |-\n      one\n      two\n", "  annotations:\n    a: 'x: y'\n    b: \"\"\n", "")
	text += fmt.Sprintf("  labels:\n    app: web\n  name: web-%d\n  namespace: default\n", g.number)
	text += "spec:\n  replicas: 2\n  selector:\n    matchLabels:\n      app: web\n  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n" +
		"      containers:\n      - args:\n        - --a\n        - --long=" + strings.Repeat("word ", g.IntN(40)) + "end\n        env:\n        - name: A\n          value: |\n            one\n              two\n        - name: B\n          valueFrom:\n            secretKeyRef:\n              key: k\n              name: n\n" +
		"        image: web:1\n        name: " + g.one("app", "proxy") + "\n        resources:\n          limits:\n            cpu: 100m\n"
	text += g.one("", "      - image: proxy\n        name: proxy\n        args: []\n        resources: null\n", "      volumes:\n      - emptyDir: {}\n        name: tmp\n")
	return g.finish(text)
}

func (g *shapeWriter) byHand() string {
	text := g.one("# keep This is ours.\n#\n# keep All of it.\n\n", "%YAML 1.1\n# keep\n---\n# keep\n", "\n")
	text += "apiVersion: apps/v1   # keep\nkind: Deployment\nmetadata: &meta\n  # keep the name\n" + fmt.Sprintf("  name:   web-%d\n", g.number)
	text += g.one("  annotations: {a: b, # goes\n    'c': \"d\" } # keeping: no\n", "  annotations:\n      # goes\n      a: b # goes\n      c: 'd'\n", "  annotations:\n    a: b\n    c: |\n      x\n", "")
	text = strings.ReplaceAll(text, " # keeping: no", "")
	text += "  labels: {app: web, \"tier\": 'x'}\n# keep a section\n\nspec:\n\n  # how many\n  replicas: 0x3\n  # keep another section\n\n  template:\n    metadata: {annotations: {x: y}, labels: {app: web}}\n    spec:\n      containers:\n"
	container := "name: app\n# the image\nimage: web:1 # goes\nargs: &args [--a, --b, # goes\n  \"--c d\",\n]\n" + g.one("", "env: []\n", "env:\n# of a\n- name: A # goes\n  value: '1'\n# of b\n- name: B\n  value: >-\n    folded\n      deeper\n    text\n") +
		g.one("resources: {}\n", "resources:\n  # limits\n  limits: {cpu: 1, memory: 1Gi}\n", "resources: [\n]\n")
	text += "      -   " + strings.TrimLeft(indentedBy(10, container), " ")
	text += g.one("", "      # keep the second\n      - {name: proxy, image: \"p:1\", args: *args,\n         env: [{name: A, value: x}, {name: B}]}\n# keep end\n")
	return g.finish(strings.Replace(text, "# keep the second", "# the second", 1))
}

func (g *shapeWriter) sorted() string {
	text := "apiVersion: v1\ndata:\n  a.properties: 'x=1\n\n    y=2'\n  plain: a long text on\n    two lines\n  script.sh: " + g.one("|", "|-", "|+", ">", "|2-") +
		"\n    #!/bin/sh\n    # kept out\n\n      echo \"$1\"\n\n"
	text = strings.Replace(text, "kept out", "no comment", 1)
	text += "kind: ConfigMap\nmetadata:\n  annotations:\n    a: b\n    c: \"d \\\n      e\"\n  creationTimestamp: null\n" + fmt.Sprintf("  name: settings-%d\n", g.number)
	if g.IntN(3) == 0 {
		text += "z: |\n  ends\n  here\n"
	}
	return g.finish(text)
}

func (g *shapeWriter) data() map[string]any {
	metadata := map[string]any{"name": fmt.Sprintf("web-%d", g.number), "labels": map[string]any{"app": "web"}}
	if g.IntN(3) > 0 {
		metadata["annotations"] = map[string]any{"a": "<b>", "c": "d\n"}
	}
	containers := []any{map[string]any{
		"name": "app", "image": "web:1", "args": []any{"--a", "--b"}, "resources": map[string]any{},
		"env": []any{map[string]any{"name": "A", "value": "1"}, map[string]any{"name": "B"}},
	}}
	if g.IntN(2) == 0 {
		containers = append(containers, map[string]any{"name": "proxy", "image": "p", "args": []any{}, "resources": nil})
	}
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
		"spec": map[string]any{"replicas": 3, "template": map[string]any{"spec": map[string]any{"containers": containers}}},
	}
}

func (g *shapeWriter) sortedJSON() string {
	text, _ := json.MarshalIndent(g.data(), "", g.one("  ", "    ", ""))
	if g.IntN(5) == 0 {
		var compact bytes.Buffer
		_ = json.Compact(&compact, text) // it was made of data
		text = compact.Bytes()
	}
	return g.finish(string(text) + "\n")
}

func (g *shapeWriter) tabbedJSON() string {
	text, _ := json.MarshalIndent(g.data(), "", "\t")
	short := bytes.ReplaceAll(text, []byte("[\n\t\t\t\t\t\t\t\"--a\",\n\t\t\t\t\t\t\t\"--b\"\n\t\t\t\t\t\t]"), []byte(`["--a", "--b"]`))
	return g.finish(string(short) + "\n")
}
