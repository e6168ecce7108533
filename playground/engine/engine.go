// Package engine answers the requests of the playground, a page that runs krm-fields in a browser.
//
// A request and its answer are JSON; playground/README.md says what is in them. The engine reads
// no file, no environment and no network, and keeps nothing from one request to the next.
package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/words"
)

// operations are what can be asked for, by the name of the request's op.
var operations = map[string]func(request []byte) (any, error){
	"run":      answering(run),
	"plan":     answering(planRun),
	"explain":  answering(explainRun),
	"blame":    answering(blame),
	"locate":   answering(locateField),
	"suggest":  answering(suggestRules),
	"addRule":  answering(addRule),
	"complete": answering(complete),
	"export":   answering(export),
	"version":  answering(version),

	// These are in the larger of the two programs alone, where an init replaces them.
	"convert":   missing,
	"formats":   missing,
	"fromError": missing,
}

// answering decodes the request of an operation.
func answering[Q, A any](operation func(Q) (A, error)) func([]byte) (any, error) {
	return func(request []byte) (any, error) {
		var q Q
		if err := json.Unmarshal(request, &q); err != nil {
			return nil, fmt.Errorf("the request must have the fields of its operation: %w", err)
		}
		return operation(q)
	}
}

// head is what every request begins with, and every answer.
type head struct {
	ID    json.RawMessage `json:"id"`
	Op    string          `json:"op,omitempty"`
	Error *failure        `json:"error,omitempty"`
	// Needs names the engine that has the kind of functionConfig that this one was built without.
	Needs string `json:"needs,omitempty"`
}

// failure is why a request has no answer.
type failure struct {
	Message string `json:"message"`
}

// Answer answers one request. The answer has the id of the request, null where that has none, and
// either the fields of the operation or an error.
func Answer(request []byte) []byte {
	var h head
	err := json.Unmarshal(request, &h)
	var answer any
	if err != nil {
		h.ID, err = nil, fmt.Errorf("the request must be a JSON object with id and op: %w", err)
	} else {
		answer, err = perform(h.Op, request)
	}
	text, err := written(h.ID, answer, err)
	if err != nil {
		text, _ = written(h.ID, nil, err)
	}
	return text
}

// perform runs an operation. A panic is an error: the page can ask again.
func perform(op string, request []byte) (answer any, err error) {
	defer func() {
		if value := recover(); value != nil {
			answer, err = nil, parallel.Recovered(value)
		}
	}()
	operation, known := operations[op]
	if !known {
		names := slices.Sorted(maps.Keys(operations))
		return nil, fmt.Errorf("op must be %s, found %q%s", words.List(names), op, words.DidYouMean(op, names))
	}
	return operation(request)
}

// written writes an answer, or the error in its place.
func written(id json.RawMessage, answer any, err error) ([]byte, error) {
	h := head{ID: id}
	if missing, ok := errors.AsType[*missingError](err); ok {
		h.Needs = missing.part()
		return encoded(h)
	}
	if err != nil {
		h.Error = &failure{Message: err.Error()}
		return encoded(h)
	}
	text, err := encoded(answer)
	if err != nil {
		return nil, err
	}
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	members := bytes.TrimPrefix(text, []byte("{"))
	separator := ","
	if bytes.HasPrefix(members, []byte("}")) {
		separator = ""
	}
	return slices.Concat([]byte(`{"id":`), id, []byte(separator), members), nil
}

// encoded writes JSON without the escapes for HTML, since the page puts text into no markup.
func encoded(v any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSpace(text.Bytes()), err
}
