package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/krm-fields/krm-fields/bench/corpus"
)

const (
	// image is what `make image` tags.
	image        = "ghcr.io/krm-fields/krm-fields:latest"
	imageObjects = 1000
	// kpt reads and writes each file by itself, which takes far longer than the function.
	renderObjects = 1000
	dashboards    = 100
)

const kptfile = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: package
pipeline:
  mutators:
  - exec: %s
    configPath: %s
`

// refreshWithin removes a field of the JSON in each ConfigMap.
const refreshWithin = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: refresh
ignoreFields:
- within: {jqPathExpressions: ['.data[] | select(startswith("{"))']}
  jsonPointers: [/schemaVersion]
objectHash:
  emit: false
`

// within removes a field inside strings, where the no-op copies them.
func (b bench) within() ([]work, error) {
	list, err := b.list("within.yaml", corpus.Dashboards, dashboards, refreshWithin)
	if err != nil {
		return nil, err
	}
	return []work{versus("a field off the JSON in ConfigMaps",
		b.own(list, dashboards, countLines(map[string]int{"  kind: ConfigMap": dashboards})),
		peer{contestant: b.noop(list, dashboards, nil)},
	)}, nil
}

// render renders a Kptfile whose only function is krm-fields, or the no-op, by kpt on the PATH.
func (b bench) render() ([]work, error) {
	contestants := make([]contestant, 2)
	for i, program := range []string{b.tools.krmFields, b.tools.noop} {
		dir, err := filepath.Abs(filepath.Join(b.data, "render-"+filepath.Base(program)))
		if err != nil {
			return nil, err
		}
		exec, err := filepath.Abs(program)
		if err != nil {
			return nil, err
		}
		prepare := func() error {
			if err := b.writeFiles(dir, corpus.Deployments, renderObjects); err != nil {
				return err
			}
			const config = "ignore-fields.yaml"
			if err := os.WriteFile(filepath.Join(dir, "Kptfile"), fmt.Appendf(nil, kptfile, exec, config), 0o644); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, config), []byte(stripReplicas), 0o644)
		}
		contestants[i] = contestant{
			name: "kpt fn render with " + filepath.Base(program), command: []string{"kpt", "fn", "render", dir, "--allow-exec"},
			stdin: os.DevNull, objects: renderObjects, prepare: prepare,
		}
	}
	contestants[0].check = func(io.Reader) error { // beside the objects, the Kptfile and the functionConfig
		return checkFiles(contestants[0].command[3], "replicas: 3", renderObjects+2)
	}
	return []work{versus("a Kptfile of Deployments, rendered whole", contestants[0], peer{contestant: contestants[1]})}, nil
}

// image compares the container with the binary: what docker adds.
func (b bench) image() ([]work, error) {
	list, err := b.list("image.yaml", corpus.Deployments, imageObjects, stripReplicas)
	if err != nil {
		return nil, err
	}
	container := b.own(list, imageObjects, strippedList(imageObjects))
	container.name, container.command = "docker run", []string{"docker", "run", "--rm", "-i", "--network", "none", image}
	return []work{versus("the image on Deployments", container,
		peer{contestant: b.own(list, imageObjects, strippedList(imageObjects))})}, nil
}
