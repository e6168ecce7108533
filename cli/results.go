package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// resultOptions say how and where results are printed.
type resultOptions struct {
	// format is text or json.
	format string
	quiet  bool
	// file gets the results, as JSON if its name ends in .json, else as YAML; "" for none.
	file string
}

// report prints results, and writes them to the file.
func (o resultOptions) report(results []report.Result, errOut io.Writer) error {
	if o.file != "" {
		if err := writeResults(o.file, results); err != nil {
			return err
		}
	}
	if o.quiet {
		results = withoutInfos(results)
	}
	if o.format != "json" {
		printResults(errOut, results)
		return nil
	}
	list, err := resultList(results)
	if err != nil {
		return err
	}
	return explain.WriteJSON(errOut, list)
}

// reportError writes an error as a result to the file, and prints it as one if results are printed as JSON.
func (o resultOptions) reportError(command *cobra.Command, err error, errOut io.Writer) error {
	if _, said := errors.AsType[exitCode](err); err == nil || said || o.format != "json" && o.file == "" {
		return err
	}
	var results []report.Result
	for _, leaf := range leaves(err) {
		results = append(results, report.Result{Message: leaf.Error(), Severity: report.SeverityError})
	}
	if o.file != "" {
		_ = writeResults(o.file, results) // the error itself is reported, and it may be that of this file
	}
	if o.format != "json" {
		return err
	}
	list, listErr := resultList(results)
	if listErr != nil {
		return listErr
	}
	if err := explain.WriteJSON(errOut, list); err != nil {
		return err
	}
	return exitCode(codeOf(command, err))
}

// isVerbose tells whether to print lines of text beside the results.
func (o resultOptions) isVerbose() bool { return o.format != "json" && !o.quiet }

func writeResults(path string, results []report.Result) error {
	list, err := resultList(results)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if filepath.Ext(path) == ".json" {
		err = explain.WriteJSON(&text, list)
	} else {
		err = explain.WriteYAML(&text, list)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o666)
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
