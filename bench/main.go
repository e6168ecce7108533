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
	names := flag.String("rows", strings.Join(rowNames(), ","), "`names` of the rows to measure")
	data := flag.String("data", "data", "`folder` for the inputs")
	bin := flag.String("bin", "bin", "`folder` for the peers")
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
	built, err := buildPeers(*bin, own, *kustomize)
	if err != nil {
		return err
	}
	return report(bench{tools: built, data: *data, repetitions: *repetitions}, selected)
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
	for _, r := range selected {
		fmt.Fprintf(os.Stderr, "measuring %s\n", r.name)
		measured, err := r.measure(b)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		lines = append(lines, measured...)
	}
	printTable(os.Stdout, lines)
	return nil
}

func rowNames() []string {
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.name
	}
	return names
}

func selectRows(names []string) ([]row, error) {
	var selected []row
	for _, name := range names {
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == name })
		if i < 0 {
			return nil, fmt.Errorf("-rows must be some of %s, and has %q", strings.Join(rowNames(), ", "), name)
		}
		selected = append(selected, rows[i])
	}
	return selected, nil
}
