package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/internal/author/explain"
)

// noVersion is the version of a program that was built without one.
const noVersion = "dev"

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
	b := Build{Version: version, Commit: commit, GoVersion: info.GoVersion, Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = noVersion
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && b.Commit == "" {
			b.Commit = setting.Value
		}
	}
	return b
}

func newVersion(build Build, streams Streams) *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and the version of Go that it was built with",
		Long: `version prints the version, the commit if it is known, the version of Go that it
was built with, and the platform.

Exit codes: 0; 1 on an error.`,
		Example: `  krm-fields version
  krm-fields version -o json
  krm-fields --version`,
		Args: checkNoArguments,
		RunE: func(*cobra.Command, []string) error {
			if err := checkValue("output", format, plainFormats); err != nil {
				return err
			}
			if format == "json" {
				return explain.WriteJSON(streams.Out, build)
			}
			return build.write(streams.Out)
		},
	}
	command.Flags().StringVarP(&format, "output", "o", "text", "`FORMAT`: text or json")
	completeValues(command, "output", plainFormats)
	return command
}

// write writes the build for a person to read.
func (b Build) write(out io.Writer) error {
	commit := b.Commit
	if commit == "" {
		commit = "not known"
	}
	_, err := fmt.Fprintf(out, "version:  %s\ncommit:   %s\ngo:       %s\nplatform: %s\n", b.Version, commit, b.GoVersion, b.Platform)
	return err
}
