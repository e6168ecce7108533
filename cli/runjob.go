package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// runJob takes what comes of the chunks, and writes it at the end, since an error writes nothing.
type runJob struct {
	options runOptions
	steps   []hostless.ConfigStep
	found   *manifests.Found
	paths   []string
	meter   *meter
	streams Streams

	stream manifests.StreamWriter
	diff   explain.DiffWriter
	// spool keeps what goes to stdout if the objects come in chunks; nil if they are all there, and
	// later writes it at the end.
	spool *spool
	later func() error
	// transaction has the changes of a run in place; would are those of a dry run.
	transaction *manifests.Transaction
	would       []manifests.Change
	skipped     manifests.Errors
	// objects and changed count what the run has done, and undone is what --check finds: the
	// objects that the functionConfigs would still change.
	objects, changed int
	undone           map[report.Ref]bool
	// schemas are those that --clean asks for defaults, and cleaned what it tells.
	schemas *schema.Schemas
	cleaned []report.Result
	// leftOut are the changed objects that stdout does not have, since they are not for a cluster.
	leftOut []report.Ref
}

// inChunks returns errNotInChunks if it has done nothing because all objects are needed at once.
func (j *runJob) inChunks(stdin input) (err error) {
	session := hostless.InChunks(j.steps, j.options.settings(nil, j.streams.mask))
	if j.spool, err = newSpool(); session == nil || err != nil {
		return errNotInChunks
	}
	defer j.spool.close()
	j.meter.bytes.Store(0)
	chunks := j.found.Chunks(io.TeeReader(stdin, j.meter), chunkSize, !j.options.inPlace) // in place, files are written as a whole
	return j.run(session, chunks, j.spool)
}

func (j *runJob) atOnce(stdin io.Reader) error {
	read, err := j.found.Read(stdin)
	if err != nil {
		return withAdvice(err, j.paths)
	}
	objects := manifests.Objects(read.Files)
	j.meter.objects.Store(int64(len(objects)))
	found, definitions, skipped, err := j.options.sides(j.options.kubectl(j.streams), objects, j.streams)
	if err = cmp.Or(err, found.Err()); err != nil {
		return err
	}
	j.skipped = skipped
	in := inputs{objects: objects, live: found.Live, definitions: definitions, found: found}
	beside := in.world(j.options.clusterOptions, managedfields.Tools[0]).Beside()
	j.options.outcome.about = slices.Clone(objects)
	for _, s := range j.steps {
		if s.Source != nil {
			j.options.outcome.about = append(j.options.outcome.about, s.Source)
		}
	}
	session := hostless.AtOnce(j.steps, j.options.settings(beside, j.streams.mask))
	return j.run(session, slices.Values([]manifests.Package{read}), j.streams.Out)
}

// run runs a session over chunks of files, and writes what comes of it, objects and diffs to out.
func (j *runJob) run(session *hostless.Session, chunks iter.Seq[manifests.Package], out io.Writer) error {
	j.stream.Out, j.diff = out, explain.DiffWriter{Out: out, Coloured: hasColour(j.streams.Out)}
	j.undone = map[report.Ref]bool{}
	return j.end(session, j.each(session, chunks))
}

// each takes what comes of each chunk. Once a file is faulty, it only looks for more faults.
func (j *runJob) each(session *hostless.Session, chunks iter.Seq[manifests.Package]) error {
	defer guard.OnAbort(func(report.Result) bool {
		j.abort()
		return false
	})()
	var faults manifests.Errors
	last := ""
	for chunk := range chunks {
		for _, file := range chunk.Files {
			if file.Path != last { // a large one comes in parts
				j.meter.files.Add(1)
			}
			last = file.Path
		}
		j.skipped = append(j.skipped, chunk.Skipped...)
		if faults = append(faults, chunk.Faults...); len(faults) > 0 {
			continue
		}
		if chunk.HasBroken {
			return errNotInChunks // parts of a file that is skipped have been run on
		}
		objects := manifests.Objects(chunk.Files)
		if j.options.rule.clean {
			for _, o := range objects {
				j.cleaned = append(j.cleaned, world.Clean(o, j.schemas, *j.options.rule.texts[jsonpointer.Dialect.Name])...)
			}
		}
		ran, ok := session.Run(objects)
		if !ok {
			return errNotInChunks
		}
		if j.count(ran.Changed); session.HasFailed() {
			continue
		}
		if err := j.add(chunk.Files, ran); err != nil {
			return err
		}
	}
	switch {
	case len(faults) > 0:
		return withAdvice(faults, j.paths)
	case j.options.check && j.objects == 0: // a pipe hides that what renders them has failed
		return errors.New("with --check, there must be manifests, found none; check whether the command that renders them has failed")
	}
	return nil
}

func (j *runJob) count(objects []*object.Object) {
	j.objects += len(objects)
	for _, o := range objects {
		if !o.Changed() {
			continue
		}
		if j.changed++; j.options.check {
			j.undone[report.RefOf(o.Root())] = true
		}
	}
}

// add takes what comes of the objects of files.
func (j *runJob) add(files []*manifests.File, ran hostless.ChunkOutcome) error {
	o := j.options
	if o.inPlace {
		if err := j.stage(files, ran); err != nil {
			return err
		}
	}
	do := func() error { return j.stream.Write(ran.ForCluster()) }
	if o.diff {
		do = func() error { return j.diff.Write(ran.Changed, ran.Out) }
	} else if o.check || o.inPlace || o.isDryRun() {
		return nil
	} else {
		for _, changed := range ran.Changed {
			if changed.Changed() && ran.IsLocal(changed) {
				j.leftOut = append(j.leftOut, report.RefOf(changed.Root()))
			}
		}
	}
	if j.spool == nil {
		j.later = do
		return nil
	}
	// Where that fails, the run on all objects tells why: an object can't be written, or there is
	// no more room for temporary files.
	if do() != nil {
		return errNotInChunks
	}
	return nil
}

