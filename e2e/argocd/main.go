// argocd-cmp-server is the server of Argo CD that runs in the sidecar of a config management
// plugin, as in Argo CD's own image. It is here for the test beside it: "go install" can't build it
// at a version, since Argo CD's module replaces others.
package main

import (
	"os"

	"github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
)

func main() {
	if err := commands.NewCommand().Execute(); err != nil {
		os.Exit(1)
	}
}
