package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/argoproj/argo-cd/v3/cmpserver/apiclient"
	"github.com/argoproj/argo-cd/v3/util/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
)

const (
	root = "../.."
	app  = root + "/docs/start/argocd/app"
	// limit is how long the server may take to start, and to answer.
	limit = 2 * time.Minute
)

// TestServer runs the server in the image, with the permissions of the sidecar of plugins/argocd,
// and asks it as Argo CD does: whether the plugin is for the folder of an application, and for its
// manifests.
func TestServer(t *testing.T) {
	image := os.Getenv("KRM_FIELDS_IMAGE")
	if image == "" {
		t.Fatal("KRM_FIELDS_IMAGE must name the image; make test-argocd does it all")
	}
	client := start(t, image)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()

	config, err := client.CheckPluginConfiguration(ctx, &emptypb.Empty{}, grpc.WaitForReady(true))
	if err != nil || !config.IsDiscoveryConfigured {
		t.Fatalf("the server must have the plugin with its discovery, has %v (%v)", config, err)
	}
	if !matches(ctx, t, client, app) || matches(ctx, t, client, root+"/docs/start/helm") {
		t.Error("the plugin must be for the folder with .krm-fields.yaml, and for no other")
	}
	manifests, err := generate(ctx, t, client, app)
	if err != nil || len(manifests) != 1 || !strings.Contains(manifests[0], `"kind":"Deployment"`) || strings.Contains(manifests[0], "replicas") {
		t.Errorf("there must be the Deployment without its replicas, got %q (%v)", manifests, err)
	}

	broken := t.TempDir()
	for _, name := range []string{".krm-fields.yaml", "deployment.yaml"} {
		text, err := os.ReadFile(filepath.Join(app, name))
		if err != nil {
			t.Fatal(err)
		}
		text = []byte(strings.Replace(string(text), "  replicas: 3", "  paused: true", 1))
		if err := os.WriteFile(filepath.Join(broken, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := generate(ctx, t, client, broken); err == nil || !strings.Contains(err.Error(), "matched nothing in the whole run") {
		t.Errorf("Argo CD must get the reason why a run failed, got %v", err)
	}
}

// start starts the server in a container and returns a client of it.
func start(t *testing.T, image string) apiclient.ConfigManagementPluginServiceClient {
	t.Helper()
	folder := t.TempDir()
	server, sockets := filepath.Join(folder, "argocd-cmp-server"), filepath.Join(folder, "plugins")
	run(t, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", server, ".")
	if err := os.Mkdir(sockets, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Dir(folder), folder, sockets} { // for the user of the sidecar
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	plugin, err := filepath.Abs(root + "/plugins/argocd/plugin.yaml")
	if err != nil {
		t.Fatal(err)
	}
	id := run(t, "docker", "run", "--detach", "--network", "none", "--user", "999", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL",
		"--security-opt", "no-new-privileges",
		"--volume", server+":/var/run/argocd/argocd-cmp-server:ro", "--volume", plugin+":/home/argocd/cmp-server/config/plugin.yaml:ro",
		"--volume", sockets+":/home/argocd/cmp-server/plugins", "--entrypoint", "/var/run/argocd/argocd-cmp-server", image)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(run(t, "docker", "logs", id))
		}
		run(t, "docker", "rm", "--force", id)
	})
	connection, err := grpc.NewClient("unix://"+filepath.Join(sockets, "krm-fields.sock"),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return apiclient.NewConfigManagementPluginServiceClient(connection)
}

// run runs a program that must succeed and returns what it prints.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // the image has no C library
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func matches(ctx context.Context, t *testing.T, client apiclient.ConfigManagementPluginServiceClient, folder string) bool {
	t.Helper()
	stream, err := client.MatchRepository(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmp.SendRepoStream(ctx, folder, folder, stream, nil, nil); err != nil {
		t.Fatal(err)
	}
	answer, err := stream.CloseAndRecv()
	if err != nil {
		t.Fatal(err)
	}
	return answer.IsSupported
}

func generate(ctx context.Context, t *testing.T, client apiclient.ConfigManagementPluginServiceClient, folder string) ([]string, error) {
	t.Helper()
	stream, err := client.GenerateManifest(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmp.SendRepoStream(ctx, folder, folder, stream, nil, nil); err != nil {
		t.Fatal(err)
	}
	answer, err := stream.CloseAndRecv()
	return answer.GetManifests(), err
}
