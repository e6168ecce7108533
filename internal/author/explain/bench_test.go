package explain_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// objects are how many the benchmarks explain.
const objects = 5000

const config = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
ignoreFields:
- jsonPointers: [/spec/replicas, /spec/template/spec/containers/*/image]
`

func stream() []byte {
	var text bytes.Buffer
	for i := range objects {
		fmt.Fprintf(&text, "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-%d\nspec:\n  replicas: 3\n"+
			"  template:\n    spec:\n      containers:\n", i)
		for c := range 4 {
			fmt.Fprintf(&text, "      - name: c%d\n        image: app:%d\n        env:\n        - {name: A, value: b}\n"+
				"        ports:\n        - containerPort: %d\n", c, i, 8000+c)
		}
	}
	return text.Bytes()
}

// BenchmarkRun is what `krm-fields run` does, to compare BenchmarkExplain with.
func BenchmarkRun(b *testing.B) {
	text := stream()
	functionConfig, _ := tree.Parse([]byte(config))
	for b.Loop() {
		files, err := manifests.Read([]string{manifests.Stdin}, bytes.NewReader(text))
		if err != nil {
			b.Fatal(err)
		}
		out, _ := fn.Items(functionConfig, manifests.Objects(files))
		if err := manifests.WriteStream(io.Discard, out); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExplain(b *testing.B) {
	text := stream()
	functionConfig, _ := tree.Parse([]byte(config))
	for b.Loop() {
		files, err := manifests.Read([]string{manifests.Stdin}, bytes.NewReader(text))
		if err != nil {
			b.Fatal(err)
		}
		run := explain.Run{FunctionConfig: functionConfig, Items: manifests.Objects(files)}
		run.Out, run.Results, run.Trace = fn.Traced(functionConfig, run.Items)
		explanation, err := explain.Of(run)
		if err != nil {
			b.Fatal(err)
		}
		if err := explanation.WriteText(io.Discard, false); err != nil {
			b.Fatal(err)
		}
	}
}
