package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/krm-fields/krm-fields/bench/corpus"
)

const (
	objects = 5000
	// kustomize's time grows with the square of the number of objects. It gets fewer, which
	// flatters it in the comparison per object.
	kustomizeObjects = 1000
	// Limits that no peer gives.
	startTime  = 8 * time.Millisecond
	binarySize = 18_000_000
	// Per object, of the largest list over that of the smallest.
	scaleGrowth = 4.0 / 3
	// Peak memory of the largest list: a multiple of the input's size, and a constant.
	scaleMemory         = 3
	scaleMemoryConstant = 40 << 20
)

var scaleSizes = []int{1000, 2000, 4000, 8000, 16000}

const stripReplicas = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: strip-replicas
ignoreFields:
- jsonPointers: [/spec/replicas]
objectHash:
  emit: false
`

const threeDialects = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: three-dialects
%signoreFields:
- jsonPaths: [.spec.replicas, '.spec.http[?(@.name=="primary")].route[*].weight']
  jsonPointers: [/metadata/annotations/prometheus.io~1scrape, /data/dynamic-token]
  jqPathExpressions: ['.spec.template.spec.containers[]? | select(.name != "app")']
`

const oneTeam = `selectors:
- namespace: team-0
`

// A row is a line of the table, or several of the same work.
type row struct {
	name    string
	measure func(bench) ([]line, error)
}

var rows = []row{
	{"mixed", func(b bench) ([]line, error) { return b.mixed("all of 5,000 mixed objects", "", 20, 10) }},
	{"tenth", func(b bench) ([]line, error) { return b.mixed("one in ten of 5,000 mixed objects", oneTeam, 25, 0) }},
	{"scale", bench.scale},
	{"strip", bench.strip},
	{"empty", bench.empty},
}

// A bench holds what all rows need.
type bench struct {
	tools       tools
	data        string // folder for the inputs
	repetitions int
}

// mixed compares with a function on the SDK that does nothing.
func (b bench) mixed(work, selectors string, wallTarget, memoryTarget float64) ([]line, error) {
	config := fmt.Sprintf(threeDialects, selectors)
	input, err := b.list("mixed.yaml", corpus.Mixed, objects, config)
	if err != nil {
		return nil, err
	}
	kinds := countLines(map[string]int{"  kind: VirtualService": objects / 4, "  type: Opaque": objects / 4})
	return b.compare(work,
		contestant{"krm-fields", []string{b.tools.krmFields}, input, objects, kinds},
		peer{contestant{"SDK no-op", []string{b.tools.noop}, input, objects, kinds}, wallTarget, memoryTarget},
	)
}

// strip compares with everything that can remove a field.
func (b bench) strip() ([]line, error) {
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
	kustomization, err := b.kustomization()
	if err != nil {
		return nil, err
	}
	listStripped := countLines(map[string]int{"  kind: Deployment": objects, "    replicas: 3": 0})
	stripped := func(n int) func(io.Reader) error {
		return countLines(map[string]int{"kind: Deployment": n, "  replicas: 3": 0})
	}
	build := []string{b.tools.kustomize, "build", kustomization}
	return b.compare("/spec/replicas off every Deployment",
		contestant{"krm-fields", []string{b.tools.krmFields}, list, objects, listStripped},
		peer{contestant{"SDK no-op", []string{b.tools.noop}, list, objects, nil}, 0, 0},
		peer{contestant{"yq", []string{b.tools.yq, "del(.spec.replicas)"}, stream, objects, stripped(objects)}, 10, 0},
		peer{contestant{"kustomize, JSON6902", build, os.DevNull, kustomizeObjects, stripped(kustomizeObjects)}, 20, 0},
	)
}

// scale runs krm-fields alone on ever longer lists.
func (b bench) scale() ([]line, error) {
	var contestants []contestant
	for _, n := range scaleSizes {
		config := fmt.Sprintf(threeDialects, "")
		input, err := b.list(fmt.Sprintf("mixed-%d.yaml", n), corpus.Mixed, n, config)
		if err != nil {
			return nil, err
		}
		contestants = append(contestants, contestant{"krm-fields", []string{b.tools.krmFields}, input, n, nil})
	}
	medians, err := b.medians(contestants)
	if err != nil {
		return nil, err
	}
	lines := make([]line, len(contestants))
	for i, c := range contestants {
		size, err := os.Stat(c.stdin)
		if err != nil {
			return nil, err
		}
		limit := scaleMemory*size.Size() + scaleMemoryConstant
		lines[i] = newLine(fmt.Sprintf("%d mixed objects, %s", c.objects, mebibytes(size.Size())), c, medians[i])
		lines[i].compareScale(lines[0], scaleGrowth, limit)
	}
	return lines, nil
}

// empty measures the start of the process, and looks at the binary's size.
func (b bench) empty() ([]line, error) {
	input, err := b.list("empty.yaml", corpus.Mixed, 0, stripReplicas)
	if err != nil {
		return nil, err
	}
	own := contestant{"krm-fields", []string{b.tools.krmFields}, input, 0, nil}
	trivial := contestant{"trivial binary", []string{b.tools.trivial}, input, 0, nil}
	medians, err := b.medians([]contestant{own, trivial})
	if err != nil {
		return nil, err
	}
	binary, err := os.Stat(b.tools.krmFields)
	if err != nil {
		return nil, err
	}
	lines := []line{
		newLine("an empty list", own, medians[0]),
		newLine("an empty list", trivial, medians[1]),
	}
	lines[0].compareStart(lines[1], startTime, binary.Size(), binarySize)
	return lines, nil
}

// A peer is a contestant with the factors that krm-fields shall be better by; 0: no such target.
type peer struct {
	contestant
	wallTarget   float64
	memoryTarget float64
}

func (b bench) compare(work string, own contestant, peers ...peer) ([]line, error) {
	contestants := []contestant{own}
	for _, p := range peers {
		contestants = append(contestants, p.contestant)
	}
	medians, err := b.medians(contestants)
	if err != nil {
		return nil, err
	}
	lines := []line{newLine(work, own, medians[0])}
	for i, p := range peers {
		peerLine := newLine(work, p.contestant, medians[i+1])
		peerLine.comparePeer(lines[0], p.wallTarget, p.memoryTarget)
		lines = append(lines, peerLine)
	}
	return lines, nil
}

func (b bench) medians(contestants []contestant) ([]run, error) {
	for _, c := range contestants {
		if err := c.verify(); err != nil {
			return nil, err
		}
	}
	return measure(contestants, b.repetitions)
}

func (b bench) list(name string, kind corpus.Kind, n int, functionConfig string) (string, error) {
	return b.write(name, func(w io.Writer) error { return kind.WriteList(w, n, functionConfig) })
}

// kustomization writes a folder for kustomize with the patch that does what stripReplicas does.
func (b bench) kustomization() (string, error) {
	folder := "kustomize"
	if _, err := b.write(filepath.Join(folder, "resources.yaml"), func(w io.Writer) error {
		return corpus.Deployments.WriteStream(w, kustomizeObjects)
	}); err != nil {
		return "", err
	}
	path, err := b.write(filepath.Join(folder, "kustomization.yaml"), func(w io.Writer) error {
		_, err := io.WriteString(w, `resources: [resources.yaml]
patches:
- target: {kind: Deployment}
  patch: '[{"op": "remove", "path": "/spec/replicas"}]'
`)
		return err
	})
	return filepath.Dir(path), err
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
