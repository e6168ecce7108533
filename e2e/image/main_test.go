// Package image looks into the container image, and runs it under docker, kpt and kustomize.
// Nothing is pulled.
package image

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

const (
	repository = "localhost/krm-fields"
	version    = "e2e"
	image      = repository + ":" + version
	shop       = "../testdata/shop"
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	code := harness.Main(m, "bin/kustomize", "image", "IMAGE="+repository, "VERSION="+version)
	if out, err := exec.Command("docker", append([]string{"rmi", "--force"}, tags(repository)...)...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "docker rmi: %v\n%s", err, out)
		return 1
	}
	return code
}

// tags are the names that "make image" gives.
func tags(repository string) []string {
	names := []string{repository + ":latest", repository + ":" + version}
	for _, architecture := range architectures {
		names = append(names, repository+":"+version+"-"+architecture)
	}
	return names
}

// architectures are those that "make image" builds.
var architectures = strings.Fields(cmp.Or(os.Getenv("ARCHITECTURES"), "amd64 arm64"))

func tag(architecture string) string {
	return image + "-" + architecture
}
