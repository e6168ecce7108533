package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

const module = "github.com/krm-fields/krm-fields"

// TestGoInstall installs the tag from a module proxy of its own, with the dependencies from the
// module cache.
func TestGoInstall(t *testing.T) {
	folder := t.TempDir()
	versions := filepath.Join(folder, "proxy", module, "@v")
	harness.WriteTree(t, versions, harness.Tree{
		"list":        tag + "\n",
		tag + ".info": `{"Version": "` + tag + `"}`,
		tag + ".mod":  harness.ReadTree(t, clone)["go.mod"],
	})
	// A module has none of the modules that are below it.
	succeed(t, exec.Command("git", "-C", clone, "archive", "--format=zip", "--prefix="+module+"@"+tag+"/", "--output="+filepath.Join(versions, tag+".zip"),
		tag, ".", ":(exclude)bench", ":(exclude)tools", ":(exclude)e2e"))
	cache := strings.TrimSpace(succeed(t, exec.Command("go", "env", "GOMODCACHE")))
	install := exec.Command("go", "install", "-modcacherw", module+"@"+tag)
	install.Env = append(os.Environ(), "GOBIN="+folder, "GOMODCACHE="+filepath.Join(folder, "cache"), "GOFLAGS=-trimpath", "GOSUMDB=off", "CGO_ENABLED=0",
		"GOPROXY=file://"+filepath.Join(folder, "proxy")+",file://"+filepath.Join(cache, "cache", "download"))
	succeed(t, install)
	expectBuild(t, succeed(t, exec.Command(filepath.Join(folder, "krm-fields"), "version", "-o", "json")), tag, "")
}

// TestBuildInClone builds as `go build` and `go install .` do in a clone.
func TestBuildInClone(t *testing.T) {
	program := filepath.Join(t.TempDir(), "krm-fields")
	build := exec.Command("go", "build", "-buildvcs=true", "-o", program, ".")
	build.Dir = clone
	build.Env = append(os.Environ(), "GOFLAGS=-trimpath", "CGO_ENABLED=0")
	succeed(t, build)
	expectBuild(t, succeed(t, exec.Command(program, "version", "-o", "json")), tag, commit)
}
