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

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

type runOptions struct {
	configs    []string
	operations string
	clusterOptions
	inPlace bool
	dryRun  string
	diff    bool
	strict  bool
	check   bool
	stats   bool
	rule    ruleOptions
	outcome resultOptions
}

func newRun(streams Streams) *cobra.Command {
	var options runOptions
	command := describe("run", "{RULES}", ruleFlags(" and "))
	command.RunE = func(command *cobra.Command, paths []string) error {
		options.rule.hasGroup = command.Flags().Changed("group")
		return options.outcome.reportError(command, run(options, paths, streams), streams.Err)
	}
	flags := command.Flags()
	addConfigs(command, &options.configs)
	addFile(command, &options.operations, "operations", "`FILE` of operations, as a hook of shell-operator writes it, or -", manifestExtensions...)
	options.clusterOptions.addTo(command)
	flags.Lookup("field-manager").Usage = "field manager `NAME` that applies the package (default: live.fieldManager, or any)"
	flags.BoolVarP(&options.inPlace, "in-place", "i", false, "write the manifests back to the files that changed: all of them, or none on an error")
	addDryRun(command, &options.dryRun, "`MODE` client, also without a value, and server write no manifests, neither to stdout nor to files")
	flags.BoolVar(&options.diff, "diff", false, "write a diff to stdout instead of the manifests")
	flags.BoolVar(&options.strict, "strict", false, "make it an error if an expression or a selector matches nothing in the whole run")
	flags.BoolVar(&options.check, "check", false, "write no manifests, and make it an error if a manifest would still change")
	flags.BoolVar(&options.stats, "stats", false, "show the time that each expression took, the slowest first")
	flags.BoolVarP(&options.outcome.quiet, "quiet", "q", false, "leave out infos on stderr, and the files that --in-place wrote")
	flags.BoolVar(&options.outcome.all, "all-results", false, "print each result as text, not only the first 20 of a kind and a sum")
	options.outcome.addFile(command)
	options.outcome.addTo(command)
	options.rule.addTo(command)
	return command
}

func (o runOptions) isDryRun() bool { return o.dryRun != "none" }

func (o runOptions) validate(paths []string) error {
	if err := cmp.Or(o.rule.check(), o.clusterOptions.check()); err != nil {
		return err
	}
	hasOperations, hasConfigs, live := o.operations != "", len(o.configs) > 0, o.liveFlag()
	if !hasConfigs && !hasOperations && !o.rule.has() && !o.rule.clean {
		return cmp.Or(configAmong(paths), errors.New("no rules given; use --config FILE, --pointer POINTER, --from-owners, --clean or --operations FILE"))
	}
	return firstOf(
		fault{o.check && o.inPlace, "--check and --in-place must not be given together: --check writes nothing"},
		fault{o.check && o.strict, "--check and --strict must not be given together: a rule whose fields are already stripped matches nothing"},
		fault{o.check && o.hasLive(), "--check and --live must not be given together: a result with live objects is good for one apply only"},
		fault{o.check && hasOperations, "--check and --operations must not be given together: operations change the objects in each run"},
		fault{o.rule.has() && o.namespace != "" && !o.hasLive(), fmt.Sprintf("--namespace selects nothing: it pairs objects with live ones, which --live or "+
			"--from-cluster gives; for the rule, type --in-namespace %s", o.namespace)},
		fault{hasConfigs && hasOperations, "--config and --operations must not be given together"},
		fault{o.rule.has() && hasOperations, "--operations must not be given together with " + ruleFlags(" or ")},
		fault{o.hasLive() && hasOperations, live + " and --operations must not be given together: operations have no live objects"},
		fault{o.inPlace && slices.Contains(paths, manifests.Stdin),
			fmt.Sprintf("--in-place must have files or folders to write back to, found %q", manifests.Stdin)},
		fault{o.inPlace && o.hasLive(), "--in-place and " + live + " must not be given together: the output is for one apply, not for the package"},
	)
}

