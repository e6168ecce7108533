// Command bench measures krm-fields side by side with what a user would pick instead, and prints a
// table.
//
// It builds the peers from pinned modules, writes the same inputs on every machine, and runs the
// programs of a row in turn. It doesn't run in a container and doesn't count what a host adds.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := benchmark(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func benchmark() error {
	krmFields := flag.String("krm-fields", "../bin/krm-fields", "`path` of the binary to measure")
	kustomize := flag.String("kustomize", "../bin/kustomize", "`path` of kustomize")
	repetitions := flag.Int("repetitions", 5, "how `often` each program runs")
	names := flag.String("rows", strings.Join(usualRows(), ","), "`names` of the rows to measure, or of groups or tasks of them; "+
		"million, which takes long, must be named")
	data := flag.String("data", "data", "`folder` for the inputs")
	bin := flag.String("bin", "bin", "`folder` for the peers")
	growing := flag.String("growth", "", "measure how commands grow with the dimensions whose `name` matches this regular expression, in place of rows")
	flag.Parse()
	if *repetitions < 1 {
		return errors.New("-repetitions must be 1 or more")
	}
	selected, err := selectRows(strings.Split(*names, ","))
	if err != nil {
		return err
	}
	own, err := filepath.Abs(*krmFields)
	if err != nil {
		return err
	}
	if *growing != "" {
		return growthOfAll(os.Stdout, bench{tools: tools{krmFields: own}, data: *data, repetitions: *repetitions}, *growing)
	}
	built, err := buildPeers(*bin, own, *kustomize)
	if err != nil {
		return err
	}
	b := bench{tools: built, data: *data, repetitions: *repetitions}
	return errors.Join(report(b, selected), os.RemoveAll(b.old()))
}

// report measures the rows and prints what they give, with the machine and the versions in front.
func report(b bench, selected []row) error {
	versions, err := b.tools.versions()
	if err != nil {
		return err
	}
	fmt.Printf("Medians of %d runs, on %s.\n\n", b.repetitions, machine())
	for _, version := range versions {
		fmt.Println("-", version)
	}
	fmt.Println()
	var lines []line
	for _, group := range groups(selected) {
		fmt.Fprintf(os.Stderr, "measuring %s\n", strings.Join(namesOf(group), ", "))
		measured, err := measureGroup(b, group)
		if err != nil {
			return fmt.Errorf("%s: %w", group[0].group, err)
		}
		lines = append(lines, measured...)
	}
	printTable(os.Stdout, lines)
	printTargets(os.Stdout, lines)
	return nil
}

// groups splits rows into those of each group.
func groups(selected []row) [][]row {
	var all [][]row
	for i, r := range selected {
		if i == 0 || selected[i-1].group != r.group {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], r)
	}
	return all
}

// measureGroup measures rows together.
func measureGroup(b bench, group []row) ([]line, error) {
	var works []work
	for _, r := range group {
		own, err := r.works(b)
		if err != nil {
			return nil, err
		}
		works = append(works, own...)
	}
	return measureAll(works, b.repetitions)
}

// usualRows are the names of the rows that are measured if none is named.
func usualRows() []string {
	return namesOf(slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.onRequest }))
}

func rowNames() []string { return namesOf(rows) }

func namesOf(rows []row) []string {
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.name()
	}
	return names
}

// selectRows returns the rows that have one of the names, in the order of the table.
func selectRows(names []string) ([]row, error) {
	for _, name := range names {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.isNamed(name) }) {
			return nil, fmt.Errorf("-rows must be some of %s, and has %q", strings.Join(rowNames(), ", "), name)
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !slices.ContainsFunc(names, r.isNamed) }), nil
}
