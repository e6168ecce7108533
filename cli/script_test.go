package cli_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/krm-fields/krm-fields/cli"
	"github.com/krm-fields/krm-fields/e2e/golden"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"krm-fields": func() {
			build := cli.NewBuild("v0.0.0-test", "8843d7f92416211de9ebb963ff4ce28125932878")
			os.Exit(cli.Main(os.Args[1:], build, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Exit: os.Exit}))
		},
		"terminal": terminal,
	})
}

// TestScripts runs the command line as testdata/script tells.
func TestScripts(t *testing.T) {
	isRoot := func(string) (bool, error) { return os.Geteuid() == 0, nil } // the only condition of the scripts
	testscript.Run(t, testscript.Params{Dir: "../testdata/script", UpdateScripts: golden.Update(), Condition: isRoot})
}