// run goes over large manifests in chunks, unless all objects are needed at once.
func run(options runOptions, paths []string, streams Streams) error {
	inputs := slices.Concat(options.configs, []string{options.operations}, options.live, options.crds)
	paths, err := orStdin(paths, streams, inputs...)
	if err != nil {
		return err
	}
	if err := options.validate(paths); err != nil {
		return err
	}
	options.outcome.isPiped = slices.Contains(paths, manifests.Stdin)
	steps, err := options.steps(streams)
	if err != nil {
		return err
	}
	defer guard.OnAbort(func(failed report.Result) bool {
		results := []report.Result{failed}
		for _, s := range steps {
			s.NameIn(results)
		}
		return options.outcome.report(results, streams.Err) == nil
	})()
	found, err := options.paths.find(paths, manifests.Options{Strict: options.strict})
	if err != nil {
		return err
	}
	if err := options.outcome.checkFile(found, inputs); err != nil {
		return err
	}
	// The places of results that a review shows are looked up in the objects.
	o, writer := options.outcome, explain.WriterForFile(options.outcome.file)
	needsObjects := o.file != "" && writer.HasPlaces || slices.Contains(reviewFormats, o.format)
	m := streams.meter
	m.show(streams.Err, found.Count())
	job := runJob{options: options, steps: steps, found: found, paths: paths, meter: m, streams: streams}
	if options.rule.clean {
		job.schemas = &schema.Schemas{}
	}
	inChunks := job
	stdin := io.Reader(streams.In)
	if options.operations == "" && !options.hasLive() && len(options.crds) == 0 && !needsObjects {
		input, err := rereadable(streams.In, slices.Contains(paths, manifests.Stdin), m)
		if err != nil {
			return err
		}
		defer input.close()
		if found.Size()+input.size >= chunkedFrom {
			if err := inChunks.inChunks(input); !errors.Is(err, errNotInChunks) {
				return err
			}
		}
		if _, err = input.Seek(input.start, io.SeekStart); err != nil {
			return err
		}
		stdin = input
	}
	return job.atOnce(stdin)
}

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

func (o runOptions) settings(beside []*object.Object, mask *redact.Mask) hostless.Settings {
	needsAll := o.outcome.all || o.outcome.isForPrograms() || o.outcome.file != ""
	settings := hostless.Settings{Strict: o.strict, Beside: beside, Whole: o.check || needsAll}
	settings.Options = fn.Options{Mask: mask, IgnoreFields: ignorefields.Options{Measures: o.stats}}
	settings.Options.IgnoreFields.Purpose = func(c *ignorefields.Config) {
		if o.check {
			ignorefields.Check(c)
		}
		c.Live.FieldManager = cmp.Or(o.fieldManager, c.Live.FieldManager)
	}
	return settings
}

func (o runOptions) steps(streams Streams) ([]hostless.ConfigStep, error) {
	if o.operations != "" {
		text, err := manifests.ReadText(o.operations, streams.In)
		if !applyoperations.IsHook(text) {
			if file, fault := manifests.Parse(o.operations, text, nil); fault == nil {
				err = cmp.Or(err, configIn([]*manifests.File{file}))
			}
		}
		return []hostless.ConfigStep{{FunctionConfig: applyoperations.FromHook(text), Path: nameOfFile(o.operations)}}, err
	}
	steps, err := readConfigs(o.configs, streams)
	if err != nil {
		return nil, err
	}
	if o.rule.has() {
		steps = append(steps, hostless.ConfigStep{FunctionConfig: o.rule.functionConfig()})
	}
	if !o.check {
		return steps, nil
	}
	for _, s := range steps { // --check can't run what changes something in each run, or needs live objects
		if kind := s.Kind(); !kind.ReadsLive {
			return nil, fmt.Errorf("with --check, %s must be of kind %s, found %s, which may change something in each run",
				s.Path, ignorefields.Kind, kind.Name)
		}
		action, what := ignorefields.ConfigOf(s.FunctionConfig).Action, "--action must not be "
		if s.Path != "" {
			what = s.Path + " must not have action: "
		}
		if ignorefields.ActionOf(action).Effect == ignorefields.TakenFromLive {
			return nil, fmt.Errorf("with --check, %s%s, which needs live objects: a result with live objects is good for one apply only", what, action)
		}
	}
	return steps, nil
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
