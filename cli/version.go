package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/internal/author/explain"
)

// Build is what the program was built from.
type Build struct {
	Version string `json:"version"`
	// Commit is "" where it is not known: Go keeps none for `go install MODULE@VERSION`.
	Commit    string `json:"commit,omitempty"`
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
}

// NewBuild describes this program by the version and the commit that the linker was given. Where
// one is "", it takes what Go has recorded in the binary.
func NewBuild(version, commit string) Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	return newBuild(version, commit, info)
}

func newBuild(version, commit string, info *debug.BuildInfo) Build {
	b := Build{Commit: commit, GoVersion: info.GoVersion, Platform: runtime.GOOS + "/" + runtime.GOARCH}
	b.Version = cmp.Or(version, strings.TrimSuffix(info.Main.Version, "(devel)"), "dev")
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && b.Commit == "" {
			b.Commit = setting.Value
		}
	}
	return b
}

func newVersion(build Build, streams Streams) *cobra.Command {
	var format string
	command := describe("version")
	command.Args = checkNoArguments
	command.RunE = func(*cobra.Command, []string) error {
		if format == "json" {
			return explain.WriteJSON(streams.Out, build)
		}
		_, err := fmt.Fprintf(streams.Out, "version:  %s\ncommit:   %s\ngo:       %s\nplatform: %s\n",
			build.Version, cmp.Or(build.Commit, "not known"), build.GoVersion, build.Platform)
		return err
	}
	addFormat(command, &format, plainFormats, "`FORMAT`: text or json")
	return command
}
