package cli

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewBuild(t *testing.T) {
	const commit = "8843d7f92416211de9ebb963ff4ce28125932878"
	info := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: version}, Settings: settings}
	}
	revision := debug.BuildSetting{Key: "vcs.revision", Value: commit}
	tests := map[string]struct {
		version, commit string
		info            *debug.BuildInfo
		want            Build
	}{
		"go install of a version": {info: info("v0.1.0"), want: Build{Version: "v0.1.0"}},
		"go build in a clone": {
			info: info("v0.1.1-0.20261122165307-8843d7f92416+dirty", revision),
			want: Build{Version: "v0.1.1-0.20261122165307-8843d7f92416+dirty", Commit: commit},
		},
		"go build without version control": {info: info("(devel)"), want: Build{Version: "dev"}},
		"the linker knows":                 {version: "v0.2.0", commit: commit, info: info("(devel)"), want: Build{Version: "v0.2.0", Commit: commit}},
		"the linker knows better":          {version: "v0.2.0", commit: "other", info: info("v0.1.0", revision), want: Build{Version: "v0.2.0", Commit: "other"}},
		"nothing is known":                 {info: info(""), want: Build{Version: "dev"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.want.GoVersion, test.want.Platform = "go1.26.8", runtime.GOOS+"/"+runtime.GOARCH
			if diff := cmp.Diff(test.want, newBuild(test.version, test.commit, test.info)); diff != "" {
				t.Errorf("build (-want +got):\n%s", diff)
			}
		})
	}
}
