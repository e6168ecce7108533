package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// action is what these tests use of action.yml.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []struct {
			Name, Shell, Run string
			Env              map[string]string
		}
	}
}

var input = regexp.MustCompile(`\$\{\{ inputs\.([a-z]+) \}\}`)

// use runs the steps in a workspace as GitHub would (bash with these options, a file for what goes
// onto the PATH), and returns what they print, and the error of the step that failed.
func (a action) use(t *testing.T, workspace string, with map[string]string) (string, error) {
	t.Helper()
	temp := t.TempDir()
	pathFile := filepath.Join(temp, "path")
	architecture := map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH]
	env := append(os.Environ(), "RUNNER_OS=Linux", "RUNNER_ARCH="+architecture, "RUNNER_TEMP="+temp, "GITHUB_PATH="+pathFile, "GITHUB_WORKSPACE="+workspace)
	var log strings.Builder
	for _, step := range a.Runs.Steps {
		if step.Shell != "bash" {
			t.Fatalf("the step %q must have the shell bash, has %q", step.Name, step.Shell)
		}
		script := filepath.Join(temp, "step.sh")
		harness.WriteTree(t, temp, harness.Tree{"step.sh": step.Run})
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", script)
		cmd.Dir, cmd.Env = workspace, env
		for name, value := range step.Env {
			cmd.Env = append(cmd.Env, name+"="+input.ReplaceAllStringFunc(value, func(found string) string {
				key := input.FindStringSubmatch(found)[1]
				declared, ok := a.Inputs[key]
				if !ok {
					t.Fatalf("the step %q uses the input %q, which is not declared", step.Name, key)
				}
				if given, ok := with[key]; ok {
					return given
				}
				return declared.Default
			}))
		}
		out, err := cmd.CombinedOutput()
		log.Write(out)
		if err != nil {
			return log.String(), err
		}
		if added, err := os.ReadFile(pathFile); err == nil {
			env = append(env, "PATH="+strings.TrimSpace(string(added))+string(os.PathListSeparator)+os.Getenv("PATH"))
		}
	}
	return log.String(), nil
}

func readAction(t *testing.T) action {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.Root(), "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	if len(a.Runs.Steps) != 4 {
		t.Fatalf("there must be four steps, are %d", len(a.Runs.Steps))
	}
	return a
}

// mirror is a folder with the release as GitHub has it.
func mirror(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	files := harness.Tree{}
	for name, content := range harness.ReadTree(t, filepath.Join(clone, "dist")) {
		if name == filepath.Base(dist(".tar.gz")) || name == "checksums.txt" {
			files["v"+snapshot+"/"+name] = content
		}
	}
	harness.WriteTree(t, folder, files)
	return folder
}

func TestAction(t *testing.T) {
	a, releases := readAction(t), mirror(t)
	workspace := harness.CopyPackage(t, filepath.Join(harness.Root(), "examples", "first-rule"), nil)
	with := map[string]string{
		"config": "rules.yaml\n", "version": "v" + snapshot, "releases": "file://" + releases, "results": "results.sarif",
		"paths": "deployment.yaml\nhpa.yaml",
	}
	before := harness.ReadTree(t, workspace)
	log, err := a.use(t, workspace, with)
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	if want := "\n::notice file=deployment.yaml,line=10,title=FieldsIgnored::1 field removed: spec.replicas "; !strings.Contains(log, want) {
		t.Errorf("the log must have %q, is:\n%s", want, log)
	}
	sarif := filepath.Join(workspace, "results.sarif")
	if text, err := os.ReadFile(sarif); err != nil || !strings.Contains(string(text), `"ruleId": "FieldsIgnored"`) {
		t.Errorf("there must be results.sarif with the results: %v\n%s", err, text)
	}
	if err := os.Remove(sarif); err != nil {
		t.Fatal(err)
	}
	harness.Unchanged(t, before, workspace)

	harness.WriteTree(t, workspace, harness.Tree{"rules.yaml": strings.ReplaceAll(before["rules.yaml"], "/spec/replicas", "/spec/replicaz")})
	with["args"] = "--strict\n--dry-run"
	log, err = a.use(t, workspace, with)
	if want := "\n::error file=rules.yaml,line=10,title=NoMatch::"; err == nil || !strings.Contains(log, want) {
		t.Errorf("a rule that matches nothing must fail with %q, got %v:\n%s", want, err, log)
	}
}

// TestActionChecksTheArchive gives it an archive that is not the one of the checksums.
func TestActionChecksTheArchive(t *testing.T) {
	a, releases := readAction(t), mirror(t)
	harness.WriteTree(t, releases, harness.Tree{"v" + snapshot + "/" + filepath.Base(dist(".tar.gz")): "other"})
	log, err := a.use(t, t.TempDir(), map[string]string{"version": "v" + snapshot, "releases": "file://" + releases, "config": "rules.yaml"})
	if want := ".tar.gz: FAILED"; err == nil || !strings.Contains(log, want) {
		t.Errorf("another archive must fail with %q, got %v:\n%s", want, err, log)
	}
}

