package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	// growthStep is how many times as much of a dimension the larger input has, and growthCPU and
	// growthMemory how many times as much it may cost.
	growthStep   = 4
	growthCPU    = 5.0
	growthMemory = 4.5
)

// A dimension is something of which an input may have many.
type dimension struct {
	name string
	// few is how many the smaller input has.
	few int
	// files returns the texts of an input by their names.
	files func(n int) map[string]string
}

// growthCommands are measured in each dimension whose input has the files that they name.
var growthCommands = []struct{ name, args string }{
	{"function", "<list.yaml"},
	{"run", "run --quiet --config rules.yaml package.yaml"},
	{"run -i", "run --quiet --config rules.yaml --dry-run -i folder"},
	{"run --diff", "run --diff --config rules.yaml package.yaml"},
	{"run --live", "run --quiet --config take.yaml --live live.yaml package.yaml"},
	{"explain", "explain --config rules.yaml package.yaml"},
	{"plan", "plan --config rules.yaml --crds crds.yaml --live live.yaml package.yaml"},
	{"diff", "diff --config rules.yaml --crds crds.yaml --live live.yaml package.yaml"},
	{"apply", "apply --config rules.yaml --crds crds.yaml --live live.yaml package.yaml"},
	{"suggest", "suggest --crds crds.yaml package.yaml"},
	{"suggest --live", "suggest --crds crds.yaml --live live.yaml package.yaml"},
	{"suggest --check", "suggest --check --crds crds.yaml --live live.yaml package.yaml"},
	{"suggest --error", "suggest --error error.txt package.yaml"},
	{"locate", "locate package.yaml --field metadata.name"},
	{"locate --live", "locate --live live.yaml --crds crds.yaml package.yaml"},
	{"audit", "audit --crds crds.yaml --live live.yaml"},
	{"convert", "convert --to argocd rules.yaml"},
	{"convert to OCM", "convert --to ocm rules.yaml"},
	{"convert back", "convert --to ignorefields argocd.yaml"},
	{"from kubectl", "plan --from-cluster --config rules.yaml --crds crds.yaml kubectl.yaml"},
}

// growthOfAll measures each command in each dimension with a name that matches, prints the table,
// and returns whether a limit is missed.
func growthOfAll(w io.Writer, b bench, names string) error {
	matching, err := regexp.Compile("^(" + names + ")$")
	if err != nil {
		return err
	}
	fmt.Fprint(w, "| many |")
	for _, c := range growthCommands {
		fmt.Fprintf(w, " %s |", c.name)
	}
	fmt.Fprintf(w, "\n| --- |%s\n", strings.Repeat(" ---: |", len(growthCommands)))
	chosen := slices.DeleteFunc(slices.Clone(dimensions), func(d dimension) bool { return !matching.MatchString(d.name) })
	if len(chosen) == 0 {
		return fmt.Errorf("-growth must match the name of a dimension, found %q", names)
	}
	var missed []string
	for _, d := range chosen {
		cells, over, err := b.growth(d)
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		fmt.Fprintf(w, "| %d %s | %s |\n", d.few, d.name, strings.Join(cells, " | "))
		missed = append(missed, over...)
	}
	fmt.Fprintf(w, "\nMissed: %d.\n", len(missed))
	for _, m := range missed {
		fmt.Fprintf(w, "\n- %s", m)
	}
	fmt.Fprintln(w)
	return nil
}

