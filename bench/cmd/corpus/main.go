// Command corpus writes objects of the benchmarks, as a stream of YAML documents or as a
// ResourceList to stdout, or as files of packages of a hundred objects.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/bench/corpus"
)

// kinds are those that can be written, each with its rules.
var kinds = map[string]struct {
	kind  corpus.Kind
	rules string
}{
	"mixed":      {corpus.Mixed, corpus.MixedRules},
	"rich":       {corpus.Rich, corpus.RichRules},
	"large":      {corpus.Large, corpus.LargeRules},
	"style":      {corpus.Style, corpus.StyleRules},
	"pods":       {corpus.Pods, corpus.UntunedRules},
	"live":       {corpus.Live, corpus.UntunedRules},
	"helm":       {corpus.Helm, corpus.UntunedRules},
	"crds":       {corpus.CRDs, corpus.UntunedRules},
	"crossplane": {corpus.Crossplane, corpus.UntunedRules},
	"dashboards": {corpus.Dashboards, corpus.UntunedRules},
	"tiny":       {corpus.Tiny, corpus.UntunedRules},
}

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func write() error {
	name := flag.String("kind", "rich", "`kind` of objects: "+strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	objects := flag.Int("objects", 1000, "how `many` objects")
	folder := flag.String("folder", "", "`folder` for files; without it, the objects go to stdout")
	list := flag.Bool("list", false, "write a ResourceList with a functionConfig")
	perFile := flag.Int("per-file", 1, "how `many` objects a file has")
	flag.Parse()
	chosen, ok := kinds[*name]
	if !ok {
		return fmt.Errorf("-kind must be one of %s, found %q", strings.Join(slices.Sorted(maps.Keys(kinds)), ", "), *name)
	}
	if *list {
		return chosen.kind.WriteList(os.Stdout, *objects, fmt.Sprintf(chosen.rules, ""))
	}
	if *folder == "" {
		return chosen.kind.WriteStream(os.Stdout, *objects)
	}
	_, err := chosen.kind.PerFile(*perFile).WriteFolder(*folder, *objects)
	return err
}
