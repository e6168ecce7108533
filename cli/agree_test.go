package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/cli"
	"github.com/krm-fields/krm-fields/e2e/golden"
)

// assuming are cases of testdata/plan whose objects are sent although the plan has them as
// unchanged, with what it assumes.
var assuming = map[string]string{
	"crd-unknown": "the schema", "custom-version": "the conversion between versions",
	"no-managed-fields": "the owners", "no-managed-fields-client-side": "the owners", "take-live-in-string-unowned": "the owners",
}

// TestPlanApplyAndDiffAgree takes the cases of testdata/plan as histories: what the plan has as
// unchanged is just what apply does not send, and once the package is applied, as the plan has it,
// the plan has nothing to change, apply sends nothing, and diff is silent.
func TestPlanApplyAndDiffAgree(t *testing.T) {
	golden.Run(t, "../testdata/plan/*.txtar", func(t *testing.T, c *golden.Case) {
		_, more, _ := strings.Cut(c.Comment(), "\n\n")
		if strings.Contains(more, "--as") || strings.Contains(more, "--prune") || c.File("openapi.json") != nil {
			t.Skip("of another tool")
		}
		if c.Name == "two-of-one" {
			t.Skip("has a live object twice")
		}
		h := newHistory(t, c, strings.Fields(more))
		planned := h.plan()
		if planned.code == 2 {
			t.Skip("there is no plan")
		}
		sent, isApplied := h.apply()
		if !isApplied {
			if planned.code == 0 {
				t.Error("the plan must foresee that apply fails")
			}
			return
		}
		hasAssumed := false
		for name, outcome := range planned.outcomes {
			isSent := slices.Contains(sent, name)
			switch {
			case outcome != "unchanged" && !isSent:
				t.Errorf("%s: the plan has %s, and apply does not send it", name, outcome)
			case outcome == "unchanged" && isSent && assuming[c.Name] == "":
				t.Errorf("%s: the plan has it as unchanged, and apply sends it", name)
			}
			hasAssumed = hasAssumed || outcome == "unchanged" && isSent
		}
		if planned.code == 0 && !bytes.Contains(planned.merged, []byte("***")) { // else nothing is stored, or it is not known
			h.write("live.yaml", planned.merged)
			for name, outcome := range h.plan().outcomes {
				if outcome != "unchanged" {
					t.Errorf("%s: after the apply, the plan has %s", name, outcome)
				}
			}
			sent, _ := h.apply()
			if len(sent) > 0 && assuming[c.Name] == "" {
				t.Errorf("after the apply, apply sends %q", sent)
			}
			hasAssumed = hasAssumed || len(sent) > 0
			if out, errOut, code := h.run("diff"); code != 0 {
				t.Errorf("after the apply, diff must be silent, found exit code %d\n%s%s", code, out, errOut)
			}
		}
		if what := assuming[c.Name]; what != "" && !hasAssumed {
			t.Errorf("the plan must assume %s, and apply send what is unchanged all the same", what)
		}
	})
}

// history is a package, and a kubectl that reads live.yaml and keeps what it gets.
type history struct {
	t      *testing.T
	folder string
	flags  []string
}

func newHistory(t *testing.T, c *golden.Case, more []string) *history {
	h := &history{t: t, folder: t.TempDir(), flags: more}
	t.Chdir(h.folder)
	for _, input := range c.Files() {
		h.write(input.Name, input.Data)
		if flag := map[string]string{"rules.yaml": "--config", "crds.yaml": "--crds"}[input.Name]; flag != "" {
			h.flags = append(h.flags, flag, input.Name)
		}
	}
	h.write("kubectl", []byte("#!/bin/sh\ncase \"$1\" in\nget) cat >/dev/null; cat live.yaml;;\napply) cat > sent.$$;;\nesac\n"))
	t.Setenv("PATH", h.folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	return h
}

func (h *history) write(name string, data []byte) {
	if err := os.WriteFile(name, data, 0o755); err != nil {
		h.t.Fatal(err)
	}
}

func (h *history) run(command string, args ...string) (stdout, stderr string, code int) {
	return h.runOn(command, []string{"package.yaml"}, args...)
}

func (h *history) runOn(command string, paths []string, args ...string) (stdout, stderr string, code int) {
	var out, errOut bytes.Buffer
	args = slices.Concat([]string{command}, h.flags, args, paths)
	if command == "diff" {
		args = slices.DeleteFunc(args, func(arg string) bool { return arg == "--force-conflicts" })
	}
	code = cli.Main(args, cli.Build{Version: "v0.0.0-test"}, cli.Streams{In: os.Stdin, Out: &out, Err: &errOut})
	return out.String(), errOut.String(), code
}

// planOfHistory is a plan: the outcome of each object, and all of them as they would be stored.
type planOfHistory struct {
	code     int
	outcomes map[string]string
	merged   []byte
}

func (h *history) plan() planOfHistory {
	out, errOut, code := h.run("plan", "--as", "krm-fields", "--from-cluster", "-o", "json")
	made := planOfHistory{code: code, outcomes: map[string]string{}}
	var list struct {
		Objects []struct {
			Kind, Namespace, Name, Outcome string
			Merged                         map[string]any
		}
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil && code != 2 {
		h.t.Fatalf("%v\n%s%s", err, out, errOut)
	}
	for _, o := range list.Objects {
		made.outcomes[fmt.Sprint(o.Kind, " ", o.Namespace, "/", o.Name)] = o.Outcome
		text, err := json.Marshal(o.Merged)
		if err != nil {
			h.t.Fatal(err)
		}
		made.merged = append(append(made.merged, "---\n"...), append(text, '\n')...)
	}
	return made
}

// apply applies the package, and returns the objects that were sent; false if the run has failed,
// so that nothing is.
func (h *history) apply() (sent []string, isApplied bool) {
	out, errOut, code := h.run("apply", "-o", "json")
	if code == 1 && out == "" {
		return nil, false
	}
	var list struct {
		Objects []struct{ Kind, Namespace, Name, Outcome string }
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 {
		h.t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errOut)
	}
	for _, o := range list.Objects {
		if o.Outcome != "unchanged" {
			sent = append(sent, fmt.Sprint(o.Kind, " ", o.Namespace, "/", o.Name))
		}
	}
	files, err := filepath.Glob("sent.*")
	if err != nil || (len(files) > 0) != (len(sent) > 0) {
		h.t.Errorf("%d objects are told as sent, and kubectl got %d files, %v", len(sent), len(files), err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			h.t.Fatal(err)
		}
	}
	return sent, true
}
