package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/krm-fields/krm-fields/bench/corpus"
)

const (
	noopFactor       = 20
	noopFactorTenth  = 40
	noopMemoryFactor = 12
	yqInPlaceFactor  = 10
	// yq takes a process for each file, so that its time is the same for each file however many
	// there are: it gets fewer.
	yqInPlaceObjects = 500
)

// A task is what can be done with each package.
type task struct {
	name string
	work func(bench, pack) (work, error)
	// onAll is true for a task on the brief packages, too.
	onAll bool
}

var tasks = []task{
	{"all", bench.all, true},
	{"tenth", bench.tenth, true},
	{"cel", bench.cel, false},
	{"jq-patch", bench.jqPatch, false},
	{"take-live", bench.takeLive, false},
	{"explain", bench.explain, false},
	{"in-place", bench.inPlace, false},
}

func (b bench) packList(p pack, name, functionConfig string) (string, error) {
	return b.list(filepath.Join(p.name, name), p.kind, p.objects, functionConfig)
}

// all selects each object.
func (b bench) all(p pack) (work, error) {
	list, err := b.packList(p, "all.yaml", p.config(""))
	if err != nil {
		return work{}, err
	}
	stripped := maps.Clone(p.kept)
	maps.Copy(stripped, p.stripped)
	return versus("ignore fields of all of "+p.String(),
		b.own(list, p.objects, countLines(stripped)),
		peer{b.noop(list, p.objects, countLines(p.kept)), noopFactor, noopMemoryFactor},
	), nil
}

// besideNoop compares a run on another list of the same objects with the no-op on that of all,
// which is then run once for all tasks.
func (b bench) besideNoop(p pack, name string, own contestant, wallTarget float64) (work, error) {
	list, err := b.packList(p, "all.yaml", p.config(""))
	if err != nil {
		return work{}, err
	}
	return versus(name, own, peer{b.noop(list, p.objects, countLines(p.kept)), wallTarget, 0}), nil
}

// tenth selects one object in ten.
func (b bench) tenth(p pack) (work, error) {
	list, err := b.packList(p, "tenth.yaml", p.config(p.tenth))
	if err != nil {
		return work{}, err
	}
	own := b.own(list, p.objects, countLines(p.kept))
	return b.besideNoop(p, "ignore fields of one in ten of "+p.String(), own, noopFactorTenth)
}

// cel runs ApplyPatches with CEL on each object.
func (b bench) cel(p pack) (work, error) {
	list, err := b.packList(p, "cel.yaml", ownerByCEL)
	if err != nil {
		return work{}, err
	}
	own := b.own(list, p.objects, countOf("bench.example.com/owner: ", p.objects))
	return b.besideNoop(p, "ApplyPatches with CEL on "+p.String(), own, 0)
}

// jqPatch runs ApplyOperations with a JQPatch for each object.
func (b bench) jqPatch(p pack) (work, error) {
	config, err := jqPatches(p.kind.Objects(p.objects))
	if err != nil {
		return work{}, err
	}
	list, err := b.packList(p, "jq-patch.yaml", config)
	if err != nil {
		return work{}, err
	}
	own := b.own(list, p.objects, countOf("bench.example.com/owner: bench", p.objects))
	return b.besideNoop(p, "ApplyOperations with a JQPatch for each of "+p.String(), own, 0)
}

// takeLive runs on half of the objects and as many live ones.
func (b bench) takeLive(p pack) (work, error) {
	half := p.objects / 2
	list, err := b.write(filepath.Join(p.name, "take-live.yaml"), func(w io.Writer) error {
		return p.kind.WriteLiveList(w, half, p.drift, p.config("action: TakeLive\n"))
	})
	if err != nil {
		return work{}, err
	}
	return versus(fmt.Sprintf("TakeLive on %d %s objects, with as many live", half, p.name),
		b.own(list, 2*half, countOf("fn.kpt.dev/live", 0)),
		peer{contestant: b.noop(list, 2*half, countOf("fn.kpt.dev/live", half))},
	), nil
}

