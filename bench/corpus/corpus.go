// Package corpus writes the inputs of the benchmarks: the same bytes for the same arguments, on any
// machine.
package corpus

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// A Kind names a mixture of objects.
type Kind []string

var (
	// Deployments are Deployments of two containers, some 2 KB each.
	Deployments = Kind{deployment}
	// Mixed are Deployments with comments, ConfigMaps with block scalars, custom resources and
	// Secrets.
	Mixed = Kind{commentedDeployment, configMap, customResource, secret}
)

const teams = 10

// WriteList writes a ResourceList of n objects as kpt sends it: with the annotations of the host,
// the functionConfig last. The functionConfig is YAML text; an empty one is left out. Every tenth
// object is in the namespace team-0.
func (k Kind) WriteList(w io.Writer, n int, functionConfig string) error {
	out := bufio.NewWriter(w)
	out.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n")
	if n == 0 {
		out.WriteString("items: []\n")
	} else {
		out.WriteString("items:\n")
	}
	for i := range n {
		out.WriteString(indent("- ", withHostAnnotations(k.manifest(i), i)))
	}
	if functionConfig != "" {
		out.WriteString("functionConfig:\n")
		out.WriteString(indent("  ", functionConfig))
	}
	return out.Flush()
}

// WriteStream writes n objects as YAML documents, each after a line "---".
func (k Kind) WriteStream(w io.Writer, n int) error {
	out := bufio.NewWriter(w)
	for i := range n {
		out.WriteString("---\n")
		out.WriteString(k.manifest(i))
	}
	return out.Flush()
}

// manifest returns object i. The team changes with each object and the kind with every ten, so that
// a team has all kinds.
func (k Kind) manifest(i int) string {
	return strings.NewReplacer(
		"{i}", strconv.Itoa(i),
		"{team}", strconv.Itoa(i%teams),
	).Replace(k[i/teams%len(k)])
}

func withHostAnnotations(manifest string, i int) string {
	index := strconv.Itoa(i)
	return strings.Replace(manifest, "  annotations:\n", `  annotations:
    config.kubernetes.io/index: '0'
    config.kubernetes.io/path: 'objects/`+index+`.yaml'
    internal.config.kubernetes.io/index: '0'
    internal.config.kubernetes.io/path: 'objects/`+index+`.yaml'
    internal.config.kubernetes.io/seqindent: 'compact'
    config.k8s.io/id: '`+index+`'
`, 1)
}

// indent puts first before the first line and two spaces before the others; empty lines stay empty.
func indent(first, text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines[1:] {
		if line != "" {
			lines[i+1] = "  " + line
		}
	}
	return first + strings.Join(lines, "\n") + "\n"
}
