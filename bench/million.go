package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/krm-fields/krm-fields/bench/corpus"
)

const (
	// millionMemory is the limit for any number of objects.
	millionMemory = 400_000_000
	// objectsPerFile makes ten files of each package of a hundred objects.
	objectsPerFile = 10
)

var millionSizes = []int{1000, 10_000, 100_000, 1_000_000}

// million runs the command run on ever more objects, up to 1.5 GB, as a stream and in place.
func (b bench) million() ([]work, error) {
	rules, err := b.text(filepath.Join("million", "rules.yaml"), fmt.Sprintf(corpus.RichRules, ""))
	if err != nil {
		return nil, err
	}
	var streams, folders []contestant
	for _, n := range millionSizes {
		stream, err := b.write(filepath.Join("million", fmt.Sprintf("stream-%d.yaml", n)), func(w io.Writer) error {
			return corpus.Rich.WriteStream(w, n)
		})
		if err != nil {
			return nil, err
		}
		own := b.own(stream, n, countLines(map[string]int{"kind: CronJob": n / 5, "  replicas: 3": 0}))
		own.command = append(own.command, "run", "--quiet", "--config", rules, "-")
		streams = append(streams, own)
		folders = append(folders, b.millionInPlace(n, rules))
	}
	return []work{growth("run on a stream", streams), growth("run --in-place", folders)}, nil
}

func (b bench) millionInPlace(n int, rules string) contestant {
	dir := filepath.Join(b.data, "million", fmt.Sprintf("files-%d", n))
	own := b.own(os.DevNull, n, func(io.Reader) error { return checkFiles(dir, richGone, n) })
	own.command = append(own.command, "run", "--quiet", "--in-place", "--config", rules, dir)
	own.prepare = func() error { return b.writeFiles(dir, corpus.Rich.PerFile(objectsPerFile), n) }
	return own
}

// growth is a work on ever more objects within a limit of memory.
func growth(name string, contestants []contestant) work {
	judge := func(runs []costs) [][]finding {
		findings := make([][]finding, len(runs))
		for i, c := range runs {
			cost := c.median()
			findings[i] = []finding{
				noted("CPU of %s an object", cost.cpu/time.Duration(contestants[i].objects)),
				below(cost.rss <= millionMemory, "memory limit %s", mebibytes(millionMemory)),
			}
		}
		return findings
	}
	return work{name, contestants, judge}
}
