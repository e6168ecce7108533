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

var rules = map[string]string{
	"mixed": corpus.MixedRules, "rich": corpus.RichRules, "large": corpus.LargeRules, "style": corpus.StyleRules,
}

var kinds = map[string]corpus.Kind{
	"mixed": corpus.Mixed, "rich": corpus.Rich, "large": corpus.Large, "style": corpus.Style,
}

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func write() error {
	name := flag.String("kind", "rich", "`kind` of objects: mixed, rich, large or style")
	objects := flag.Int("objects", 1000, "how `many` objects")
	folder := flag.String("folder", "", "`folder` for files; without it, the objects go to stdout")
	list := flag.Bool("list", false, "write a ResourceList with a functionConfig")
	perFile := flag.Int("per-file", 1, "how `many` objects a file has")
	flag.Parse()
	kind, ok := kinds[*name]
	if !ok {
		return fmt.Errorf("-kind must be one of %s, found %q", strings.Join(slices.Sorted(maps.Keys(kinds)), ", "), *name)
	}
	if *list {
		return kind.WriteList(os.Stdout, *objects, fmt.Sprintf(rules[*name], ""))
	}
	if *folder == "" {
		return kind.WriteStream(os.Stdout, *objects)
	}
	_, err := kind.PerFile(*perFile).WriteFolder(*folder, *objects)
	return err
}
