package report

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func parse(t testing.TB, text string) *tree.Node {
	t.Helper()
	n, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRefOf(t *testing.T) {
	tests := map[string]Ref{
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}}": {
			APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "web"},
		"{kind: Pod, metadata: {name: 1.50, namespace: ~}}":     {Kind: "Pod", Name: "1.50"},
		"{kind: [Pod], metadata: {name: {a: b}}}":               {},
		"{kind: Pod, metadata: &m {name: web, self: web}}":      {Kind: "Pod", Name: "web"},
		"{base: &b {name: web}, kind: Pod, metadata: {<<: *b}}": {Kind: "Pod", Name: "web"},
		"~": {},
		"3": {},
	}
	for text, want := range tests {
		if got := RefOf(parse(t, text)); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	if got := RefOf(nil); !got.IsZero() {
		t.Errorf("no object: %+v", got)
	}
}

func TestFileOf(t *testing.T) {
	tests := map[string]File{
		"internal.config.kubernetes.io/path: a.yaml\ninternal.config.kubernetes.io/index: '2'\n" +
			"config.kubernetes.io/path: b.yaml\nconfig.kubernetes.io/index: '3'": {Path: "a.yaml", Index: 2, HasIndex: true},
		"config.kubernetes.io/path: b.yaml\nconfig.kubernetes.io/index: '0'":  {Path: "b.yaml", HasIndex: true},
		"config.kubernetes.io/path: b.yaml\nconfig.kubernetes.io/index: 1":    {Path: "b.yaml", Index: 1, HasIndex: true},
		"config.kubernetes.io/path: b.yaml\nconfig.kubernetes.io/index: one":  {Path: "b.yaml"},
		"config.kubernetes.io/path: b.yaml\nconfig.kubernetes.io/index: '-1'": {Path: "b.yaml"},
		"config.kubernetes.io/path: [b.yaml]":                                 {},
		"{}":                                                                  {},
	}
	for annotations, want := range tests {
		n := parse(t, "kind: Pod\nmetadata: {}")
		n.Content[3].Content = append(n.Content[3].Content, parse(t, "annotations"), parse(t, annotations))
		if got := FileOf(n); got != want {
			t.Errorf("%s: %+v, want %+v", annotations, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	refs := map[string]Ref{
		"Deployment default/web": {Kind: "Deployment", Namespace: "default", Name: "web"},
		"Namespace default":      {Kind: "Namespace", Name: "default"},
		"Pod":                    {Kind: "Pod"},
		"":                       {},
	}
	for want, ref := range refs {
		if got := ref.String(); got != want {
			t.Errorf("%+v is named %q, want %q", ref, got, want)
		}
	}
	files := map[string]File{
		"a.yaml": {Path: "a.yaml", HasIndex: true}, "b.yaml[2]": {Path: "b.yaml", Index: 2, HasIndex: true},
		"c.yaml": {Path: "c.yaml", Index: 2},
	}
	for want, file := range files {
		if got := file.String(); got != want {
			t.Errorf("%+v is named %q, want %q", file, got, want)
		}
	}
}
