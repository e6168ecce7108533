// Command predict reads server-side applies from stdin, one JSON object per line, and writes the
// prediction of package merge for each. The cluster tests compare that with a kube-apiserver.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// An apply is a line of the input.
type apply struct {
	Live    json.RawMessage `json:"live"`
	Package json.RawMessage `json:"package"`
	Manager string          `json:"manager"`
	Force   bool            `json:"force"`
	Now     time.Time       `json:"now"`
	// As is the tool that applies, "" for a request alone.
	As string `json:"as"`
	// Broken asks for the outcomes of the broken models, too.
	Broken bool `json:"broken"`
}

// An outcome is a line of the output.
type outcome struct {
	Object    map[string]any `json:"object,omitempty"`
	Conflicts []conflict     `json:"conflicts,omitempty"`
	Refused   string         `json:"refused,omitempty"`
	// Invalid is what validation would say of the object.
	Invalid string `json:"invalid,omitempty"`
	Error   string `json:"error,omitempty"`
	// Broken are the outcomes of broken models by their names.
	Broken map[string]outcome `json:"broken,omitempty"`
}

type conflict struct {
	Manager string `json:"manager"`
	Field   string `json:"field"`
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "predict:", err)
		os.Exit(1)
	}
}

// run predicts with the CustomResourceDefinitions of the files.
func run(files []string, in io.Reader, out io.Writer) error {
	schemas := &schema.Schemas{}
	for _, file := range files {
		if err := addCRDs(schemas, file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	decoder, w := json.NewDecoder(bufio.NewReader(in)), bufio.NewWriter(out)
	encoder := json.NewEncoder(w)
	for {
		var line apply
		if err := decoder.Decode(&line); errors.Is(err, io.EOF) {
			return w.Flush()
		} else if err != nil {
			return err
		}
		request := merge.Apply{ShowsManagers: true, Manager: line.Manager, Force: line.Force, Now: line.Now, As: managedfields.ToolNamed(line.As)}
		live, err := readObject(line.Live)
		if err != nil {
			return err
		}
		sent, err := readObject(line.Package)
		if err != nil {
			return err
		}
		request.Live = live
		request.Entries, _ = managedfields.Of(live)
		request.Package, _ = tree.Value(sent).(map[string]any)
		if err := encoder.Encode(answer(schemas, line, request)); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}

// readObject reads an object; one that is not there is nil.
func readObject(text json.RawMessage) (*tree.Node, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	return tree.ParseJSON(text)
}

func answer(schemas *schema.Schemas, line apply, request merge.Apply) outcome {
	result := predict(schemas, request)
	if !line.Broken {
		return result
	}
	result.Broken = map[string]outcome{}
	for _, m := range models {
		if slices.Contains(m.tools, line.As) {
			broken, tool := request, *request.As
			broken.As = &tool
			m.spoil(&broken)
			result.Broken[m.name] = predict(schemas, broken)
		}
	}
	return result
}

func predict(schemas *schema.Schemas, request merge.Apply) outcome {
	prediction, err := merge.Predict(schemas, request)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	if prediction.Refused != nil {
		return outcome{Refused: prediction.Refused.Error()}
	}
	if _, err := prediction.Fields(); err != nil {
		return outcome{Error: err.Error()}
	}
	result := outcome{Object: prediction.Stored()}
	if err := prediction.Invalid(); err != nil {
		result.Invalid = err.Error()
	}
	for _, c := range prediction.Conflicts {
		result.Conflicts = append(result.Conflicts, conflict{Manager: c.Manager.Name, Field: c.Field()})
	}
	return result
}

func addCRDs(schemas *schema.Schemas, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	decoder := yaml.NewDecoder(f)
	for {
		var crd map[string]any
		if err := decoder.Decode(&crd); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := schemas.AddCRD(crd); err != nil {
			return err
		}
	}
}
