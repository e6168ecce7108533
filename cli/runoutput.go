package cli

import (
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
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// runOutput takes what comes of the chunks of a run, and writes it at the end, since an error
// writes nothing.
type runOutput struct {
	runJob
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
}

// newOutput returns the output of a run.
func newOutput(j runJob, kept *spool) *runOutput {
	w := &runOutput{runJob: j, spool: kept, undone: map[report.Ref]bool{}}
	out := j.streams.Out
	if kept != nil {
		out = kept
	}
	w.stream.Out, w.diff = out, explain.DiffWriter{Out: out, Coloured: hasColour(j.streams.Out)}
	return w
}

// run runs a session over chunks of files, and writes what comes of it.
func (w *runOutput) run(session *hostless.Session, chunks iter.Seq[manifests.Package]) error {
	err := w.each(session, chunks)
	w.stop()
	return w.end(session, err)
}

// each takes what comes of each chunk. Once a file is faulty, it only looks for more faults.
func (w *runOutput) each(session *hostless.Session, chunks iter.Seq[manifests.Package]) error {
	defer guard.OnAbort(func(report.Result) bool {
		w.abort()
		return false
	})()
	var faults manifests.Errors
	last := ""
	for chunk := range chunks {
		for _, file := range chunk.Files {
			if file.Path != last { // a large one comes in parts
				w.meter.files.Add(1)
			}
			last = file.Path
		}
		w.skipped = append(w.skipped, chunk.Skipped...)
		if faults = append(faults, chunk.Faults...); len(faults) > 0 {
			continue
		}
		if chunk.HasBroken {
			return errNotInChunks // parts of a file that is skipped have been run on
		}
		ran, ok := session.Run(manifests.Objects(chunk.Files))
		if !ok {
			return errNotInChunks
		}
		if w.count(ran.Changed); session.HasFailed() {
			continue
		}
		if err := w.add(chunk.Files, ran); err != nil {
			return err
		}
	}
	switch {
	case len(faults) > 0:
		return withAdvice(faults, w.paths)
	case w.options.check && w.objects == 0: // a pipe hides that what renders them has failed
		return errors.New("with --check, there must be manifests, found none; check whether the command that renders them has failed")
	}
	return nil
}

// count counts what a run has done.
func (w *runOutput) count(objects []*object.Object) {
	w.objects += len(objects)
	for _, o := range objects {
		if !o.Changed() {
			continue
		}
		if w.changed++; w.options.check {
			w.undone[report.RefOf(o.Root())] = true
		}
	}
}

// add takes what comes of the objects of files.
func (w *runOutput) add(files []*manifests.File, ran hostless.Outcome) error {
	o := w.options
	if o.inPlace {
		if err := w.stage(files, ran); err != nil {
			return err
		}
	}
	do := func() error { return w.stream.Write(ran.ForCluster()) }
	if o.diff {
		do = func() error { return w.diff.Write(ran.Changed, ran.Out) }
	} else if o.check || o.inPlace || o.isDryRun() {
		return nil
	}
	if w.spool == nil {
		w.later = do
		return nil
	}
	// Where that fails, the run on all objects tells why: an object can't be written, or there is
	// no more room for temporary files.
	if do() != nil {
		return errNotInChunks
	}
	return nil
}

// stage prepares the changes of files.
func (w *runOutput) stage(files []*manifests.File, ran hostless.Outcome) error {
	folder := w.paths[0] // of new files
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		folder = filepath.Dir(folder)
	}
	changes, err := manifests.Changes(files, ran.Out, folder)
	if err != nil {
		return err
	}
	if !w.options.isDryRun() {
		if w.transaction == nil {
			w.transaction = manifests.Begin()
		}
		w.transaction.Sweep(files)
		return w.transaction.Stage(changes)
	}
	for _, c := range changes {
		w.would = append(w.would, manifests.Change{Path: c.Path, Removed: c.Removed})
	}
	return nil
}

// end prints the results of the run and writes what it has taken, unless the run has met an error.
func (w *runOutput) end(session *hostless.Session, err error) error {
	if err != nil {
		w.abort()
		return err
	}
	results, ok := session.End()
	if !ok || w.spool != nil && w.spool.Flush() != nil {
		w.abort()
		return errNotInChunks
	}
	defer w.sumUp(session)
	results = append(passedOver(w.skipped), results...)
	if w.options.check && !fn.HasError(results) {
		results = w.reportUndone(results)
	}
	if err := w.settle(results); err != nil {
		return err
	}
	if w.later != nil {
		err = w.later()
	} else if w.spool != nil {
		if err = w.spool.rewind(); err == nil {
			_, err = io.Copy(w.streams.Out, w.spool.file)
		}
	}
	if err == nil && fn.HasError(results) {
		return exitCode(1)
	}
	return err
}

// settle makes the changes of files, if no result is an error, and prints the results: without
// infos if there are no changes after all.
func (w *runOutput) settle(results []report.Result) error {
	o, errOut := w.options, w.streams.Err
	if fn.HasError(results) && !o.check {
		w.abort()
		return o.outcome.conclude(results, errOut)
	}
	if w.transaction != nil {
		w.would = slices.Clone(w.transaction.Changes())
		err := o.outcome.stage(results, w.transaction)
		if o.outcome.file = ""; err != nil {
			w.abort()
		} else {
			err = w.transaction.Commit()
		}
		if err != nil {
			return errors.Join(o.outcome.report(withoutInfos(results), errOut), err)
		}
	}
	if err := o.outcome.report(results, errOut); err != nil {
		return err
	}
	wrote, removed := "wrote", "removed"
	if o.isDryRun() {
		wrote, removed = "would write", "would remove"
	}
	for _, change := range w.would {
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

// abort leaves all files as they were.
func (w *runOutput) abort() {
	if w.transaction != nil {
		w.transaction.Abort()
	}
}

// reportUndone makes errors of the results of objects that would still change, and adds one that
// counts them. It names the usual cause: a host that did not run the function, and said nothing.
func (w *runOutput) reportUndone(results []report.Result) []report.Result {
	results = report.Whole(results)
	for i, r := range results {
		if r.Severity == report.SeverityInfo && w.undone[r.Ref] {
			results[i].Severity, results[i].Message = report.SeverityError, "not applied: "+r.Message
		}
	}
	if w.changed > 0 {
		what := "1 object is not as the functionConfigs would leave it"
		if w.changed > 1 {
			what = fmt.Sprintf("%d objects are not as the functionConfigs would leave them", w.changed)
		}
		results = append(results, report.Result{Severity: report.SeverityError, Tags: map[string]string{"reason": report.ReasonNotApplied}, Message: what +
			"; kustomize runs a function only with --enable-alpha-plugins and --enable-exec, and skips it silently without them"})
	}
	return report.NewFold(config.DefaultLimit, report.Ref{}).All(results)
}

// fewObjects is how many objects need no line that sums up the run.
const fewObjects = 20

// sumUp ends the output of a run over many objects on a terminal with a line that sums it up.
func (w *runOutput) sumUp(session *hostless.Session) {
	if w.objects <= fewObjects || !w.options.outcome.isVerbose() || !isTerminal(w.streams.Err) {
		return
	}
	line := fmt.Sprintf("%d objects: %d changed", w.objects, w.changed)
	for _, severity := range []string{report.SeverityWarning, report.SeverityError} {
		if n := session.Count(severity); n > 0 {
			line += ", " + count(n, severity)
		}
	}
	fmt.Fprintln(w.streams.Err, line)
}

// count returns a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
