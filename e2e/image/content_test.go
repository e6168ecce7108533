package image

import (
	"archive/tar"
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

const sizeLimit = 22_700_000

// A description is what these tests look at of "docker image inspect".
type description struct {
	Architecture string
	Os           string
	Size         int64
	Config       struct {
		User       string
		Entrypoint []string
		Cmd        []string
		Labels     map[string]string
		Env        []string
	}
	RootFS struct{ Layers []string }
}

func inspect(t *testing.T, name string) description {
	t.Helper()
	var images []description
	if err := json.Unmarshal([]byte(harness.Succeed(t, ".", "docker", "image", "inspect", name).Stdout), &images); err != nil {
		t.Fatal(err)
	}
	return images[0]
}

func TestDescription(t *testing.T) {
	for _, architecture := range architectures {
		t.Run(architecture, func(t *testing.T) {
			got := inspect(t, tag(architecture))
			if got.Os != "linux" || got.Architecture != architecture {
				t.Errorf("platform: got %s/%s, want linux/%s", got.Os, got.Architecture, architecture)
			}
			if got.Size > sizeLimit {
				t.Errorf("size: got %d bytes, the limit is %d", got.Size, sizeLimit)
			}
			if got.Config.User != "nobody" {
				t.Errorf("user: got %q, want nobody", got.Config.User)
			}
			if diff := cmp.Diff([]string{"/usr/local/bin/krm-fields"}, got.Config.Entrypoint); diff != "" {
				t.Errorf("entrypoint (-want +got):\n%s", diff)
			}
			if len(got.Config.Cmd) != 0 {
				t.Errorf("command: got %q, want none", got.Config.Cmd)
			}
		})
	}
}

func TestLabels(t *testing.T) {
	labels := inspect(t, image).Config.Labels
	for label, want := range map[string]string{
		"title":    "krm-fields",
		"source":   "https://github.com/krm-fields/krm-fields",
		"licenses": "Apache-2.0",
		"version":  version,
	} {
		if got := labels["org.opencontainers.image."+label]; got != want {
			t.Errorf("label %s: got %q, want %q", label, got, want)
		}
	}
	for _, label := range []string{"description", "revision"} {
		if labels["org.opencontainers.image."+label] == "" {
			t.Errorf("label %s must be set", label)
		}
	}
	// What Artifact Hub requires of an image to list it: the time of the commit, and the page.
	if _, err := time.Parse(time.RFC3339, labels["org.opencontainers.image.created"]); err != nil {
		t.Errorf("label created must be a time: %v", err)
	}
	page := "https://raw.githubusercontent.com/krm-fields/krm-fields/" + labels["org.opencontainers.image.revision"] + "/README.md"
	if got := labels["io.artifacthub.package.readme-url"]; got != page {
		t.Errorf("label readme-url: got %q, want %q", got, page)
	}
}

// The image has three files: no shell, no certificates, no package manager.
func TestFiles(t *testing.T) {
	want := []string{
		"drwxr-xr-x 0:0 etc/",
		"-rw-r--r-- 0:0 etc/group",
		"-rw-r--r-- 0:0 etc/passwd",
		"drwxr-xr-x 0:0 usr/",
		"drwxr-xr-x 0:0 usr/local/",
		"drwxr-xr-x 0:0 usr/local/bin/",
		"-rwxr-xr-x 0:0 usr/local/bin/krm-fields",
	}
	for _, architecture := range architectures {
		t.Run(architecture, func(t *testing.T) {
			var got []string
			for _, file := range files(t, tag(architecture)) {
				header := file.header
				got = append(got, fmt.Sprintf("%s %d:%d %s", header.FileInfo().Mode(), header.Uid, header.Gid, header.Name))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

// What "go version -m" prints of the binary is its bill of materials.
func TestBinary(t *testing.T) {
	for _, architecture := range architectures {
		t.Run(architecture, func(t *testing.T) {
			binary := binary(t, architecture)
			info, err := buildinfo.Read(bytes.NewReader(binary))
			if err != nil {
				t.Fatal(err)
			}
			settings := map[string]string{}
			for _, setting := range info.Settings {
				settings[setting.Key] = setting.Value
			}
			for key, want := range map[string]string{
				"CGO_ENABLED": "0", "GOARCH": architecture, "GOOS": "linux", "-trimpath": "true",
			} {
				if settings[key] != want {
					t.Errorf("build setting %s: got %q, want %q", key, settings[key], want)
				}
			}
			if info.Main.Path != "github.com/krm-fields/krm-fields" || len(info.Deps) == 0 {
				t.Errorf("module %s with %d dependencies, want ours with all of them", info.Main.Path, len(info.Deps))
			}
			program, err := elf.NewFile(bytes.NewReader(binary))
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range program.Progs {
				if part.Type == elf.PT_INTERP || part.Type == elf.PT_DYNAMIC {
					t.Errorf("the binary must be static and has a %s", part.Type)
				}
			}
			if program.Section(".symtab") != nil {
				t.Error("the binary must be stripped and has a symbol table")
			}
		})
	}
}

// A second build without any cache of docker gives the same layers and the same configuration.
func TestSecondBuildIsTheSame(t *testing.T) {
	again := repository + "-again"
	harness.Make(t, "image", "IMAGE="+again, "VERSION="+version, "DOCKERFLAGS=--no-cache")
	t.Cleanup(func() {
		harness.Succeed(t, ".", "docker", append([]string{"rmi"}, tags(again)...)...)
	})
	for i, name := range tags(repository) {
		if diff := cmp.Diff(inspect(t, name), inspect(t, tags(again)[i])); diff != "" {
			t.Errorf("%s (-first +second):\n%s", name, diff)
		}
	}
}

// A layerFile is a file in the only layer of the image.
type layerFile struct {
	header  *tar.Header
	content []byte
}

func binary(t *testing.T, architecture string) []byte {
	t.Helper()
	for _, file := range files(t, tag(architecture)) {
		if file.header.Name == "usr/local/bin/krm-fields" {
			return file.content
		}
	}
	t.Fatal("the image must have /usr/local/bin/krm-fields")
	return nil
}

func files(t *testing.T, name string) []layerFile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image.tar")
	harness.Succeed(t, ".", "docker", "save", "--output", path, name)
	saved := untar(t, strings.NewReader(harness.ReadTree(t, filepath.Dir(path))["image.tar"]))
	var manifests []struct{ Layers []string }
	if err := json.Unmarshal(saved["manifest.json"].content, &manifests); err != nil {
		t.Fatal(err)
	}
	if len(manifests) != 1 || len(manifests[0].Layers) != 1 {
		t.Fatalf("there must be one image with one layer, are %v", manifests)
	}
	var files []layerFile
	read(t, bytes.NewReader(saved[manifests[0].Layers[0]].content), func(file layerFile) {
		files = append(files, file)
	})
	return files
}

func untar(t *testing.T, archive io.Reader) map[string]layerFile {
	t.Helper()
	files := map[string]layerFile{}
	read(t, archive, func(file layerFile) { files[file.header.Name] = file })
	return files
}

func read(t *testing.T, archive io.Reader, each func(layerFile)) {
	t.Helper()
	reader := tar.NewReader(archive)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		each(layerFile{header, content})
	}
}

// "go version -m" reads the bill of materials off the binary: every module that its packages come
// from, with version and checksum.
func TestBillOfMaterials(t *testing.T) {
	const line = "{{with .Module}}{{if not .Main}}\tdep\t{{.Path}}\t{{.Version}}\th1:\n{{end}}{{end}}"
	for _, architecture := range architectures {
		t.Run(architecture, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "krm-fields")
			if err := os.WriteFile(path, binary(t, architecture), 0o755); err != nil {
				t.Fatal(err)
			}
			printed := harness.Succeed(t, ".", "go", "version", "-m", path).Stdout
			modules := harness.Succeed(t, harness.Root(), "env", "GOOS=linux", "GOARCH="+architecture, "CGO_ENABLED=0",
				"go", "list", "-deps", "-f", line, ".").Stdout
			if modules == "" {
				t.Fatal("there must be modules")
			}
			for module := range strings.FieldsFuncSeq(modules, func(r rune) bool { return r == '\n' }) {
				if !strings.Contains(printed, module) {
					t.Errorf("%q must be in what go version -m prints:\n%s", module, printed)
				}
			}
		})
	}
}
