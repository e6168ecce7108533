package engine

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// BenchmarkRun runs the first rule over a hundred Deployments, as each key does in the page.
func BenchmarkRun(b *testing.B) {
	var request [2]string
	for i, name := range []string{"deployment.yaml", "rules.yaml"} {
		text, err := os.ReadFile("../../examples/first-rule/" + name)
		if err != nil {
			b.Fatal(err)
		}
		request[i] = string(text)
	}
	manifests := strings.TrimSuffix(strings.Repeat(request[0]+"---\n", 100), "---\n")
	text, err := json.Marshal(map[string]string{"op": "run", "manifests": manifests, "config": request[1]})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(manifests)))
	for b.Loop() {
		Answer(text)
	}
}
