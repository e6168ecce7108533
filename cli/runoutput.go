package cli

import (
	"cmp"
	"errors"
	"iter"
	"slices"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
)

// runOutput takes what comes of the chunks of a run, and writes it at the end, since an error
// writes nothing.
type runOutput struct {
	options runOptions
	streams Streams
	paths   []string
	stream  manifests.StreamWriter
	diff    explain.DiffWriter
	// spool keeps what goes to stdout if the objects come in chunks; nil if they are all there, and
	// later writes it at the end.
	spool *spool
	later []func() error
	// transaction has the changes of a run in place; would are those of a dry run.
	transaction *manifests.Transaction
	would       []manifests.Change
	skipped     manifests.Errors
	undone      undone
	sum         tally
}

// newOutput returns the output of a run over the files at paths.
func newOutput(options runOptions, kept *spool, paths []string, streams Streams) *runOutput {
	w := &runOutput{options: options, streams: streams, paths: paths, spool: kept, undone: undone{refs: map[report.Ref]bool{}}}
	out := streams.Out
	if kept != nil {
		out = kept
	}
	w.stream.Out, w.diff = out, explain.DiffWriter{Out: out, Coloured: hasColour(streams.Out)}
	return w
}

// run runs a session over chunks of files. Once a file is faulty, it only looks for more faults.
func (w *runOutput) run(session *hostless.Session, chunks iter.Seq[manifests.Package]) error {
	defer guard.OnAbort(func(report.Result) bool {
		w.abort()
		return false
	})()
	var faults manifests.Errors
	for chunk := range chunks {
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
		if w.sum.addObjects(ran.Changed); session.HasFailed() {
			continue
		}
		if err := w.add(chunk.Files, ran); err != nil {
			return err
		}
	}
	switch {
	case len(faults) > 0:
		return withAdvice(faults, w.paths)
	case w.options.check && w.sum.objects == 0:
		return errNothingToCheck
	}
	return nil
}

// add takes what comes of the objects of files.
func (w *runOutput) add(files []*manifests.File, ran hostless.Outcome) error {
	switch o := w.options; {
	case o.check:
		w.undone.add(ran)
	case o.inPlace:
		if err := w.stage(files, ran); err != nil {
			return err
		}
	case !o.diff && !o.dryRun:
		return w.write(func() error { return w.stream.Write(ran.ForCluster()) })
	}
	if w.options.diff {
		return w.write(func() error { return w.diff.Write(ran.Changed, ran.Out) })
	}
	return nil
}

// write writes to stdout, at the end. Where that fails, the run on all objects tells why: an object
// can't be written, or there is no more room for temporary files.
func (w *runOutput) write(do func() error) error {
	if w.spool == nil {
		w.later = append(w.later, do)
		return nil
	}
	if do() != nil {
		return errNotInChunks
	}
	return nil
}

// stage prepares the changes of files.
func (w *runOutput) stage(files []*manifests.File, ran hostless.Outcome) error {
	changes, err := manifests.Changes(files, ran.Out, folderOf(w.paths[0]))
	if err != nil {
		return err
	}
	if !w.options.dryRun {
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
	w.sum.warnings, w.sum.errors = session.Count(report.SeverityWarning), session.Count(report.SeverityError)
	defer w.sum.print(w.streams.Err, w.options.outcome)
	results = append(passedOver(w.skipped), results...)
	if w.options.check && !fn.HasError(results) {
		results = w.undone.report(results)
	}
	if err := w.settle(results); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	if fn.HasError(results) {
		return exitCode(1)
	}
	return nil
}

// settle makes the changes of files, if no result is an error, and prints the results: without
// infos if there are no changes after all.
func (w *runOutput) settle(results []report.Result) error {
	o, errOut := w.options, w.streams.Err
	if fn.HasError(results) && !o.check {
		w.abort()
		return cmp.Or(o.outcome.report(withoutInfos(results), errOut), error(exitCode(1)))
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
	o.tellChanges(w.would, errOut)
	return nil
}

// abort leaves all files as they were.
func (w *runOutput) abort() {
	if w.transaction != nil {
		w.transaction.Abort()
	}
}

// flush writes to stdout what it is to get.
func (w *runOutput) flush() error {
	for _, do := range w.later {
		if err := do(); err != nil {
			return err
		}
	}
	if w.spool != nil {
		return w.spool.copyTo(w.streams.Out)
	}
	return nil
}

// undone is what --check finds: the objects that the functionConfigs would still change.
type undone struct {
	refs  map[report.Ref]bool
	count int
}

func (u *undone) add(ran hostless.Outcome) {
	for _, item := range ran.Changed {
		if item.Changed() {
			u.refs[report.RefOf(item.Root())] = true
			u.count++
		}
	}
}

// report makes errors of the results of these objects, and adds one that counts them.
func (u *undone) report(results []report.Result) []report.Result {
	results = report.Whole(results)
	for i, r := range results {
		if r.Severity == report.SeverityInfo && u.refs[r.Ref] {
			results[i].Severity, results[i].Message = report.SeverityError, "not applied: "+r.Message
		}
	}
	if u.count > 0 {
		results = append(results, report.Result{Severity: report.SeverityError, Message: undoneMessage(u.count)})
	}
	return report.NewFold(config.DefaultLimit, report.Ref{}).All(results)
}