// growth returns a cell for each command, and what is over a limit.
func (b bench) growth(d dimension) (cells, over []string, err error) {
	var folders [2]string
	for i, n := range []int{d.few, growthStep * d.few} {
		if folders[i], err = b.growthInput(d, n); err != nil {
			return nil, nil, err
		}
	}
	for _, command := range growthCommands {
		var contestants []contestant
		for _, folder := range folders {
			if c, ok := b.growthContestant(folder, command.args); ok {
				contestants = append(contestants, c)
			}
		}
		if len(contestants) == 0 {
			cells = append(cells, "")
			continue
		}
		if err := contestants[0].verify(); err != nil {
			fmt.Fprintf(os.Stderr, "%s, %s has no use for it: %v\n", d.name, command.name, err)
			cells = append(cells, "")
			continue
		}
		runs, err := measure(contestants, b.repetitions)
		if err != nil {
			cells, over = append(cells, "**failed**"), append(over, fmt.Sprintf("%s, %d %s: %v", command.name, d.few, d.name, err))
			fmt.Fprintf(os.Stderr, "%s, %s: %v\n", d.name, command.name, err)
			continue
		}
		few, many := runs[0].median(), runs[1].median()
		cpu, memory := many.cpu.Seconds()/few.cpu.Seconds(), float64(many.rss)/float64(few.rss)
		cell := fmt.Sprintf("%.1f, %.1f", cpu, memory)
		if cpu > growthCPU || memory > growthMemory {
			cell = "**" + cell + "**"
			over = append(over, fmt.Sprintf("%s, %d %s: %s and %s, %d: %s and %s", command.name, d.few, d.name, milliseconds(few.cpu), mebibytes(few.rss),
				growthStep*d.few, milliseconds(many.cpu), mebibytes(many.rss)))
		}
		fmt.Fprintf(os.Stderr, "%s, %s: %s (%s, %s)\n", d.name, command.name, cell, milliseconds(few.cpu), milliseconds(many.cpu))
		cells = append(cells, cell)
	}
	return cells, over, nil
}

// growthContestant is a command in a folder with its input; false if a file that it names is not
// there.
func (b bench) growthContestant(folder, args string) (contestant, bool) {
	c := b.own(os.DevNull, 0, nil)
	c.dir, c.mayFind = folder, true
	for _, arg := range strings.Fields(args) {
		name := strings.TrimPrefix(arg, "<")
		if slices.Contains([]string{".yaml", ".txt"}, filepath.Ext(name)) || name == "folder" {
			if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
				return c, false
			}
		}
		if name != arg {
			c.stdin = filepath.Join(folder, name)
			continue
		}
		c.command = append(c.command, arg)
	}
	return c, true
}

// growthInput writes the files of an input, with those that others follow from, into a folder.
func (b bench) growthInput(d dimension, n int) (string, error) {
	folder, err := filepath.Abs(filepath.Join(b.data, "growth", fmt.Sprintf("%s-%d", strings.ReplaceAll(d.name, " ", "-"), n)))
	if err != nil {
		return "", err
	}
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	files := d.files(n)
	if files["package.yaml"] != "" {
		setDefault(files, "crds.yaml", widgets(""))
		setDefault(files, "rules.yaml", ignoreFields("jsonPointers: [/spec/replicas, /data/k1]"))
		setDefault(files, "list.yaml", listOf(files["package.yaml"], files["rules.yaml"]))
		setDefault(files, "take.yaml", files["rules.yaml"]+"action: TakeLive\n")
	}
	setDefault(files, "kubectl", "#!/bin/sh\nfor a; do [ \"$a\" = get ] && exec cat kubectl.json; done\ncat >/dev/null\n")
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			return "", err
		}
	}
	return folder, nil
}

func setDefault(files map[string]string, name, text string) {
	if _, ok := files[name]; !ok {
		files[name] = text
	}
}

// listOf returns a ResourceList with the documents of a package.
func listOf(documents, config string) string {
	var list strings.Builder
	list.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n" + indent(config, "  ") + "items:\n")
	for document := range strings.SplitSeq(strings.TrimPrefix(documents, "---\n"), "\n---\n") {
		list.WriteString("- " + strings.TrimPrefix(indent(strings.TrimSuffix(document, "\n")+"\n", "  "), "  "))
	}
	return list.String()
}

func indent(text, by string) string {
	lines := slices.Collect(strings.Lines(text))
	return by + strings.Join(lines, by)
}
