package release

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/e2e/harness"
)

// example is where the Debian package puts the first example.
const example = "/usr/share/doc/krm-fields/examples/first-rule"

// TestDebianPackage installs the package into a root that has nothing else, and runs the first
// example in a container of it.
func TestDebianPackage(t *testing.T) {
	root := t.TempDir()
	harness.WriteTree(t, root, harness.Tree{"var/lib/dpkg/status": "", "var/lib/dpkg/updates/.keep": "", "var/lib/dpkg/info/.keep": ""})
	succeed(t, exec.Command("dpkg", "--root="+root, "--force-not-root", "--install", dist(".deb")))
	golden.ExpectFile(t, filepath.Join("testdata", "debian.txt"), succeed(t, exec.Command("dpkg", "--root="+root, "--listfiles", "krm-fields")))
	inRoot := container(t, root)
	diff := inRoot("/usr/bin/krm-fields", "run", "--config", example+"/rules.yaml", "--diff", example)
	if !strings.Contains(diff, "\n-  replicas: 3") {
		t.Errorf("the first example must strip spec.replicas, printed:\n%s", diff)
	}
	expectBuild(t, inRoot("/usr/bin/kubectl-krm_fields", "version", "-o", "json"), "v"+snapshot, commit)
	if page := harness.ReadTree(t, filepath.Join(root, "usr/share/man/man1"))["krm-fields-run.1"]; !strings.Contains(page, "krm-fields v"+snapshot) {
		t.Errorf("the man page of run must name the version, begins:\n%.200s", page)
	}
}

// TestRPM installs the package into a root of its own, and runs the program in a container of it.
func TestRPM(t *testing.T) {
	root := t.TempDir()
	rpm := func(args ...string) string {
		return succeed(t, exec.Command("rpm", append([]string{"--root", root}, args...)...))
	}
	rpm("--initdb")
	rpm("--install", "--nodeps", dist(".rpm"))
	rpm("--verify", "--nodeps", "krm-fields")
	files := rpm("--query", "--list", "krm-fields")
	for _, want := range []string{"/usr/bin/krm-fields", "/usr/bin/kubectl-krm_fields", "/usr/share/man/man1/krm-fields-run.1", "/usr/share/zsh/site-functions/_krm-fields"} {
		if !strings.Contains(files, want+"\n") {
			t.Errorf("the package must have %s, has:\n%s", want, files)
		}
	}
	expectBuild(t, container(t, root)("/usr/bin/kubectl-krm_fields", "version", "-o", "json"), "v"+snapshot, commit)
}

// container makes an image of nothing but a root, and returns what runs a program in it.
func container(t *testing.T, root string) func(program ...string) string {
	t.Helper()
	archive := exec.Command("tar", "--create", "--directory", root, ".")
	image := exec.Command("docker", "import", "-")
	var err error
	if image.Stdin, err = archive.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := archive.Start(); err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSpace(succeed(t, image))
	if err := archive.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { succeed(t, exec.Command("docker", "rmi", name)) })
	return func(program ...string) string {
		t.Helper()
		return succeed(t, exec.Command("docker", append([]string{"run", "--rm", name}, program...)...))
	}
}

func TestArchive(t *testing.T) {
	folder := t.TempDir()
	golden.ExpectFile(t, filepath.Join("testdata", "archive.txt"), succeed(t, exec.Command("tar", "--list", "--file", dist(".tar.gz"))))
	succeed(t, exec.Command("tar", "--extract", "--directory", folder, "--file", dist(".tar.gz")))
	expectBuild(t, succeed(t, exec.Command(filepath.Join(folder, "krm-fields"), "version", "-o", "json")), "v"+snapshot, commit)
	checksums := harness.ReadTree(t, filepath.Join(clone, "dist"))["checksums.txt"]
	for _, suffix := range []string{".tar.gz", ".deb", ".rpm", ".cdx.json"} {
		if !strings.Contains(checksums, "  "+filepath.Base(dist(suffix))+"\n") {
			t.Errorf("checksums.txt must have %s, has:\n%s", filepath.Base(dist(suffix)), checksums)
		}
	}
}

