package jq

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestWideList filters a list of 20,000 elements under the default limit of memory.
func TestWideList(t *testing.T) {
	const size = 20_000
	list := make([]any, size)
	for i := range list {
		list[i] = map[string]any{
			"name": fmt.Sprintf("container-%d", i), "image": "registry.example.com/app:1",
			"ports":     []any{map[string]any{"containerPort": 8000 + i%10, "protocol": "TCP"}},
			"resources": map[string]any{"limits": map[string]any{"cpu": "1", "memory": "1Gi"}},
			"index":     i,
		}
	}
	value := map[string]any{"spec": map[string]any{"containers": list}}
	limits := Limits{Timeout: time.Minute}
	for _, test := range []struct {
		expression string
		want       int
	}{
		{`.spec.containers[].image`, size},
		{`.spec.containers[] | select(.name != "container-7")`, size - 1},
		{`.spec.containers[] | select(.name | endswith("9"))`, size / 10},
		{`.spec.containers[] | select(.ports[].containerPort == 8003) | .resources.limits.cpu`, size / 10},
		{`.spec.containers[] | select(.name | test("^container-[0-9]*5$"))`, size / 10},
		{`.spec.containers[] | select(.index * 2 >= 20000)`, size / 2},
		{`.spec.containers | map(select(.index % 2 == 0))`, size / 2},
		{`.spec.containers | sort_by(.name)`, size},
		{`.spec | .. | .protocol?`, size},
		{`.spec.containers[-1000:]`, 1000},
	} {
		path, err := CompilePath(test.expression, limits)
		if err != nil {
			t.Fatal(err)
		}
		paths, err := path.Paths(value, nil)
		if err != nil || len(paths) != test.want {
			t.Errorf("%s: got %d paths, %v, want %d", test.expression, len(paths), err, test.want)
		}
	}
	for expression, want := range map[string]any{
		`.spec.containers | map(select(.index < 10)) | length`:       10,
		`[.spec.containers[].index] | add`:                           size * (size - 1) / 2,
		`.spec.containers |= map(.name) | .spec.containers | last`:   fmt.Sprintf("container-%d", size-1),
		`[.spec.containers[] | select(.index < 3) | .name] | tojson`: `["container-0","container-1","container-2"]`,
	} {
		program, err := Compile(expression, limits)
		if err != nil {
			t.Fatal(err)
		}
		results, err := program.Run(value, nil)
		if err != nil || len(results) != 1 || results[0] != want {
			t.Errorf("%s: got %v, %v, want %v", expression, results, err, want)
		}
	}
}

// TestManyPipes compiles an expression of four times as many pipes in some four times the memory.
func TestManyPipes(t *testing.T) {
	few, many := compiledSize(t, 2_000), compiledSize(t, 8_000)
	if many > 6*few {
		t.Errorf("8,000 pipes took %d bytes, and 2,000 pipes %d", many, few)
	}
}

// compiledSize is how many bytes are allocated for an expression of so many pipes.
func compiledSize(t *testing.T, pipes int) uint64 {
	t.Helper()
	expression := strings.Repeat(".|", pipes) + "."
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := CompilePath(expression, Limits{}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
