package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/krm-fields/krm-fields/bench/corpus"
)

const (
	objects = 5000
	// kustomize's time grows with the square of the number of objects. It gets fewer, which
	// flatters it in the comparison per object.
	kustomizeObjects     = 500
	moreKustomizeObjects = 1000
	// Factors over peers.
	kustomizeFactor = 60
	yqFactor        = 25
	// Limits that no peer gives.
	startTime  = 8 * time.Millisecond
	binarySize = 18_000_000
	// Per object, of the largest list over that of the smallest.
	scaleGrowth = 4.0 / 3
	// Peak memory of the largest list: a multiple of the input's size, and a constant.
	scaleMemory         = 2.5
	scaleMemoryConstant = 40 << 20
	// What a jq expression with startswith may cost beyond a JSON Pointer, per object.
	startswithTime = 6 * time.Microsecond
)

var scaleSizes = []int{1000, 2000, 4000, 8000, 16000}

// A row is a work, or several, that can be asked for by its name. The rows of a group are measured
// together, if they are asked for together.
type row struct {
	group string
	// task is what is done in a group of several rows.
	task  string
	works func(bench) ([]work, error)
	// onRequest is true for a row that takes too long to be among those that are measured without
	// -rows.
	onRequest bool
}

func (r row) name() string { return strings.TrimSuffix(r.group+"-"+r.task, "-") }

// isNamed tells whether a name is that of the row, of its group or of its task.
func (r row) isNamed(name string) bool {
	return name == r.name() || name == r.group || r.task != "" && name == r.task
}

var rows = slices.Concat(packRows(), commandRows(), []row{
	{group: "scale", task: "mixed", works: func(b bench) ([]work, error) { return b.scale("mixed", corpus.Mixed, corpus.MixedRules) }},
	{group: "scale", task: "rich", works: func(b bench) ([]work, error) { return b.scale("rich", corpus.Rich, corpus.RichRules) }},
	{group: "strip", works: bench.strip},
	{group: "kustomize", works: bench.kustomize},
	{group: "json", works: bench.jsonList},
	{group: "many", works: bench.many},
	{group: "startswith", works: bench.startswith},
	{group: "empty", works: bench.empty},
	{group: "allocations", works: bench.allocations},
	{group: "within", works: bench.within},
	{group: "hosts", task: "render", works: bench.render, onRequest: true},
	{group: "hosts", task: "image", works: bench.image, onRequest: true},
	{group: "million", works: bench.million, onRequest: true},
})

// packRows returns a row for each task on each package.
func packRows() []row {
	var all []row
	for _, p := range packs {
		for _, t := range tasks {
			if p.brief && !t.onAll {
				continue
			}
			all = append(all, row{group: p.name, task: t.name, works: func(b bench) ([]work, error) {
				w, err := t.work(b, p)
				return []work{w}, err
			}})
		}
	}
	return all
}

// A bench holds what all rows need.
type bench struct {
	tools       tools
	data        string // folder for the inputs
	repetitions int
}

func (b bench) own(input string, objects int, check func(io.Reader) error) contestant {
	return contestant{name: "krm-fields", command: []string{b.tools.krmFields}, stdin: input, objects: objects, check: check}
}

func (b bench) noop(input string, objects int, check func(io.Reader) error) contestant {
	return contestant{name: "SDK no-op", command: []string{b.tools.noop}, stdin: input, objects: objects, check: check}
}

// strip compares with what can remove a field.
func (b bench) strip() ([]work, error) {
	list, err := b.list("deployments.yaml", corpus.Deployments, objects, stripReplicas)
	if err != nil {
		return nil, err
	}
	stream, err := b.write("stream.yaml", func(w io.Writer) error {
		return corpus.Deployments.WriteStream(w, objects)
	})
	if err != nil {
		return nil, err
	}
	yq := contestant{
		name: "yq", command: []string{b.tools.yq, "del(.spec.replicas)"}, stdin: stream, objects: objects,
		check: countLines(map[string]int{"kind: Deployment": objects, "  replicas: 3": 0}),
	}
	return []work{versus("/spec/replicas off every Deployment",
		b.own(list, objects, strippedList(objects)),
		peer{contestant: b.noop(list, objects, nil)},
		peer{contestant: yq, wallTarget: yqFactor},
	)}, nil
}