// TestBillOfMaterials compares it with what Go has written into the binary.
func TestBillOfMaterials(t *testing.T) {
	text, err := os.ReadFile(dist(".cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		BomFormat string
		Metadata  struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal(text, &bill); err != nil {
		t.Fatal(err)
	}
	if bill.BomFormat != "CycloneDX" || bill.Metadata.Component.Name != "github.com/krm-fields/krm-fields" ||
		bill.Metadata.Component.Version != "v"+snapshot {
		t.Errorf("it must be about krm-fields v%s in the form of CycloneDX, is of %s about %+v", snapshot, bill.BomFormat, bill.Metadata.Component)
	}
	listed := map[string]bool{}
	for _, c := range bill.Components {
		listed[c.Name+" "+c.Version] = true
	}
	modules := 0
	for line := range strings.Lines(succeed(t, exec.Command("go", "version", "-m", binary(t)))) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == "dep" {
			modules++
			if !listed[fields[1]+" "+fields[2]] {
				t.Errorf("%s %s must be listed", fields[1], fields[2])
			}
		}
	}
	if modules == 0 {
		t.Error("the binary must have modules")
	}
}

// binary is the path of the program itself.
func binary(t *testing.T) string {
	t.Helper()
	binaries, err := filepath.Glob(filepath.Join(clone, "dist", "krm-fields_linux_*", "krm-fields"))
	if err != nil || len(binaries) != 1 {
		t.Fatalf("there must be one binary, are %q: %v", binaries, err)
	}
	return binaries[0]
}

// TestKrewManifest validates the manifest as the index of krew does, and installs by it.
func TestKrewManifest(t *testing.T) {
	succeed(t, exec.Command("make", "-C", clone, "krew-check"))
	manifest := harness.ReadTree(t, filepath.Join(clone, "dist", "krew"))["krm-fields.yaml"]
	for _, want := range []string{"name: krm-fields\n", "version: v" + snapshot + "\n", "bin: krm-fields\n", "os: linux\n"} {
		if !strings.Contains(manifest, want) {
			t.Errorf("the manifest must have %q, is:\n%s", want, manifest)
		}
	}
	root := t.TempDir()
	install := exec.Command("go", "-C", filepath.Join(clone, "tools"), "tool", "krew", "install",
		"--manifest="+filepath.Join(clone, "dist", "krew", "krm-fields.yaml"), "--archive="+dist(".tar.gz"))
	install.Env = append(os.Environ(), "KREW_ROOT="+root)
	succeed(t, install)
	expectBuild(t, succeed(t, exec.Command(filepath.Join(root, "bin", "kubectl-krm_fields"), "version", "-o", "json")), "v"+snapshot, commit)
}

func TestReleaseCheck(t *testing.T) { succeed(t, exec.Command("make", "-C", clone, "release-check")) }

func TestReleaseNotes(t *testing.T) {
	notes := succeed(t, exec.Command("make", "-C", clone, "--no-print-directory", "release-notes", "VERSION=v0.1.0"))
	if !strings.HasPrefix(strings.TrimSpace(notes), "### Added") || strings.Contains(notes, "\n## ") {
		t.Errorf("the notes must be the section of the version alone, begin:\n%.200s", notes)
	}
	out, err := exec.Command("make", "-C", clone, "release-notes", "VERSION=v0.0.9").CombinedOutput()
	if want := "CHANGELOG.md must have a section ## [0.0.9]"; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("a version without a section must be an error that says %q, got %v:\n%s", want, err, out)
	}
}

// expectBuild checks what `version -o json` prints.
func expectBuild(t *testing.T, text, version, commit string) {
	t.Helper()
	var build struct{ Version, Commit, GoVersion string }
	if err := json.Unmarshal([]byte(text), &build); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if build.Version != version || build.Commit != commit || !strings.HasPrefix(build.GoVersion, "go1.") {
		t.Errorf("version %s, commit %q, built by Go: want; got %+v", version, commit, build)
	}
}
