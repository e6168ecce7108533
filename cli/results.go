package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/findings"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// resultOptions say how and where results are printed.
type resultOptions struct {
	// format is text, json, github or sarif.
	format string
	quiet  bool
	// all prints each result as text, too, and not only the first of a kind and a sum.
	all bool
	// file gets the results, as JSON or SARIF if its name ends so, else as YAML; "" for none.
	file string
	// about are the objects that results may be about, functionConfigs too.
	about []*object.Object
}

// addResultFormat adds the flag --output to a command whose stdout is for something else.
func addResultFormat(command *cobra.Command, format *string) {
	command.Flags().StringVarP(format, "output", "o", "text", "`FORMAT` of the results on stderr: text or json")
	completeValues(command, "output", resultFormats)
}

// report prints results, and writes them to the file.
func (o resultOptions) report(results []report.Result, errOut io.Writer) error {
	whole := report.Whole(results)
	if o.file != "" {
		if err := o.writeFile(whole); err != nil {
			return err
		}
	}
	if o.all || o.isForPrograms() {
		results = whole
	}
	if o.quiet {
		results = withoutInfos(results)
	}
	return o.print(results, errOut)
}

// print writes results in the format.
func (o resultOptions) print(results []report.Result, out io.Writer) error {
	switch o.format {
	case "github":
		return findings.WriteGitHub(out, o.findings(results))
	case "sarif":
		return findings.WriteSARIF(out, o.findings(results))
	case "json":
		list, err := resultList(results)
		if err != nil {
			return err
		}
		return explain.WriteJSON(out, list)
	}
	printResults(out, results)
	return nil
}

// findings are the results with their places, in a workflow of GitHub as seen from the root of the
// repository.
func (o resultOptions) findings(results []report.Result) []findings.Finding {
	return findings.Of(results, o.about, os.Getenv("GITHUB_WORKSPACE"))
}

// isForPrograms tells whether the format is not that for people; one that is not known is none for
// programs.
func (o resultOptions) isForPrograms() bool {
	return o.format != "text" && slices.Contains(reviewFormats, o.format)
}

// reportError writes an error as a result to the file, and prints it as one unless results are
// printed as text.
func (o resultOptions) reportError(command *cobra.Command, err error, errOut io.Writer) error {
	if _, said := errors.AsType[exitCode](err); err == nil || said || !o.isForPrograms() && o.file == "" {
		return err
	}
	results := errorResults(err)
	if o.file != "" {
		_ = o.writeFile(results) // the error itself is reported, and it may be that of this file
	}
	if !o.isForPrograms() {
		return err
	}
	if err := o.print(results, errOut); err != nil {
		return err
	}
	return exitCode(codeOf(command, err))
}

// errorResults are the errors that one consists of as results; none for nil.
func errorResults(err error) []report.Result {
	if err == nil {
		return nil
	}
	var results []report.Result
	for _, leaf := range leaves(err) {
		results = append(results, report.Result{Message: leaf.Error(), Severity: report.SeverityError})
	}
	return results
}

// needsObjects tells whether the places of results are looked up in the objects.
func (o resultOptions) needsObjects() bool {
	return o.format == "github" || o.format == "sarif" || filepath.Ext(o.file) == ".sarif"
}

// needsAll tells whether each result is printed.
func (o resultOptions) needsAll() bool { return o.all || o.isForPrograms() || o.file != "" }

// isVerbose tells whether to print lines of text beside the results.
func (o resultOptions) isVerbose() bool { return o.format == "text" && !o.quiet }

// writeFile writes results into the file.
func (o resultOptions) writeFile(results []report.Result) error {
	var text bytes.Buffer
	if err := o.encode(results, &text); err != nil {
		return err
	}
	return os.WriteFile(o.file, text.Bytes(), 0o666)
}

// encode writes results in the form that the name of the file says.
func (o resultOptions) encode(results []report.Result, out io.Writer) error {
	if filepath.Ext(o.file) == ".sarif" {
		return findings.WriteSARIF(out, o.findings(results))
	}
	list, err := resultList(results)
	if err != nil {
		return err
	}
	if filepath.Ext(o.file) == ".json" {
		return explain.WriteJSON(out, list)
	}
	return explain.WriteYAML(out, list)
}

// resultList returns results as part of a ResourceList.
func resultList(results []report.Result) ([]json.RawMessage, error) {
	list := make([]json.RawMessage, len(results))
	for i, result := range results {
		text, err := tree.MarshalJSON(result.Node())
		if err != nil {
			return nil, err
		}
		list[i] = text
	}
	return list, nil
}
