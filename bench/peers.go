package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// yqModule is the newest release of yq that builds with the Go of this module.
const yqModule = "github.com/mikefarah/yq/v4@v4.53.2"

// tools are the paths of the programs that run against each other.
type tools struct {
	krmFields string
	kustomize string
	yq        string
	jq        string
	noop      string
	trivial   string
	// allocations prints what a run allocates.
	allocations string
}

// buildPeers builds the programs that aren't given into the folder bin, from the pinned sources,
// and returns all of them.
func buildPeers(bin, krmFields, kustomize string) (tools, error) {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return tools{}, err
	}
	built := tools{
		krmFields: krmFields,
		kustomize: kustomize,
		yq:        filepath.Join(bin, "yq"),
		jq:        filepath.Join(bin, "jq"),
		noop:      filepath.Join(bin, "noop"),
		trivial:   filepath.Join(bin, "trivial"),

		allocations: filepath.Join(bin, "allocations"),
	}
	if _, err := os.Stat(built.yq); err != nil {
		if err := goTool(bin, "install", yqModule); err != nil {
			return tools{}, err
		}
	}
	for _, program := range []string{built.noop, built.trivial, built.jq} {
		source := "./cmd/" + filepath.Base(program)
		if err := goTool(bin, "build", "-trimpath", "-ldflags", "-s -w", "-o", program, source); err != nil {
			return tools{}, err
		}
	}
	return built, goTool(bin, "build", "-C", "..", "-trimpath", "-o", built.allocations, "./e2e/allocations")
}

func goTool(bin string, args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOBIN="+bin)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// versions returns one line for each program.
func (t tools) versions() ([]string, error) {
	var lines []string
	for _, program := range []struct {
		name    string
		command []string
	}{
		{"krm-fields", []string{t.krmFields, "--version"}},
		{"kustomize", []string{t.kustomize, "version"}},
		{"yq", []string{t.yq, "--version"}},
		{"gojq", []string{"go", "list", "-m", "-f", "{{.Path}} {{.Version}}", "github.com/itchyny/gojq"}},
		{"SDK of the no-op", []string{"go", "list", "-m", "-f", "{{.Path}} {{.Version}}",
			"github.com/kptdev/krm-functions-sdk/go/fn"}},
	} {
		out, err := exec.Command(program.command[0], program.command[1:]...).Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", program.name, err)
		}
		lines = append(lines, program.name+": "+strings.TrimSpace(string(out)))
	}
	return lines, nil
}
