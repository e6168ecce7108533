package tree

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

func BenchmarkParse(b *testing.B) {
	for name, text := range manifests(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse([]byte(text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseYAMLv3(b *testing.B) {
	for name, text := range manifests(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				var document yaml.Node
				if err := yaml.Unmarshal([]byte(text), &document); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSame(b *testing.B) {
	for name, text := range manifests(b) {
		b.Run(name, func(b *testing.B) {
			x, y := mustParse(b, text), mustParse(b, text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if !Same(x, y) {
					b.Fatal("the same text must be the same document")
				}
			}
		})
	}
}