// strippedList is the check of a list of n Deployments without replicas.
func strippedList(n int) func(io.Reader) error {
	return countLines(map[string]int{"  kind: Deployment": n, "    replicas: 3": 0})
}

// kustomize compares with kustomize on two sizes, of which the larger must show a larger factor.
func (b bench) kustomize() ([]work, error) {
	var contestants []contestant
	for _, n := range []int{kustomizeObjects, moreKustomizeObjects} {
		list, err := b.list(fmt.Sprintf("deployments-%d.yaml", n), corpus.Deployments, n, stripReplicas)
		if err != nil {
			return nil, err
		}
		folder, err := b.kustomization(n)
		if err != nil {
			return nil, err
		}
		contestants = append(contestants, b.own(list, n, strippedList(n)), contestant{
			name: "kustomize, JSON6902", command: []string{b.tools.kustomize, "build", folder}, stdin: os.DevNull, objects: n,
			check: countLines(map[string]int{"kind: Deployment": n, "  replicas: 3": 0}),
		})
	}
	fewer := versus("", contestants[0], peer{contestants[1], kustomizeFactor, 0})
	more := versus("", contestants[2], peer{contestants[3], kustomizeFactor, 0})
	judge := func(runs []costs) [][]finding {
		wall := func(r run) float64 { return r.wall.Seconds() }
		first, second := factor(pairs(runs[0], runs[1]), 1, wall), factor(pairs(runs[2], runs[3]), 1, wall)
		findings := slices.Concat(fewer.judge(runs[:2]), more.judge(runs[2:]))
		findings[3] = append(findings[3], below(second > first, "%.1f times the factor on %d objects (must be over 1)", second/first, kustomizeObjects))
		return findings
	}
	return []work{{"/spec/replicas off some Deployments", contestants, judge}}, nil
}

// startswith compares two rules that remove the same container.
func (b bench) startswith() ([]work, error) {
	var contestants []contestant
	for _, rule := range []struct{ name, list, field string }{
		{"JSON Pointer", "pointer.yaml", "jsonPointers: [/spec/template/spec/containers/1]"},
		{"jq with startswith", "startswith.yaml",
			`jqPathExpressions: ['.spec.template.spec.containers[] | select(.name | startswith("prox"))']`},
	} {
		list, err := b.list(rule.list, corpus.Deployments, objects, fmt.Sprintf(stripProxy, rule.field))
		if err != nil {
			return nil, err
		}
		check := countLines(map[string]int{"  kind: Deployment": objects, "        - name: proxy": 0, "        - name: app": objects})
		own := b.own(list, objects, check)
		own.name += ", " + rule.name
		contestants = append(contestants, own)
	}
	judge := func(runs []costs) [][]finding {
		over := medianOf(pairs(runs[0], runs[1]), func(p pair) time.Duration { return (p.peer.cpu - p.own.cpu) / objects })
		found := below(over <= startswithTime, "CPU of %s an object beyond the JSON Pointer (limit %s)", over, startswithTime)
		return [][]finding{nil, {found}}
	}
	return []work{{"a container off every Deployment", contestants, judge}}, nil
}