// TestActionVerifiesTheAttestation downloads from the address of the releases, which a curl of its
// own has, and has the archive verified by a gh that notes its calls: if that fails, so does the
// action, before it unpacks anything.
func TestActionVerifiesTheAttestation(t *testing.T) {
	a, releases, programs := readAction(t), mirror(t), t.TempDir()
	harness.WriteTree(t, programs, harness.Tree{
		"curl": "#!/bin/sh\nfor url; do :; done\ncase $url in https://github.com/krm-fields/krm-fields/releases/download/*) ;; *) exit 22 ;; esac\n" +
			"cp \"" + releases + "/${url##*/download/}\" .\n",
		"gh": "#!/bin/sh\necho \"$@\" >>" + programs + "/calls\nexit $(cat " + programs + "/code)\n",
	})
	for _, program := range []string{"curl", "gh"} {
		if err := os.Chmod(filepath.Join(programs, program), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	workspace := harness.CopyPackage(t, filepath.Join(harness.Root(), "examples", "first-rule"), nil)
	with := map[string]string{"config": "rules.yaml", "version": "v" + snapshot, "paths": "deployment.yaml"}
	const want = "attestation verify krm-fields_" + snapshot + "_linux_" + runtime.GOARCH + ".tar.gz --repo krm-fields/krm-fields " +
		"--signer-workflow krm-fields/krm-fields/.github/workflows/release.yml\n"
	for code, runs := range map[string]bool{"0": true, "1": false} {
		harness.WriteTree(t, programs, harness.Tree{"code": code, "calls": ""})
		log, err := a.use(t, workspace, with)
		if has := strings.Contains(log, "1 field removed: spec.replicas"); has != runs || (err == nil) != runs {
			t.Errorf("with the exit code %s of gh, the action must run %t, got %v:\n%s", code, runs, err, log)
		}
		if calls := harness.ReadTree(t, programs)["calls"]; calls != want {
			t.Errorf("gh must be called with %q, calls are:\n%s", want, calls)
		}
	}
}

// TestActionFindsTwoWriters checks a package with and without the rule that leaves its field.
func TestActionFindsTwoWriters(t *testing.T) {
	a, releases := readAction(t), mirror(t)
	workspace := harness.CopyPackage(t, filepath.Join(harness.Root(), "examples", "first-rule"), nil)
	with := map[string]string{"version": "v" + snapshot, "releases": "file://" + releases, "check": "deployment.yaml\nhpa.yaml"}
	log, err := a.use(t, workspace, with)
	if want := "\n::error file=deployment.yaml,line=10,title=TwoWriters::spec.replicas is also written by "; err == nil || !strings.Contains(log, want) {
		t.Errorf("without a rule it must fail with %q, got %v:\n%s", want, err, log)
	}
	with["config"] = "rules.yaml"
	log, err = a.use(t, workspace, with)
	if want := "no field of 2 objects has two writers that are known\n"; err != nil || !strings.HasSuffix(log, want) {
		t.Errorf("with the rule it must end with %q, got %v:\n%s", want, err, log)
	}
}

// TestActionComments runs the plan of a pull request with a gh that notes its calls and comments:
// the first one posts the comment, a later one updates it, also where there is no plan.
func TestActionComments(t *testing.T) {
	a, releases := readAction(t), mirror(t)
	workspace := harness.CopyPackage(t, filepath.Join(harness.Root(), "examples", "pull-request"), nil)
	programs := t.TempDir()
	script := "#!/bin/sh\ncase \"$2\" in --paginate) exec cat " + programs + "/id ;; esac\n" +
		"for last; do :; done\n{ echo \"$@\"; cat \"${last#body=@}\"; } >>" + programs + "/calls\n"
	harness.WriteTree(t, programs, harness.Tree{"gh": script, "id": ""})
	if err := os.Chmod(filepath.Join(programs, "gh"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("GITHUB_REF", "refs/pull/7/merge")
	t.Setenv("GITHUB_REPOSITORY", "shop/manifests")
	const conflict, noPlan = "title=Conflict::Deployment shop/web: unchanged → conflict (prod-eu)", "error: --base must be a folder"
	tests := map[string]struct {
		id, base, matrix, log string
		calls                 []string
	}{
		"first":   {"", "base", "null", conflict, []string{"--method POST repos/shop/manifests/issues/7/comments --field body=@", "\n<!-- krm-fields plan package -->\n### The change"}},
		"later":   {"42", "base", "null", conflict, []string{"--method PATCH repos/shop/manifests/issues/comments/42 --field body=@"}},
		"no plan": {"42", "nowhere", "null", noPlan, []string{"--method PATCH", "\n### There is no plan of the change.\n\n    error: --base must be a folder"}},
		"matrix":  {"", "base", "{\n  \"a\": \"b\"\n}", conflict, []string{"<!-- krm-fields plan package _ ___a____b_ _ -->\n"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			harness.WriteTree(t, programs, harness.Tree{"id": test.id, "calls": ""})
			log, err := a.use(t, workspace, map[string]string{"version": "v" + snapshot, "releases": "file://" + releases, "base": test.base,
				"path": "package", "live": "dumps", "comment": test.matrix})
			if err == nil || !strings.Contains(log, test.log) {
				t.Errorf("the job must fail with %q, got %v:\n%s", test.log, err, log)
			}
			calls := harness.ReadTree(t, programs)["calls"]
			for _, want := range test.calls {
				if !strings.Contains(calls, want) {
					t.Errorf("gh must be called with %q, calls are:\n%s", want, calls)
				}
			}
		})
	}
}
