package engine

import (
	"runtime/debug"

	"github.com/krm-fields/krm-fields/fn"
)

// Version is the version of the engine; the linker sets it.
var Version = "dev"

type versionRequest struct{}

// versionAnswer says what the engine is and can do.
type versionAnswer struct {
	Version string `json:"version"`
	// Go is the version of Go that it was built with.
	Go string `json:"go,omitempty"`
	// Kinds are the kinds of functionConfig that it runs.
	Kinds []string `json:"kinds"`
}

func version(versionRequest) (versionAnswer, error) {
	a := versionAnswer{Version: Version}
	if info, ok := debug.ReadBuildInfo(); ok {
		a.Go = info.GoVersion
	}
	for _, kind := range fn.Kinds() {
		a.Kinds = append(a.Kinds, kind.Name)
	}
	return a, nil
}
