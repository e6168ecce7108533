package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/convert"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/author/suggest"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// checkWriters fails where a field of the package has two writers and no rule leaves it to one.
// Standard output gets these fields, so that a CI system can read them.
func checkWriters(options suggestOptions, paths []string, streams Streams) error {
	steps, err := readRules(options.configs, streams)
	if err != nil {
		return err
	}
	in, err := options.cluster.inputs(paths, nil, streams, options.configs...)
	if err != nil {
		return err
	}
	if in.steps = steps; len(in.objects) == 0 {
		return fmt.Errorf("PATH must hold objects, found none in %s", words.All(in.paths))
	}
	options.rules.FieldManager = cmp.Or(options.cluster.fieldManager, suggest.DefaultFieldManager)
	options.results.about = slices.Clone(in.objects)
	found, results, err := suggest.Check(in.world(options.cluster, managedfields.Tools[0]), options.rules)
	if err != nil {
		return err
	}
	results = slices.DeleteFunc(slices.Concat(in.skipped, results), func(r report.Result) bool {
		return r.Severity == report.SeverityInfo && r.Tags["reason"] != report.ReasonNoLiveObjects // which counts for nothing
	})
	if printResults(streams.Err, results); found == nil {
		return exitCode(1)
	}
	if err := options.results.writeTwoWriters(found, streams); err != nil {
		return err
	}
	switch {
	case len(found) > 0:
	case fn.HasError(results):
		return exitCode(1)
	default:
		fmt.Fprintf(streams.Err, "no field of %s has two writers that are known\n", words.Count(len(in.objects), "object"))
		return nil
	}
	fmt.Fprintf(streams.Err, "%s of %s with two writers, which no rule leaves to one\n",
		words.Count(len(found), "field"), words.Count(len(in.objects), "object"))
	return exitCode(1)
}

// writeTwoWriters writes fields in the form that the command was asked for, with their lines.
func (o resultOptions) writeTwoWriters(found []suggest.TwoWriters, streams Streams) error {
	results := lists.Map(found, suggest.TwoWriters.Result)
	if o.isForPrograms() && o.format != "json" {
		return o.print(results, streams.Out)
	}
	for i, f := range o.toWrite(results, false).Findings() {
		if found[i].Line = f.Line; o.isForPrograms() {
			continue
		}
		f.Result.File = report.File{} // which the line begins with
		if _, err := fmt.Fprintf(streams.Out, "%s:%d: %s\n", printable.Line(f.File), f.Line, f.Result.Line()); err != nil {
			return err
		}
	}
	if !o.isForPrograms() {
		return nil
	}
	return explain.WriteJSON(streams.Out, struct {
		Fields []suggest.TwoWriters `json:"fields"`
	}{append([]suggest.TwoWriters{}, found...)})
}

// readRules reads functionConfigs, and the rules of other programs as functionConfigs.
func readRules(paths []string, streams Streams) ([]hostless.ConfigStep, error) {
	var steps []hostless.ConfigStep
	for _, path := range paths {
		isRules := func(root *tree.Node) bool { return convert.IsRules("", root) }
		read, err := manifests.ReadPackage([]string{path}, streams.In, manifests.Options{IsObjectToo: isRules})
		objects := manifests.Objects(read.Files)
		if err != nil {
			return nil, err
		}
		if len(objects) != 1 || !isFunctionConfig(objects[0]) {
			out, err := convert.Convert("", "ignorefields", objects, convert.Options{})
			if err != nil {
				return nil, fmt.Errorf("%s must hold one functionConfig, or rules of another program: %w", nameOfFile(path), err)
			}
			printResults(streams.Err, out.Results)
			objects = out.Documents
		}
		for _, o := range objects {
			steps = append(steps, hostless.ConfigStep{FunctionConfig: o.Root(), Path: nameOfFile(path), Source: o})
		}
	}
	return steps, checkComparable(steps)
}
