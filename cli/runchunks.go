package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Manifests of more bytes than chunkedFrom are read, run and written in chunks of about chunkSize,
// if the functionConfigs and the flags allow it.
var (
	chunkedFrom int64 = 16 << 20
	chunkSize   int64 = 4 << 20
)

// chunkedRun is a run in chunks: what it writes goes to temporary files until the end, since an
// error writes nothing.
type chunkedRun struct {
	options runOptions
	steps   []*chunkedStep
	dir     string // for new files
	colour  bool
	// out is what goes to stdout, and stream writes to it; nil for a run in place.
	out    *spool
	stream *manifests.StreamWriter
	// changes are those of a run in place, or would be.
	changes *manifests.Transaction
	would   []manifests.Change
	failed  bool
	sum     tally
	// spools are all temporary files.
	spools       []*spool
	failedToOpen bool
}

// chunkedStep is a functionConfig with its results so far, as text: those of objects, and those
// that come last.
type chunkedStep struct {
	step
	chunks        *fn.Chunks
	results, last resultSpool
	failed        bool
}

// addSums adds the sums of the results to those that a spool holds.
func (s *chunkedStep) addSums(to resultSpool, colour bool) {
	for _, from := range []resultSpool{s.results, s.last} {
		if from.fold != nil {
			to.print(from.fold.Sums(), colour)
		}
	}
}

// resultSpool holds results as text, and those of them that are no infos.
type resultSpool struct {
	all, grave *spool
	// fold sums up results; nil if each is printed.
	fold *report.Fold
}

func (s resultSpool) add(results []report.Result, colour bool) {
	if s.fold != nil {
		results = s.fold.Pass(results)
	}
	s.print(results, colour)
}

func (s resultSpool) print(results []report.Result, colour bool) {
	printColoured(s.all, results, colour)
	printColoured(s.grave, withoutInfos(results), colour)
}

// copyTo copies the results, or those that are no infos.
func (s resultSpool) copyTo(out io.Writer, graveOnly bool) error {
	if graveOnly {
		return s.grave.copyTo(out)
	}
	return s.all.copyTo(out)
}

// mayRunInChunks tells whether no flag needs all objects or results at once.
func (o runOptions) mayRunInChunks() bool {
	return o.outcome.format == "text" && o.outcome.file == "" && o.operations == "" && len(o.live)+len(o.crds) == 0 &&
		!o.diff && !o.check && !o.stats && !o.paths.skipInvalid
}

// input is stdin as a stream that can be read again.
type input struct {
	io.ReadSeeker
	start, size int64
	close       func()
}

// again returns the stream from its beginning.
func (i input) again() (io.Reader, error) {
	_, err := i.Seek(i.start, io.SeekStart)
	return i, err
}

// rereadable returns stdin, if it is used, as an input. What comes through a pipe and is too large
// for a run on all objects at once is copied to a temporary file.
func rereadable(stdin *os.File, isUsed bool) (input, error) {
	nothing := input{ReadSeeker: bytes.NewReader(nil), close: func() {}}
	if !isUsed {
		return nothing, nil
	}
	if info, err := stdin.Stat(); err == nil && info.Mode().IsRegular() {
		start, err := stdin.Seek(0, io.SeekCurrent)
		return input{stdin, start, info.Size() - start, nothing.close}, err
	}
	head, err := manifests.ReadText(manifests.Stdin, io.LimitReader(stdin, chunkedFrom))
	if err != nil || int64(len(head)) < chunkedFrom {
		return input{bytes.NewReader(head), 0, int64(len(head)), nothing.close}, err
	}
	kept, err := newSpool()
	if err != nil { // there is no place for temporary files
		rest, err := manifests.ReadText(manifests.Stdin, stdin)
		return input{bytes.NewReader(append(head, rest...)), 0, 0, nothing.close}, err
	}
	_, _ = kept.Write(head) // which rewind tells of
	size, err := io.Copy(kept, stdin)
	if err == nil {
		err = kept.rewind()
	}
	return input{kept.file, 0, chunkedFrom + size, kept.close}, err
}

// newChunkedRun returns a run in chunks; nil if a functionConfig needs all objects at once, or if
// there is no place for temporary files.
func newChunkedRun(options runOptions, steps []step, dir string, colour bool) *chunkedRun {
	r := &chunkedRun{options: options, dir: dir, colour: colour}
	for _, s := range steps {
		chunks := fn.InChunks(fn.Options{}, s.functionConfig)
		if chunks == nil {
			return nil
		}
		one := &chunkedStep{step: s, chunks: chunks}
		if !options.outcome.all {
			one.results.fold, one.last.fold = fn.NewFold(s.functionConfig), fn.NewFold(s.functionConfig)
		}
		r.steps = append(r.steps, one)
	}
	for _, s := range r.steps {
		r.open(&s.results.all, &s.results.grave, &s.last.all, &s.last.grave)
	}
	if !options.inPlace {
		r.open(&r.out)
		r.stream = &manifests.StreamWriter{Out: r.out}
	}
	if r.failedToOpen {
		r.close()
		return nil
	}
	if options.inPlace && !options.dryRun {
		r.changes = manifests.Begin()
	}
	return r
}

