// Command schematable makes table.bin, in the folder where it is run, from the OpenAPI of the
// k8s.io/kubernetes module that the cluster tests require, and from the files in the folder facts
// beside it. "go generate ./internal/ssa/schema" runs it; -o FILE writes another file.
//
// With arguments it prints what a file in the folder facts needs of a CustomResourceDefinition:
//
//	go run ../../../e2e/schematable CRD.yaml VERSION
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// clusterTests is the module whose go.mod names the version of Kubernetes, relative to the folder
// of the table.
const clusterTests = "../../../e2e/cluster"

func main() {
	out := flag.String("o", "table.bin", "the file that is written")
	flag.Parse()
	if err := run(flag.Args(), *out); err != nil {
		fmt.Fprintln(os.Stderr, "schematable:", err)
		os.Exit(1)
	}
}

func run(args []string, out string) error {
	if len(args) == 2 {
		return printFacts(args[0], args[1])
	}
	if len(args) != 0 {
		return fmt.Errorf("must be called without arguments, or with a file and a version of its kind, not %q", args)
	}
	table, err := kubernetes()
	if err != nil {
		return err
	}
	if err := addGoTypes(table); err != nil {
		return err
	}
	custom, err := readFacts("facts", table)
	if err != nil {
		return err
	}
	table.Kinds = append(table.Kinds, custom...)
	text, err := write(table)
	if err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o644)
}

// kubernetes returns a table of the kinds of Kubernetes.
func kubernetes() (*schema.Table, error) {
	version, folder, err := module("k8s.io/kubernetes")
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(folder, "api/openapi-spec/v3/*.json"))
	if err != nil {
		return nil, err
	}
	converter := schema.Converter{Definitions: map[string]any{}}
	for _, file := range files {
		if err := addDefinitions(converter.Definitions, file); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	table := &schema.Table{Kubernetes: version, Metadata: converter.Named(schema.ObjectMeta)}
	for name, definition := range converter.Definitions {
		for _, kind := range kindsOf(definition) {
			table.Kinds = append(table.Kinds, schema.TableKind{GVK: kind, Type: converter.Named(name)})
		}
	}
	slices.SortFunc(table.Kinds, func(a, b schema.TableKind) int {
		return slices.Compare([]string{a.Group, a.Kind, a.Version}, []string{b.Group, b.Kind, b.Version})
	})
	return table, nil
}

// module returns the version and the folder of a module that the cluster tests require.
func module(path string) (version, folder string, err error) {
	command := exec.Command("go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", path)
	command.Dir, command.Stderr = clusterTests, os.Stderr
	out, err := command.Output()
	if err != nil {
		return "", "", err
	}
	version, folder, _ = strings.Cut(strings.TrimSpace(string(out)), " ")
	if folder == "" {
		return "", "", fmt.Errorf("the module %s must be in the module cache: go -C %s mod download %s", path, clusterTests, path)
	}
	return version, folder, nil
}

func addDefinitions(all map[string]any, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var document struct {
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return err
	}
	for name, definition := range document.Components.Schemas {
		all[name] = definition
	}
	return nil
}

// kindsOf returns the kinds of objects with this schema, without lists and kinds that have no
// metadata of an object.
func kindsOf(definition any) []schema.GVK {
	var d struct {
		Kinds      []schema.GVK `json:"x-kubernetes-group-version-kind"`
		Properties map[string]struct {
			AllOf []struct {
				Ref string `json:"$ref"`
			}
		}
	}
	text, err := json.Marshal(definition)
	if err != nil || json.Unmarshal(text, &d) != nil {
		return nil
	}
	metadata := d.Properties["metadata"]
	if len(metadata.AllOf) != 1 || !strings.HasSuffix(metadata.AllOf[0].Ref, "/"+schema.ObjectMeta) {
		return nil
	}
	return d.Kinds
}
