// Command krm-fields is a KRM function that strips, annotates, patches and creates fields and
// objects of Kubernetes manifests.
package main

import (
	"os"

	"github.com/krm-fields/krm-fields/cli"
)

// The linker sets these; where it does not, Go's build info tells.
var version, commit string

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.NewBuild(version, commit), cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Exit: os.Exit}))
}