// open makes spools.
func (r *chunkedRun) open(spools ...**spool) {
	for _, s := range spools {
		made, err := newSpool()
		if err != nil {
			r.failedToOpen = true
			return
		}
		*s = made
		r.spools = append(r.spools, made)
	}
}

// close removes the temporary files; the changes must have been made or given up.
func (r *chunkedRun) close() {
	for _, s := range r.spools {
		s.close()
	}
}

// flush writes what the spools hold. From then on they are only read.
func (r *chunkedRun) flush() error {
	for _, s := range r.spools {
		if s.Flush() != nil {
			return errNotInChunks // the temporary files have no more room
		}
	}
	return nil
}

// errNotInChunks says that a run needs all objects at once after all.
var errNotInChunks = errors.New("not in chunks")

// runInChunks runs on the files a chunk at a time. It returns errNotInChunks if it has done nothing
// because the run needs all objects at once.
func runInChunks(options runOptions, steps []step, found *manifests.Found, stdin input, paths []string, streams Streams) (err error) {
	r := newChunkedRun(options, steps, folderOf(paths[0]), hasColour(streams.Err))
	if r == nil {
		return errNotInChunks
	}
	defer r.close()
	defer func() {
		if !errors.Is(err, errNotInChunks) {
			r.sum.print(streams.Err, options.outcome)
		}
	}()
	stop := showProgress(streams.Err, fmt.Sprintf("%d MB", (found.Size()+stdin.size)/1_000_000))
	err = r.readAll(found, stdin, paths)
	stop()
	if err == nil {
		err = r.end()
	}
	if err == nil {
		err = r.flush()
	}
	if err != nil || r.failed {
		if r.changes != nil {
			r.changes.Abort()
		}
		if err == nil {
			err = cmp.Or(r.report(streams.Err, true), error(exitCode(1)))
		}
		return err
	}
	return r.write(streams)
}

// readAll runs on all chunks. Once a file is faulty, it only looks for more faults.
func (r *chunkedRun) readAll(found *manifests.Found, stdin io.Reader, paths []string) error {
	var faults manifests.Errors
	for chunk := range found.Chunks(stdin, chunkSize) {
		if faults = append(faults, chunk.Skipped...); len(faults) > 0 {
			continue
		}
		if err := r.run(chunk.Files); err != nil {
			return err
		}
	}
	if len(faults) > 0 {
		return withAdvice(faults, paths)
	}
	return nil
}

// run runs on the objects of files and keeps what comes out.
func (r *chunkedRun) run(files []*manifests.File) error {
	objects := manifests.Objects(files)
	ran := runOutcome{out: objects, local: map[*object.Object]bool{}}
	for _, s := range r.steps {
		ran.noteLocal()
		out, results, last, ok := s.chunks.Run(ran.out)
		if !ok {
			return errNotInChunks
		}
		r.note(s, results, s.results)
		r.note(s, last, s.last)
		if s.failed {
			return nil
		}
		ran.out = out
	}
	r.sum.addObjects(objects)
	if r.failed {
		return nil
	}
	if r.stream != nil {
		if r.stream.Write(ran.forCluster()) != nil {
			return errNotInChunks // the run on all objects tells of an object that can't be written
		}
		return nil
	}
	changes, err := manifests.Changes(files, ran.out, r.dir)
	if err != nil {
		return err
	}
	if r.changes != nil {
		return r.changes.Stage(changes)
	}
	for _, c := range changes {
		r.would = append(r.would, manifests.Change{Path: c.Path, Removed: c.Removed})
	}
	return nil
}

// note keeps results of a step.
func (r *chunkedRun) note(s *chunkedStep, results []report.Result, in resultSpool) {
	if r.options.strict {
		makeStrict(results)
	}
	nameFile(results, s.functionConfig, s.path)
	in.add(results, r.colour)
	r.sum.addResults(results)
	if fn.HasError(results) {
		s.failed, r.failed = true, true
	}
}

// end adds the results that are not of single objects. A step that fails is the last.
func (r *chunkedRun) end() error {
	for i, s := range r.steps {
		results, ok := s.chunks.End()
		if !ok {
			return errNotInChunks
		}
		r.note(s, results, s.results)
		if s.failed {
			s.addSums(s.results, r.colour)
			r.steps = r.steps[:i+1]
			return nil
		}
		s.addSums(s.last, r.colour)
	}
	return nil
}

// report prints the results, without infos if only grave ones are asked for.
func (r *chunkedRun) report(errOut io.Writer, graveOnly bool) error {
	for _, s := range r.steps {
		if err := s.results.copyTo(errOut, graveOnly); err != nil {
			return err
		}
		if s.failed {
			continue
		}
		if err := s.last.copyTo(errOut, graveOnly); err != nil {
			return err
		}
	}
	return nil
}

// write prints the results and writes the manifests, as the flags say.
func (r *chunkedRun) write(streams Streams) error {
	if r.changes != nil {
		if err := r.changes.Commit(); err != nil {
			return errors.Join(r.report(streams.Err, true), err)
		}
	}
	if err := r.report(streams.Err, r.options.outcome.quiet); err != nil {
		return err
	}
	switch {
	case r.changes != nil:
		r.options.tellChanges(r.changes.Changes(), streams.Err)
	case r.options.inPlace:
		r.options.tellChanges(r.would, streams.Err)
	case !r.options.dryRun:
		return r.out.copyTo(streams.Out)
	}
	return nil
}
