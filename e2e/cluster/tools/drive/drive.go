// Package drive is how a test applies by a tool's own code, whose libraries the test has not: it
// reads from stdin what is to be applied, a line each, and answers each by a line.
package drive

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A Request is a line of the input.
type Request struct {
	// Package is what is applied, with its namespace.
	Package *unstructured.Unstructured `json:"package"`
	// Live is the object on the cluster, nil if there is none.
	Live    *unstructured.Unstructured `json:"live"`
	Manager string                     `json:"manager"`
	Force   bool                       `json:"force"`
}

type answer struct {
	// Sent is what the tool has made of the package before it applied that.
	Sent  *unstructured.Unstructured `json:"sent,omitempty"`
	Error string                     `json:"error,omitempty"`
}

// Run answers each line by apply, which changes the package into what it sends.
func Run(apply func(Request) error) {
	decoder, encoder := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	for {
		var line Request
		err := decoder.Decode(&line)
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			a := answer{}
			if err := apply(line); err != nil {
				a.Error = err.Error()
			}
			a.Sent = line.Package
			err = encoder.Encode(a)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// Label sets labels and annotations.
func Label(o *unstructured.Unstructured, labels, annotations map[string]string) {
	for field, texts := range map[string]map[string]string{"labels": labels, "annotations": annotations} {
		for key, text := range texts {
			if metadata, ok := o.Object["metadata"].(map[string]any); ok && metadata[field] == nil {
				delete(metadata, field)
			}
			_ = unstructured.SetNestedField(o.Object, text, "metadata", field, key) // what is no map is refused by the tool
		}
	}
}
