package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/krm-fields/krm-fields/bench/corpus"
)

const (
	// What a command may cost beside run on the same objects.
	commandTime   = 10
	commandMemory = 3
	// commandGrowth is how much longer twice the objects may take.
	commandGrowth = 2.2
	manyRules     = 1000
	manySelectors = 200
	jsonPods      = 2000
)

var commandSizes = []int{1000, 2000, 4000, 8000}

// A command is one that reads a whole package, beside run.
type command struct {
	name string
	// args follow the name.
	args func(inputs) []string
}

// inputs are the paths of what commands read: a package, its live objects, a functionConfig, and
// one with a rule for each object.
type inputs struct{ files, live, rules, many string }

var commands = []command{
	{"plan", func(in inputs) []string { return []string{"--config", in.rules, "--live", in.live, in.files} }},
	{"diff", func(in inputs) []string { return []string{"--config", in.rules, "--live", in.live, in.files} }},
	{"suggest", func(in inputs) []string { return []string{in.files, in.live} }},
	{"explain", func(in inputs) []string { return []string{"--config", in.rules, in.files} }},
	{"locate", func(in inputs) []string { return []string{"--live", in.live, in.files} }},
	{"audit", func(in inputs) []string { return []string{"--live", in.live} }},
	{"convert", func(in inputs) []string { return []string{"--to", "argocd", in.many} }},
}

// commandRows returns a row for each command.
func commandRows() []row {
	var all []row
	for _, c := range commands {
		all = append(all, row{group: "commands", task: c.name, works: func(b bench) ([]work, error) {
			w, err := b.command(c)
			return []work{w}, err
		}})
	}
	return all
}

// command runs a command on ever more objects, each time beside run.
func (b bench) command(c command) (work, error) {
	var contestants []contestant
	for _, n := range commandSizes {
		in, err := b.commandInputs(n)
		if err != nil {
			return work{}, err
		}
		own := b.own(in.files, n, nil)
		own.name, own.command = c.name, append([]string{b.tools.krmFields, c.name}, c.args(in)...)
		run := b.own(in.files, n, strippedStream(n))
		run.name, run.command = "run", []string{b.tools.krmFields, "run", "--quiet", "--config", in.rules, in.files}
		contestants = append(contestants, own, run)
	}
	return work{c.name + " on more and more Deployments", contestants, judgeCommand}, nil
}

// judgeCommand judges each size beside run and beside the size before.
func judgeCommand(runs []costs) [][]finding {
	findings := make([][]finding, len(runs))
	for i := 0; i < len(runs); i += 2 {
		beside := pairs(runs[i+1], runs[i])
		time := factor(beside, 1, func(r run) float64 { return r.wall.Seconds() })
		memory := factor(beside, 1, func(r run) float64 { return float64(r.rss) })
		findings[i] = []finding{
			below(time <= commandTime, "time of run %.1f x (limit %d x)", time, commandTime),
			below(memory <= commandMemory, "memory of run %.1f x (limit %d x)", memory, commandMemory),
		}
		if i > 0 {
			grown := factor(pairs(runs[i-2], runs[i]), 1, func(r run) float64 { return r.cpu.Seconds() })
			findings[i] = append(findings[i], below(grown <= commandGrowth, "CPU of half as many %.2f x (limit %g x)", grown, commandGrowth))
		}
	}
	return findings
}

func (b bench) commandInputs(n int) (in inputs, err error) {
	folder := fmt.Sprintf("commands-%d", n)
	stream := func(name string, kind corpus.Kind) string {
		path, failed := b.write(filepath.Join(folder, name), func(w io.Writer) error { return kind.WriteStream(w, n) })
		if failed != nil {
			err = failed
		}
		return path
	}
	in.files, in.live = stream("package.yaml", corpus.Deployments), stream("live.yaml", corpus.Live)
	if err != nil {
		return in, err
	}
	if in.rules, err = b.text(filepath.Join(folder, "rules.yaml"), stripReplicas); err != nil {
		return in, err
	}
	in.many, err = b.text(filepath.Join(folder, "many.yaml"), rulesOf(n))
	return in, err
}

// strippedStream is the check of n Deployments without replicas, as documents.
func strippedStream(n int) func(io.Reader) error {
	return countLines(map[string]int{"kind: Deployment": n, "  replicas: 3": 0})
}

// rulesOf returns a functionConfig with n rules, each for one Deployment.
func rulesOf(n int) string {
	var rules strings.Builder
	rules.WriteString("apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata:\n  name: many\nignoreFields:\n")
	for i := range n {
		fmt.Fprintf(&rules, "- jsonPointers: [/spec/replicas]\n  selectors:\n  - {kind: Deployment, name: app-%d}\n", i)
	}
	rules.WriteString("objectHash:\n  emit: false\n")
	return rules.String()
}

// selectorsOf returns a functionConfig with n selectors of one Deployment, and one of all.
func selectorsOf(n int) string {
	var config strings.Builder
	config.WriteString("apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata:\n  name: many\nselectors:\n- kind: Deployment\n")
	for i := range n {
		fmt.Fprintf(&config, "- {kind: Deployment, name: app-%d}\n", i)
	}
	config.WriteString("ignoreFields:\n- jsonPointers: [/spec/replicas]\nobjectHash:\n  emit: false\n")
	return config.String()
}

// many runs a functionConfig with many rules, and one with many selectors, beside one with one.
func (b bench) many() ([]work, error) {
	var works []work
	for _, c := range []struct {
		name    string
		objects int
		config  string
	}{
		{fmt.Sprintf("%d rules on %d Deployments", manyRules, manyRules), manyRules, rulesOf(manyRules)},
		{fmt.Sprintf("%d selectors on %d Deployments", manySelectors, objects), objects, selectorsOf(manySelectors)},
	} {
		list, err := b.list(strings.ReplaceAll(c.name, " ", "-")+".yaml", corpus.Deployments, c.objects, c.config)
		if err != nil {
			return nil, err
		}
		single, err := b.list(fmt.Sprintf("deployments-%d-one-rule.yaml", c.objects), corpus.Deployments, c.objects, stripReplicas)
		if err != nil {
			return nil, err
		}
		one := b.own(single, c.objects, strippedList(c.objects))
		one.name = "one rule"
		works = append(works, versus(c.name, b.own(list, c.objects, strippedList(c.objects)), peer{contestant: one}))
	}
	return works, nil
}

// jsonList removes managedFields of Pods in JSON, as `kubectl get -o json` prints them, beside jq.
func (b bench) jsonList() ([]work, error) {
	list, err := b.write("pods.json", func(w io.Writer) error { return corpus.Pods.WriteJSONList(w, jsonPods) })
	if err != nil {
		return nil, err
	}
	check := countOf(`manager: kubelet`, 0)
	own := b.own(list, jsonPods, check)
	own.command = append(own.command, "run", "--quiet", "--pointer", "/metadata/managedFields", "-")
	jq := contestant{
		name: "gojq", command: []string{b.tools.jq, "del(.items[].metadata.managedFields)"}, stdin: list, objects: jsonPods, check: check,
	}
	return []work{versus(fmt.Sprintf("managedFields off %d Pods in JSON", jsonPods), own, peer{contestant: jq})}, nil
}
