package object_test

import (
	"os"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

func deploymentItem(b *testing.B) []byte {
	b.Helper()
	manifest, err := os.ReadFile("../tree/testdata/manifests/deployment.yaml")
	if err != nil {
		b.Fatal(err)
	}
	return []byte("- " + strings.ReplaceAll(strings.TrimSpace(string(manifest)), "\n", "\n  ") + "\n")
}

var replicas = location.Location{location.Key("spec"), location.Key("replicas")}

// BenchmarkStrip parses an object, removes a field, and splices and proves the text.
func BenchmarkStrip(b *testing.B) {
	text := deploymentItem(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		o := object.Items(1, func(int) []byte { return text })[0]
		o.Remove([]location.Location{replicas})
		if err := o.Flush(); err != nil || !o.Changed() {
			b.Fatal("the field must be gone", err)
		}
	}
}

// BenchmarkEmit is BenchmarkStrip with the text written from the tree.
func BenchmarkEmit(b *testing.B) {
	text := deploymentItem(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		o := object.Items(1, func(int) []byte { return text })[0]
		o.Remove([]location.Location{replicas})
		if _, err := object.NewLike(nil, o.Root()).Text(); err != nil {
			b.Fatal(err)
		}
	}
}
