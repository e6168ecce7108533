package image

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

const fleetJob = "docs/start/fleets/job.yaml"

// A job has the fields of an Indexed Job that these tests use.
type job struct {
	Spec struct {
		CompletionMode string `yaml:"completionMode"`
		Template       struct {
			Spec struct {
				SecurityContext struct {
					RunAsUser int `yaml:"runAsUser"`
				} `yaml:"securityContext"`
				Containers []struct {
					Args         []string
					Resources    struct{ Limits struct{ Memory string } }
					VolumeMounts []struct {
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				}
			}
		}
	}
}

// TestFleet does the work of some pods of the Job of docs/start/fleets.md, each in a container,
// with the environment variable that Kubernetes sets. e2e/cluster has the API server check the Job.
func TestFleet(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(harness.Root(), fleetJob))
	if err != nil {
		t.Fatal(err)
	}
	var manifest job
	if err := yaml.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Spec.CompletionMode != "Indexed" || len(manifest.Spec.Template.Spec.Containers) != 1 {
		t.Fatalf("%s must be an Indexed Job with one container, found %+v", fleetJob, manifest)
	}
	app := harness.ReadTree(t, filepath.Join(harness.Root(), argocdApp))
	fleet, files := t.TempDir(), harness.Tree{}
	for index := range 4 {
		for name, content := range app {
			files[fmt.Sprintf("%d/%s", index, name)] = content
		}
	}
	files["2/deployment.yaml"] = strings.Replace(files["2/deployment.yaml"], "replicas:", "paused:", 1) // the rule matches nothing
	harness.WriteTree(t, fleet, files)
	for _, folder := range []string{fleet, filepath.Dir(fleet), filepath.Join(fleet, "0"), filepath.Join(fleet, "2"), filepath.Join(fleet, "3")} {
		if err := os.Chmod(folder, 0o777); err != nil { // as fsGroup lets the user of the pod write
			t.Fatal(err)
		}
	}

	for index, want := range map[int]int{0: 0, 2: 1, 3: 0} {
		if got := manifest.pod(t, fleet, index); got.Code != want {
			t.Errorf("pod %d: got exit code %d, want %d\n%s%s", index, got.Code, want, got.Stdout, got.Stderr)
		}
	}
	got := harness.ReadTree(t, fleet)
	for name, before := range files {
		isRendered := name == "0/deployment.yaml" || name == "3/deployment.yaml"
		if want := before; !isRendered && got[name] != want {
			t.Errorf("%s must stay as it is, is\n%s", name, got[name])
		}
		if isRendered && strings.Contains(got[name], "replicas") {
			t.Errorf("%s must be rendered, is\n%s", name, got[name])
		}
	}
	if len(got) != len(files) {
		t.Errorf("there must be %d files, found %d", len(files), len(got))
	}
}

// pod does the work of one pod of the Job.
func (j job) pod(t *testing.T, fleet string, index int) harness.Outcome {
	t.Helper()
	pod := j.Spec.Template.Spec
	container := pod.Containers[0]
	var args []string
	for _, arg := range container.Args { // as the kubelet does
		args = append(args, strings.ReplaceAll(arg, "$(JOB_COMPLETION_INDEX)", fmt.Sprint(index)))
	}
	sandbox := []string{
		"run", "--rm", "--network", "none", "--user", fmt.Sprint(pod.SecurityContext.RunAsUser), "--read-only", "--cap-drop", "ALL",
		"--security-opt", "no-new-privileges", "--env", fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index),
		"--memory", strings.TrimSuffix(container.Resources.Limits.Memory, "i"),
		"--volume", fleet + ":" + container.VolumeMounts[0].MountPath, "--tmpfs", container.VolumeMounts[1].MountPath, image,
	}
	return harness.Run(t, ".", "docker", slices.Concat(sandbox, args)...)
}
