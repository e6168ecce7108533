package cli

import (
	"errors"
	"io"
	"testing"

	"github.com/krm-fields/krm-fields/internal/krm/manifests"
)

// ExplanationFormats are the formats of explain.
var ExplanationFormats = explanationFormats

// SetChunks sets for the time of a test from which size on a run reads in chunks, and their size.
func SetChunks(t *testing.T, from, size int64) {
	beforeFrom, beforeSize := chunkedFrom, chunkSize
	chunkedFrom, chunkSize = from, size
	t.Cleanup(func() { chunkedFrom, chunkSize = beforeFrom, beforeSize })
}

// RunsInChunks tells whether a run of a functionConfig over a path goes in chunks to its end.
func RunsInChunks(t *testing.T, config, path string) bool {
	t.Helper()
	options := runOptions{configs: []string{config}, outcome: resultOptions{format: "text"}}
	steps, err := options.steps(Streams{})
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{path}
	found, err := options.paths.find(paths, manifests.Options{NeedObjects: true})
	if err != nil {
		t.Fatal(err)
	}
	streams := Streams{Out: io.Discard, Err: io.Discard}
	job := runJob{options: options, steps: steps, found: found, paths: paths, meter: &meter{}, streams: streams}
	err = job.inChunks(input{})
	return !errors.Is(err, errNotInChunks)
}