// leftOutResults says which objects have changed in vain.
func (j *runJob) leftOutResults() []report.Result {
	if len(j.leftOut) == 0 {
		return nil
	}
	names := lists.Map(j.leftOut, report.Ref.String)
	return []report.Result{report.New(report.SeverityInfo, report.ReasonSkipped, fmt.Sprintf(
		"%s changed but not written to stdout, which is for a cluster: %s; --in-place writes all, --diff shows all",
		words.Count(len(names), "object"), words.Some(names, maxSkipped)))}
}

// stage prepares the changes of files.
func (j *runJob) stage(files []*manifests.File, ran hostless.ChunkOutcome) error {
	folder := j.paths[0] // of new files
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		folder = filepath.Dir(folder)
	}
	changes, err := manifests.Changes(files, ran.Out, folder)
	if err != nil {
		return err
	}
	if !j.options.isDryRun() {
		if j.transaction == nil {
			j.transaction = manifests.Begin()
		}
		j.transaction.Sweep(files)
		return j.transaction.Stage(changes)
	}
	for _, c := range changes {
		j.would = append(j.would, manifests.Change{Path: c.Path, Removed: c.Removed})
	}
	return nil
}

// end prints the results of the run and writes what it has taken, unless the run has met an error.
func (j *runJob) end(session *hostless.Session, err error) error {
	if err != nil {
		j.abort()
		return err
	}
	results, ok := session.End()
	if !ok || j.spool != nil && j.spool.Flush() != nil {
		j.abort()
		return errNotInChunks
	}
	defer j.sumUp(session)
	results = slices.Concat(unmatched(j.found), passedOver(j.skipped), folded(j.cleaned), results, j.leftOutResults())
	if j.options.check && !fn.HasError(results) {
		results = j.reportUndone(results)
	}
	if err = j.settle(results); err == nil && fn.HasError(results) {
		return exitCode(1)
	}
	return err
}

// settle makes the changes of files, if no result is an error, and prints the results. Where they
// can't be printed, no file is changed.
func (j *runJob) settle(results []report.Result) error {
	o, errOut := &j.options, j.streams.Err
	if fn.HasError(results) && !o.check {
		j.abort()
		return o.outcome.conclude(results, errOut)
	}
	told := false
	tell := func() error {
		told = true
		if err := o.outcome.report(results, errOut); err != nil {
			return err
		}
		return j.write()
	}
	if j.transaction == nil {
		if err := tell(); err != nil {
			return err
		}
	} else if err := j.commit(results, tell); err != nil {
		if _, isInterrupt := errors.AsType[*manifests.InterruptError](err); isInterrupt || told {
			return err
		}
		return errors.Join(o.outcome.report(withoutInfos(results), errOut), err)
	}
	wrote, removed := "wrote", "removed"
	if o.isDryRun() {
		wrote, removed = "would write", "would remove"
	}
	for _, change := range j.would {
		verb := wrote
		if change.Removed {
			verb = removed
		}
		if o.outcome.isVerbose() {
			fmt.Fprintln(errOut, printable.Line(verb+" "+change.Path))
		}
	}
	return nil
}

// commit changes the files, one for the results among them.
func (j *runJob) commit(results []report.Result, tell func() error) error {
	j.would = slices.Clone(j.transaction.Changes())
	err := j.options.outcome.writeFile(report.Whole(results), j.transaction)
	if j.options.outcome.file = ""; err != nil {
		j.abort()
		return err
	}
	return j.transaction.Commit(tell)
}

// write writes what the run has for stdout.
func (j *runJob) write() error {
	if j.later != nil {
		return j.later()
	}
	if j.spool == nil {
		return nil
	}
	if err := j.spool.rewind(); err != nil {
		return err
	}
	_, err := io.Copy(j.streams.Out, j.spool.file)
	return err
}

func (j *runJob) abort() {
	if j.transaction != nil {
		j.transaction.Abort()
	}
}

// reportUndone makes errors of the results of objects that would still change, and adds one that
// counts them and names the usual cause.
func (j *runJob) reportUndone(results []report.Result) []report.Result {
	results = report.Whole(results)
	for i, r := range results {
		if r.Severity == report.SeverityInfo && j.undone[r.Ref] {
			results[i].Severity, results[i].Message = report.SeverityError, "not applied: "+r.Message
		}
	}
	if j.changed > 0 {
		what := "1 object is not as the functionConfigs would leave it"
		if j.changed > 1 {
			what = fmt.Sprintf("%d objects are not as the functionConfigs would leave them", j.changed)
		}
		results = append(results, report.New(report.SeverityError, report.ReasonNotApplied,
			what+"; kustomize runs a function only with --enable-alpha-plugins and --enable-exec, and skips it silently without them"))
	}
	return folded(results)
}

// sumUp ends the output of a run over more than 20 objects on a terminal with one line.
func (j *runJob) sumUp(session *hostless.Session) {
	if j.objects <= 20 || !j.options.outcome.isVerbose() || !isTerminal(j.streams.Err) {
		return
	}
	line := fmt.Sprintf("%d objects: %d changed", j.objects, j.changed)
	for _, severity := range []string{report.SeverityWarning, report.SeverityError} {
		if n := session.Count(severity); n > 0 {
			line += ", " + words.Count(n, severity)
		}
	}
	fmt.Fprintln(j.streams.Err, line)
}
