package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/internal/author/audit"
	"github.com/krm-fields/krm-fields/internal/author/suggest"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

type auditOptions struct {
	cluster clusterOptions
	suggest bool
	output  string
	// failOn are the problems that fail the command.
	failOn []string
}

func newAudit(streams Streams) *cobra.Command {
	var options auditOptions
	command := describe("audit")
	command.Args = checkNoArguments
	command.RunE = func(*cobra.Command, []string) error { return runAudit(options, streams) }
	flags := command.Flags()
	options.cluster.addTo(command)
	flags.Lookup("skip-invalid").Usage = "skip files with something that is not a Kubernetes object in YAML or JSON"
	flags.BoolVar(&options.suggest, "suggest", false, "print rules instead of the table")
	flags.StringSliceVar(&options.failOn, "fail-on", nil, "exit with 1 where there is a `PROBLEM`: "+words.All(audit.Problems)+"; several with commas")
	completeList(command, "fail-on", audit.Problems)
	flags.Lookup("namespace").Usage = "read only the namespace `NS` of the cluster (default: all)"
	flags.Lookup("field-manager").Usage = "only the findings with this field manager `NAME` (default: all)"
	addFormat(command, &options.output, []string{"text", "json"}, "`FORMAT`: text, or json, with each finding")
	return command
}

func (o auditOptions) check() error {
	if o.suggest && o.output == "json" {
		return fmt.Errorf("--suggest and --output json must not be given together")
	}
	for _, problem := range o.failOn {
		if !slices.Contains(audit.Problems, problem) {
			return fmt.Errorf("--fail-on must be %s, found %q%s", words.List(audit.Problems), problem, words.DidYouMean(problem, audit.Problems))
		}
	}
	return nil
}

func runAudit(options auditOptions, streams Streams) error {
	if err := options.check(); err != nil {
		return err
	}
	in, err := options.input(streams)
	if err != nil {
		return err
	}
	defer in.stdin.close()
	a := audit.Audit{Schemas: &schema.Schemas{}, Manager: options.cluster.fieldManager}
	definitions, err := readDefinitions(options.cluster.crds, streams)
	if err != nil {
		return err
	}
	if options.cluster.paths.skipInvalid { // so that nothing counts in a file that is skipped
		if _, err := in.each(a.Check); err != nil {
			return err
		}
	}
	if _, err := in.each(func(stream io.Reader) (bool, error) { return true, a.AddOwners(stream) }); err != nil {
		return err
	}
	for _, o := range slices.Backward(definitions) { // the first of a kind counts, not that of the cluster
		if _, err := a.Schemas.Define(o.Root()); err != nil {
			return err
		}
	}
	findings := auditFindings{list: findingList{out: streams.Out}}
	tell := findings.table.Add
	if options.output == "json" {
		tell = findings.list.add
	}
	var warnings []report.Result
	skipped, err := in.each(func(stream io.Reader) (bool, error) {
		return a.Find(stream, func(f audit.Finding) {
			if slices.Contains(options.failOn, string(f.Problem)) {
				findings.fails = exitCode(1)
			}
			tell(f)
		}, func(fault report.Result) { warnings = append(warnings, fault) })
	})
	if err != nil {
		return err
	}
	printResults(streams.Err, slices.Concat(skipped, warnings))
	fmt.Fprintf(streams.Err, "%s, %s\n", words.Count(a.Objects, "object"), words.Count(findings.table.Findings+findings.list.count, "finding"))
	if a.Unmanaged > 0 {
		fmt.Fprintf(streams.Err, "%s without managedFields, which kubectl get shows with --show-managed-fields\n", words.Count(a.Unmanaged, "object"))
	}
	return findings.write(options, streams)
}

// auditFindings are the findings, in the form that is written, and what --fail-on makes of them.
type auditFindings struct {
	table audit.Table
	list  findingList
	fails error
}

func (f *auditFindings) write(options auditOptions, streams Streams) error {
	switch {
	case options.output == "json":
		return cmp.Or(f.list.end(), f.fails)
	case !options.suggest:
		return cmp.Or(f.table.Write(streams.Out, hasColour(streams.Out)), f.fails)
	}
	config := f.table.Rules(suggest.DefaultName)
	if config == nil {
		fmt.Fprintln(streams.Err, "nothing to suggest: no field has an owner to leave it to")
		return f.fails
	}
	return cmp.Or(manifests.WriteStream(streams.Out, []*object.Object{object.NewDocument(config)}), f.fails)
}

