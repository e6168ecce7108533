package release

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// registry starts a container registry, and returns its address.
func registry(t *testing.T) string {
	t.Helper()
	server := exec.Command(program(t, "cosign"), "registry")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = server.Wait() // which says that it was killed
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// TestImage pushes the image to a registry as the workflow does, signs and attests it by a key that
// is made here, verifies it by the commands of the documentation, and pulls and loads it.
func TestImage(t *testing.T) {
	a, image := newAuthority(t), registry(t)+"/krm-fields/krm-fields"
	ours := a.as(t, workflow)
	run := func(programs, commands string) string {
		t.Helper()
		out, err := script(".", programs, commands, "IMAGE="+image, "VERSION="+tag, "MANIFESTFLAGS=--insecure", "GITHUB_OUTPUT=/dev/null", "GITHUB_STEP_SUMMARY=/dev/null")
		if err != nil {
			t.Fatalf("%s: %v\n%s", commands, err, out)
		}
		return out
	}
	names := strings.Join([]string{image + ":" + tag + "-amd64", image + ":" + tag + "-arm64", image + ":" + tag, image + ":latest"}, " ")
	t.Cleanup(func() { run(ours, "docker rmi --force "+names) })
	_, push, _ := strings.Cut(step(t, "Build and push the image"), "\n") // the first line logs in
	run(ours, push)

	verify := documented(t, image+":"+tag)
	if out, err := script(".", ours, verify); err == nil || !strings.Contains(out, "no valid bundles exist in registry") {
		t.Errorf("without a signature it must not be verified, got %v:\n%s", err, out)
	}
	for name, programs := range map[string]string{
		"the identity of a branch": a.as(t, strings.ReplaceAll(workflow, "refs/tags/"+tag, "refs/heads/main")),
		"another workflow":         a.as(t, strings.ReplaceAll(workflow, "release.yml", "ci.yml")),
	} {
		run(programs, step(t, "Sign the image"))
		if out, err := script(".", ours, verify); err == nil {
			t.Errorf("%s must not be verified, got:\n%s", name, out)
		}
	}
	run(ours, step(t, "Sign the image"))
	run(ours, step(t, "Attest what is in the image"))
	out := run(ours, verify)
	if strings.Count(out, "Verified OK\n") != 2 {
		t.Errorf("the signature and the attestation must be verified, got:\n%s", out)
	}

	saved := filepath.Join(t.TempDir(), "image.tar")
	version := "docker run --rm " + image + ":" + tag + " version -o json"
	for _, from := range []string{"pull --quiet " + image + ":" + tag, "load --quiet --input " + saved} {
		run(ours, "docker save --output "+saved+" "+image+":"+tag+"; docker rmi --force "+names)
		run(ours, "docker "+from)
		expectBuild(t, run(ours, version), tag, commit)
	}
}

// pluginKey is a PGP key that is made here, in the two forms that Helm reads.
func pluginKey(t *testing.T) (private, public string) {
	t.Helper()
	folder := t.TempDir()
	private, public = filepath.Join(folder, "private.gpg"), filepath.Join(folder, "public.gpg")
	gpg := func(args ...string) {
		succeed(t, exec.Command("gpg", append([]string{"--homedir", folder, "--batch", "--quiet", "--passphrase", "", "--pinentry-mode", "loopback"}, args...)...))
	}
	gpg("--quick-generate-key", "krm-fields <krm-fields@users.noreply.github.com>", "rsa2048", "sign", "never")
	gpg("--output", private, "--export-secret-keys")
	gpg("--output", public, "--export")
	return private, public
}

// packagePlugin packages the plugin of Helm, and lists what the provenance of the release is about.
func packagePlugin(t *testing.T) {
	t.Helper()
	private, _ := pluginKey(t)
	succeed(t, exec.Command("ln", "-sf", program(t, "helm"), filepath.Join(clone, "bin", "helm")))
	succeed(t, exec.Command("make", "-C", clone, "helm-plugin", "subjects", "HELM_KEY=krm-fields", "HELM_KEYRING="+private))
}

// TestHelmPlugin installs the plugin from a registry and from the file of the release, by the key
// beside it, and runs the program of the release by it.
func TestHelmPlugin(t *testing.T) {
	packagePlugin(t)
	server := registry(t) + "/helm-plugins"
	succeed(t, exec.Command("make", "-C", clone, "helm-plugin-push", "HELM_REGISTRY="+server, "ORASFLAGS=--plain-http"))
	t.Setenv("PATH", filepath.Dir(binary(t))+":"+filepath.Join(clone, "bin")+":"+os.Getenv("PATH"))
	key := filepath.Join(clone, "dist", "helm", "krm-fields.gpg")
	_, other := pluginKey(t)
	for name, source := range map[string][]string{
		"registry": {"oci://" + server + "/krm-fields:" + newest(t), "--plain-http"},
		"file":     {filepath.Join(clone, "dist", "helm", "krm-fields-"+newest(t)+".tgz")},
	} {
		t.Run(name, func(t *testing.T) {
			for _, home := range []string{"HELM_DATA_HOME", "HELM_CACHE_HOME", "HELM_CONFIG_HOME"} {
				t.Setenv(home, t.TempDir())
			}
			install := func(keyring string) []string {
				return append([]string{"plugin", "install", "--keyring", keyring}, source...)
			}
			refused := harness.Run(t, ".", "helm", install(other)...)
			if want := "openpgp: signature made by unknown entity"; refused.Code == 0 || !strings.Contains(refused.Stderr, want) {
				t.Fatalf("another key must be refused with %q, got exit code %d:\n%s%s", want, refused.Code, refused.Stdout, refused.Stderr)
			}
			installed := harness.Succeed(t, ".", "helm", install(key)...).Stdout
			if want := "Signed by: krm-fields <krm-fields@users.noreply.github.com>\n"; !strings.Contains(installed, want) {
				t.Errorf("the install must print %q, prints:\n%s", want, installed)
			}
			rendered := harness.Succeed(t, clone, "helm", "template", "eu", "docs/start/helm/shop", "--post-renderer=krm-fields",
				"--post-renderer-args=--config=docs/start/helm/ignore-fields.yaml").Stdout
			if !strings.Contains(rendered, "kind: Deployment") || strings.Contains(rendered, "replicas:") {
				t.Errorf("the plugin must strip spec.replicas, prints:\n%s", rendered)
			}
		})
	}
}