// explain runs the command explain on files.
func (b bench) explain(p pack) (work, error) {
	rules, err := b.rules(p)
	if err != nil {
		return work{}, err
	}
	dir := filepath.Join(b.data, p.name, "files to explain")
	if err := b.writeFiles(dir, p.kind, p.objects); err != nil {
		return work{}, err
	}
	own := b.own(os.DevNull, p.objects, countLines(map[string]int{
		fmt.Sprintf("ignoreFields[0], OnSpokePresent, on %d of %d objects", p.objects, p.objects): 1,
	}))
	own.command = append(own.command, "explain", "--config", rules, dir)
	return b.besideNoop(p, "explain "+p.String(), own, 0)
}

func (b bench) rules(p pack) (string, error) {
	return b.text(filepath.Join(p.name, "rules.yaml"), p.config(""))
}

// writeFiles writes files of objects in place of those that are there, which are kept elsewhere
// until the end: a file system may take long to make files right after many were removed.
func (b bench) writeFiles(dir string, kind corpus.Kind, objects int) error {
	if err := os.MkdirAll(b.old(), 0o755); err != nil {
		return err
	}
	kept, err := os.MkdirTemp(b.old(), "")
	if err != nil {
		return err
	}
	if err := os.Rename(dir, filepath.Join(kept, "files")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, err = kind.WriteFolder(dir, objects)
	return err
}

// old is the folder for files that are no longer needed.
func (b bench) old() string { return filepath.Join(b.data, "old") }

// inPlace changes files, which yq does a file at a time, without an object hash and only where a
// field has a pointer.
func (b bench) inPlace(p pack) (work, error) {
	rules, err := b.rules(p)
	if err != nil {
		return work{}, err
	}
	own, err := b.onFiles(p, "krm-fields", p.objects)
	if err != nil {
		return work{}, err
	}
	own.command = []string{b.tools.krmFields, "run", "--in-place", "--quiet", "--config", rules, own.command[0]}
	yq, err := b.onFiles(p, "yq -i", min(p.objects, yqInPlaceObjects))
	if err != nil {
		return work{}, err
	}
	yq.command = []string{"find", yq.command[0], "-type", "f", "-exec", b.tools.yq, "-i", p.yq, "{}", ";"}
	return versus("files of "+p.name+" objects, in place", own, peer{yq, yqInPlaceFactor, 0}), nil
}

// onFiles is a contestant that changes a folder of files, which is its command for now.
func (b bench) onFiles(p pack, name string, objects int) (contestant, error) {
	dir, err := filepath.Abs(filepath.Join(b.data, p.name, "files of "+name))
	if err != nil {
		return contestant{}, err
	}
	prepare := func() error { return b.writeFiles(dir, p.kind, objects) }
	check := func(io.Reader) error { return checkFiles(dir, p.gone, objects) }
	return contestant{name: name, command: []string{dir}, stdin: os.DevNull, objects: objects, prepare: prepare, check: check}, nil
}

// checkFiles checks that files hold as many objects, and no line with a key that must be gone.
func checkFiles(dir, gone string, objects int) error {
	found := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		lines := scanLines(file)
		for lines.Scan() {
			line := strings.ReplaceAll(lines.Text(), `"`, "")
			if strings.HasPrefix(line, "apiVersion:") || strings.HasPrefix(line, "  apiVersion:") && strings.HasSuffix(path, ".json") {
				found++
			}
			if strings.HasPrefix(strings.TrimSpace(line), gone) {
				return fmt.Errorf("%s still has %q", path, gone)
			}
		}
		return lines.Err()
	})
	if err == nil && found != objects {
		err = fmt.Errorf("objects in %s: got %d, want %d", dir, found, objects)
	}
	return err
}
