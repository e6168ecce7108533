package engine

import (
	"runtime/debug"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/convert"
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
	Kinds   []string `json:"kinds"`
	Formats formats  `json:"formats"`
}

// formats are what convert takes.
type formats struct {
	From []format `json:"from"`
	To   []format `json:"to"`
}

// format is one of them, with its name for a person.
type format struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Holds names the objects that have rules in this format.
	Holds string `json:"holds,omitempty"`
}

func version(versionRequest) (versionAnswer, error) {
	a := versionAnswer{Version: Version}
	for _, source := range convert.Sources {
		a.Formats.From = append(a.Formats.From, format{source.Name, source.Title, source.Holds})
	}
	for _, target := range convert.Targets {
		a.Formats.To = append(a.Formats.To, format{Name: target.Name, Title: target.Title()})
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		a.Go = info.GoVersion
	}
	for _, kind := range fn.Kinds() {
		a.Kinds = append(a.Kinds, kind.Name)
	}
	return a, nil
}
