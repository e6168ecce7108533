// Package cluster runs the guides of docs/guides against a kube-apiserver: every command of a page,
// with its output. It is a separate module, since kube-apiserver, kubectl and the programs in
// tools, which apply by the code of Flux, Helm and kpt, are built with its dependencies; the tests
// have none.
//
// "make test-cluster" builds what is needed and runs it.
package cluster

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// programs must be on the PATH, and where each comes from.
var programs = []struct{ name, from string }{
	{"krm-fields", "make test-cluster builds it"},
	{"krm-fields-predict", "make test-cluster builds it"},
	{"apply-flux", "make test-cluster builds it"},
	{"apply-helm", "make test-cluster builds it"},
	{"apply-kpt", "make test-cluster builds it"},
	{"kube-apiserver", "make test-cluster builds it"},
	{"kubectl", "make test-cluster builds it"},
	{"helm", "make test-cluster builds it"},
	{"helm3", "make test-cluster builds it"},
	{"etcd", "apt-get install etcd-server"},
	{"bash", "apt-get install bash"},
}

// cluster is the cluster of the tests.
var cluster *server

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	flag.Parse() // a flag that is not known ends the process, which must have started no other by then
	for _, program := range programs {
		if _, err := exec.LookPath(program.name); err != nil {
			return 0, fmt.Errorf("%s must be on the PATH (%s): %w", program.name, program.from, err)
		}
	}
	folder, err := os.MkdirTemp("", "krm-fields-cluster")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	cluster, err = start(folder)
	if err != nil {
		return 0, err
	}
	defer cluster.stop()
	// kubectl caches the API there.
	os.Setenv("KUBECACHEDIR", filepath.Join(folder, "cache"))
	os.Setenv("KUBECONFIG", cluster.kubeconfig(admin))
	return m.Run(), nil
}