// scale runs krm-fields alone on ever longer lists.
func (b bench) scale(name string, kind corpus.Kind, rules string) ([]work, error) {
	var contestants []contestant
	var sizes []int64
	for _, n := range scaleSizes {
		input, err := b.list(fmt.Sprintf("%s-%d.yaml", name, n), kind, n, fmt.Sprintf(rules, ""))
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(input)
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, info.Size())
		contestants = append(contestants, b.own(input, n, nil))
	}
	judge := func(runs []costs) [][]finding {
		perObject := func(i int) float64 { return runs[i].median().wall.Seconds() / float64(scaleSizes[i]) }
		findings := make([][]finding, len(runs))
		for i := range runs {
			growth := perObject(i) / perObject(0)
			limit := int64(scaleMemory*float64(sizes[i])) + scaleMemoryConstant
			findings[i] = []finding{
				noted("input of %s", mebibytes(sizes[i])),
				below(growth <= scaleGrowth, "time per object %.2f x (limit %.2f x)", growth, scaleGrowth),
				below(runs[i].median().rss <= limit, "memory limit %s", mebibytes(limit)),
			}
		}
		return findings
	}
	return []work{{"more and more " + name + " objects", contestants, judge}}, nil
}

// empty measures the start of the process, and looks at the binary's size.
func (b bench) empty() ([]work, error) {
	input, err := b.list("empty.yaml", corpus.Mixed, 0, stripReplicas)
	if err != nil {
		return nil, err
	}
	binary, err := os.Stat(b.tools.krmFields)
	if err != nil {
		return nil, err
	}
	trivial := contestant{name: "trivial binary", command: []string{b.tools.trivial}, stdin: input}
	judge := func(runs []costs) [][]finding {
		over := medianOf(pairs(runs[0], runs[1]), func(p pair) time.Duration { return p.own.wall - p.peer.wall })
		return [][]finding{{
			below(over <= startTime, "%s over the trivial binary (limit %s)", milliseconds(over), milliseconds(startTime)),
			below(binary.Size() <= binarySize, "binary of %s (limit %s)", mebibytes(binary.Size()), mebibytes(binarySize)),
		}, nil}
	}
	return []work{{"an empty list", []contestant{b.own(input, 0, nil), trivial}, judge}}, nil
}

// allocations counts the memory that a run on each package allocates.
func (b bench) allocations() ([]work, error) {
	var contestants []contestant
	bytes, pieces := make([]int64, len(packs)), make([]int64, len(packs))
	for i, p := range packs {
		list, err := b.packList(p, "all.yaml", p.config(""))
		if err != nil {
			return nil, err
		}
		read := func(output io.Reader) error {
			_, err := fmt.Fscan(output, &bytes[i], &pieces[i])
			return err
		}
		contestants = append(contestants, contestant{
			name: "krm-fields, " + p.name, command: []string{b.tools.allocations}, stdin: list, objects: p.objects, check: read,
		})
	}
	judge := func(runs []costs) [][]finding {
		findings := make([][]finding, len(runs))
		for i, p := range packs {
			findings[i] = []finding{below(bytes[i] <= p.allocated<<20, "%s in %d pieces (limit %d MiB)", mebibytes(bytes[i]), pieces[i], p.allocated)}
		}
		return findings
	}
	return []work{{"what a run allocates, nothing collected", contestants, judge}}, nil
}

func (b bench) list(name string, kind corpus.Kind, n int, functionConfig string) (string, error) {
	return b.write(name, func(w io.Writer) error { return kind.WriteList(w, n, functionConfig) })
}

// kustomization writes a folder for kustomize with the patch that does what stripReplicas does.
func (b bench) kustomization(n int) (string, error) {
	folder := fmt.Sprintf("kustomize-%d", n)
	if _, err := b.write(filepath.Join(folder, "resources.yaml"), func(w io.Writer) error {
		return corpus.Deployments.WriteStream(w, n)
	}); err != nil {
		return "", err
	}
	path, err := b.text(filepath.Join(folder, "kustomization.yaml"), `resources: [resources.yaml]
patches:
- target: {kind: Deployment}
  patch: '[{"op": "remove", "path": "/spec/replicas"}]'
`)
	return filepath.Dir(path), err
}

func (b bench) text(name, text string) (string, error) {
	return b.write(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func (b bench) write(name string, content func(io.Writer) error) (string, error) {
	path := filepath.Join(b.data, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	if err := content(file); err != nil {
		file.Close()
		return "", err
	}
	return path, file.Close()
}
