package docs

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

const (
	architecture = "docs/architecture.md"
	module       = "github.com/krm-fields/krm-fields"
)

// A floor is a section of the page: its title and its packages.
type floor struct {
	title    string
	packages []string
}

// TestArchitecture compares the floors of the page with the packages: each is on one floor, and
// imports none of a floor above.
func TestArchitecture(t *testing.T) {
	level := map[string]int{}
	floors := floorsOf(t)
	for i, f := range floors {
		for _, name := range f.packages {
			if _, ok := level[name]; ok {
				t.Errorf("%s: %s must stand on one floor", architecture, name)
			}
			level[name] = i
		}
	}
	found := map[string]bool{}
	for _, p := range listPackages(t) {
		name := relative(p.ImportPath)
		found[name] = true
		if _, ok := level[name]; !ok {
			t.Errorf("%s: a floor must have the package %s; write a line for it on the lowest floor that its imports allow", architecture, name)
			continue
		}
		for _, imported := range p.Imports {
			below := relative(imported)
			if at, ok := level[below]; ok && at < level[name] {
				t.Errorf("%s imports %s, which stands on the floor %q above it", name, below, floors[at].title)
			}
		}
	}
	for name := range level {
		if !found[name] {
			t.Errorf("%s: there is no package %s", architecture, name)
		}
	}
}

// floorsOf parses the section "Floors" of the page.
func floorsOf(t *testing.T) []floor {
	t.Helper()
	pages := harness.Pages(t)
	i := slices.IndexFunc(pages, func(p harness.Page) bool { return p.Name == architecture })
	if i < 0 {
		t.Fatalf("there must be a page %s", architecture)
	}
	_, section, _ := strings.Cut(pages[i].Text(), "\n## Floors\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var floors []floor
	for line := range strings.Lines(section) {
		if title, ok := strings.CutPrefix(line, "### "); ok {
			floors = append(floors, floor{title: strings.TrimSpace(title)})
		}
		if row, ok := strings.CutPrefix(line, "| `"); ok && len(floors) > 0 {
			name, _, _ := strings.Cut(row, "`")
			last := &floors[len(floors)-1]
			last.packages = append(last.packages, name)
		}
	}
	if len(floors) < 5 {
		t.Fatalf("%s must have its floors, found %v", architecture, floors)
	}
	return floors
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

// listPackages lists the packages of the program and those that help its tests.
func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = harness.Root()
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []goPackage
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		var p goPackage
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(relative(p.ImportPath), "e2e") {
			packages = append(packages, p)
		}
	}
}

// relative is an import path as in the page: relative to the root of the module.
func relative(importPath string) string {
	if rest, ok := strings.CutPrefix(importPath, module); ok {
		return path.Clean("./" + rest)
	}
	return importPath
}
