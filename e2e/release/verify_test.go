package release

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

var releaseWorkflow = filepath.Join(harness.Root(), ".github", "workflows", "release.yml")

// statement is the provenance of files: https://in-toto.io/Statement/v1.
type statement struct {
	Type          string         `json:"_type"`
	Subject       []subject      `json:"subject"`
	PredicateType string         `json:"predicateType"`
	Predicate     map[string]any `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// documented are the commands of docs/start/install.md by which somebody verifies a release, for
// the files, or for an image.
func documented(t *testing.T, image string) string {
	t.Helper()
	_, page, _ := strings.Cut(harness.ReadTree(t, filepath.Join(harness.Root(), "docs", "start"))["install.md"], "\n## Verify\n")
	_, block, _ := strings.Cut(page, "```sh\n")
	block, _, found := strings.Cut(block, "```")
	if !found {
		t.Fatal("docs/start/install.md must have the commands")
	}
	published := "ghcr.io/krm-fields/krm-fields:v" + newest(t)
	lines := slices.DeleteFunc(strings.SplitAfter(block, "\n"), func(line string) bool {
		isCommand := strings.HasPrefix(line, "cosign") || strings.HasPrefix(line, "sha256sum")
		return isCommand && strings.Contains(line, published) != (image != "")
	})
	return strings.NewReplacer(published, image, "krm-fields_"+newest(t)+"_linux_amd64", filepath.Base(dist(""))).Replace(strings.Join(lines, ""))
}

var pluginVersion = regexp.MustCompile(`(?m)^version: (.+)$`)

// newest is the version of the release that the pages tell of, which the plugin has, too.
func newest(t *testing.T) string {
	t.Helper()
	found := pluginVersion.FindStringSubmatch(harness.ReadTree(t, filepath.Join(harness.Root(), "plugins", "helm"))["plugin.yaml"])
	if found == nil {
		t.Fatal("plugins/helm/plugin.yaml must have a version")
	}
	return found[1]
}

// assets are the files of the release for this processor, but for the signatures.
func assets(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*.tar.gz", "*.deb", "*.rpm", "*.cdx.json", "krew/krm-fields.yaml", "helm/*"} {
		found, err := filepath.Glob(filepath.Join(clone, "dist", pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("the release must have %s: %v", pattern, err)
		}
		names = append(names, found...)
	}
	return names
}

// TestSignatures signs the files of the release as GoReleaser and the workflow do, by a key that is
// made here, and verifies each of them by the commands of the documentation.
//
// Neither gh, whose module the Go module proxy does not serve, nor the whole cosign is run:
// e2e/cosign has its commands. All verify by the same library.
func TestSignatures(t *testing.T) {
	packagePlugin(t)
	text, err := os.ReadFile(releaseWorkflow)
	if want := "subject-checksums: dist/subjects.txt\n"; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("release.yml must attest %q: %v", want, err)
	}
	a := newAuthority(t)
	ours := a.as(t, workflow)
	signFiles(t, ours)
	if out, err := script("dist", ours, documented(t, "")); err != nil || strings.Count(out, "Verified OK\n") != 2 {
		t.Fatalf("the commands must verify checksums.txt and the provenance, got %v:\n%s", err, out)
	}
	attestation := "cosign verify-blob-attestation "
	_, flags, _ := strings.Cut(documented(t, ""), attestation+filepath.Base(dist(".tar.gz")))
	head, _, _ := strings.Cut(documented(t, ""), "cosign")
	for _, asset := range assets(t) {
		if out, err := script("dist", ours, head+attestation+asset+flags); err != nil {
			t.Errorf("%s must be among the subjects of the provenance, got %v:\n%s", filepath.Base(asset), err, out)
		}
	}

	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	const digest = "provided artifact digests do not match digests in statement"
	if out, err := script("dist", ours, head+attestation+other+flags); err == nil || !strings.Contains(out, digest) {
		t.Errorf("another file must fail with %q, got %v:\n%s", digest, err, out)
	}
	stranger := newAuthority(t).as(t, workflow)
	for name, programs := range map[string]string{
		"a key that nobody certifies": stranger,
		"the identity of a branch":    a.as(t, strings.ReplaceAll(workflow, "refs/tags/"+tag, "refs/heads/main")),
		"another workflow":            a.as(t, strings.ReplaceAll(workflow, "release.yml", "ci.yml")),
	} {
		signFiles(t, programs)
		if out, err := script("dist", ours, documented(t, "")); err == nil || strings.Contains(out, "Verified OK\n") {
			t.Errorf("%s must not be verified, got %v:\n%s", name, err, out)
		}
	}
}

// signFiles adds to the release what GoReleaser and the workflow sign.
func signFiles(t *testing.T, programs string) {
	t.Helper()
	var config struct {
		Signs []struct {
			Cmd, Signature string
			Args           []string
		}
	}
	text, err := os.ReadFile(filepath.Join(harness.Root(), ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &config); err != nil || len(config.Signs) != 1 {
		t.Fatalf("there must be one signature: %v", err)
	}
	sign := config.Signs[0]
	signature := strings.NewReplacer("${artifact}", "checksums.txt").Replace(sign.Signature)
	command := strings.NewReplacer("${artifact}", "checksums.txt", "${signature}", signature).Replace(sign.Cmd + " " + strings.Join(sign.Args, " "))
	provenance := statement{Type: "https://in-toto.io/Statement/v1", PredicateType: "https://slsa.dev/provenance/v1", Predicate: map[string]any{}}
	for line := range strings.Lines(harness.ReadTree(t, filepath.Join(clone, "dist"))["subjects.txt"]) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		provenance.Subject = append(provenance.Subject, subject{name, map[string]string{"sha256": sum}})
	}
	text, err = json.Marshal(provenance)
	if err != nil {
		t.Fatal(err)
	}
	harness.WriteTree(t, programs, harness.Tree{"statement.json": string(text)})
	attest := "cosign attest-blob --yes --type slsaprovenance1 --statement " + programs + "/statement.json --bundle krm-fields.intoto.jsonl"
	if out, err := script("dist", programs, command+"\n"+attest); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// step is the script of a step of the workflow of releases, for this processor.
func step(t *testing.T, name string) string {
	t.Helper()
	var release struct {
		Jobs map[string]struct{ Steps []struct{ Name, Run string } }
	}
	text, err := os.ReadFile(releaseWorkflow)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &release); err != nil {
		t.Fatal(err)
	}
	for _, s := range release.Jobs["release"].Steps {
		if s.Name == name {
			return strings.ReplaceAll(s.Run, "amd64 arm64", runtime.GOARCH)
		}
	}
	t.Fatalf("release.yml must have the step %q", name)
	return ""
}