// findingList writes findings as a list in JSON, one a line.
type findingList struct {
	out   io.Writer
	count int
	err   error
}

func (l *findingList) add(f audit.Finding) {
	text, err := json.Marshal(f)
	before := ",\n"
	if l.count++; l.count == 1 {
		before = "[\n"
	}
	if l.err = errors.Join(l.err, err); l.err == nil {
		_, l.err = fmt.Fprintf(l.out, "%s%s", before, printable.JSON(text))
	}
}

func (l *findingList) end() error {
	if l.count == 0 {
		fmt.Fprint(l.out, "[")
	}
	_, err := fmt.Fprint(l.out, "\n]\n")
	return errors.Join(l.err, err)
}

// liveStream is the live objects of a cluster, which can be read again.
type liveStream struct {
	paths []string
	found *manifests.Found
	stdin input
}

func (s liveStream) each(read func(io.Reader) (bool, error)) ([]report.Result, error) {
	if _, err := s.stdin.Seek(s.stdin.start, io.SeekStart); err != nil {
		return nil, err
	}
	all := s.found.Streams(s.stdin, read)
	if len(all.Faults) > 0 {
		return nil, withAdvice(all.Faults, s.paths)
	}
	return passedOver(all.Skipped), nil
}

// input opens the live objects: files, stdin, or a file with what kubectl prints.
func (o auditOptions) input(streams Streams) (s liveStream, err error) {
	if err := o.cluster.check(); err != nil {
		return s, err
	}
	s.paths = []string{manifests.Stdin}
	if !o.cluster.fromCluster {
		if s.paths, err = orStdin(o.cluster.live, streams, o.cluster.crds...); errors.Is(err, errNoInput) {
			return s, errors.New("there must be --live FILE, --from-cluster, or something on stdin, found none of them")
		} else if err != nil {
			return s, err
		}
	}
	if s.found, err = o.cluster.paths.find(s.paths, manifests.Options{IsLive: true}); err != nil {
		return s, err
	}
	if o.cluster.fromCluster {
		s.stdin, err = o.fromCluster(streams)
		return s, err
	}
	streams.meter.show(streams.Err, s.found.Count())
	s.stdin, err = rereadable(streams.In, slices.Contains(s.paths, manifests.Stdin), streams.meter)
	return s, err
}

// fromCluster reads all kinds that can be listed, except events, which nobody applies. It warns of
// those that the user may not list; where that is all of them, it is an error.
func (o auditOptions) fromCluster(streams Streams) (input, error) {
	k := o.cluster.kubectl(streams)
	names, err := k.Run(nil, "api-resources", "--verbs=list", "--no-headers", "--output=name")
	if err != nil {
		return input{}, err
	}
	kept, err := newSpool()
	if err != nil {
		return input{}, err
	}
	in := input{ReadSeeker: kept.file, close: kept.close}
	where := "--all-namespaces"
	if o.cluster.namespace != "" {
		where = "--namespace=" + o.cluster.namespace
	}
	var read int64 // into the mask, where a call writes to stderr
	unread := func() []byte {
		from := read
		read = kept.size()
		return kept.since(from)
	}
	var refused error
	isRead := false
	for line := range strings.Lines(string(names)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if kind, _, _ := strings.Cut(name, "."); kind == "events" || kind == "" {
			continue
		}
		_, _ = kept.WriteString("\n---\n") // whose error comes again at the end
		err := k.RunTo(kept, unread, "get", where, "--output=json", "--show-managed-fields", "--", name)
		isRead = isRead || err == nil
		if kubectl.IsExit(err) {
			refused = err
			printResults(streams.Err, []report.Result{report.New(report.SeverityWarning, report.ReasonServerWarning, err.Error())})
		} else if err != nil {
			kept.close()
			return input{}, err
		}
	}
	if refused != nil && !isRead {
		kept.close()
		return input{}, fmt.Errorf("no kind of the cluster can be read: %w", refused)
	}
	return in, kept.rewind()
}
