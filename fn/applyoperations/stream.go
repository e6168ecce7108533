package applyoperations

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// streamed is an operation of a stream, or the error of a part that is none.
type streamed struct {
	node *tree.Node
	err  *tree.SyntaxError // with a line of the stream
}

// readStream reads a stream of JSON values, of YAML documents separated by `---`, or of both. A
// list stands for its elements. Empty documents are skipped.
func readStream(text string) []streamed {
	var all []streamed
	for d := range lines.Documents([]byte(strings.TrimPrefix(text, lines.ByteOrderMark))) {
		if !lines.HasContent(d.Text) {
			continue
		}
		for _, s := range readPart(string(d.Text)) {
			if s.err != nil {
				s.err = &tree.SyntaxError{Line: d.Line + max(s.err.Line, 1), Reason: s.err.Reason}
			}
			if !tree.IsList(s.node) {
				all = append(all, s)
			}
			for _, element := range tree.Elements(s.node) {
				all = append(all, streamed{node: element})
			}
		}
	}
	return all
}

// readPart reads the JSON values, or the one YAML document, in text.
func readPart(text string) []streamed {
	var values []streamed
	if lines.LooksLikeJSON(text) {
		if values = readValues(text); values[len(values)-1].err == nil {
			return values
		}
	}
	n, err := tree.Parse([]byte(text))
	switch syntax := (*tree.SyntaxError)(nil); {
	case err == nil && tree.Type(n) == tree.Null:
		return nil
	case err == nil:
		return []streamed{{node: n}}
	case len(values) == 0 && errors.As(err, &syntax):
		return []streamed{{err: syntax}}
	}
	return values
}

// readValues reads JSON values one after the other, up to the first fault.
func readValues(text string) []streamed {
	decoder := json.NewDecoder(strings.NewReader(text))
	var values []streamed
	for {
		before := decoder.InputOffset()
		var value json.RawMessage
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return values
		}
		if err != nil {
			return append(values, streamed{err: jsonError(text, before)})
		}
		n, err := tree.ParseJSON(value)
		if err != nil {
			return append(values, streamed{err: jsonError(text, decoder.InputOffset()-int64(len(value)))})
		}
		values = append(values, streamed{node: n})
	}
}

// jsonError returns the error of the JSON value behind an offset.
func jsonError(text string, offset int64) *tree.SyntaxError {
	_, err := tree.ParseJSON([]byte(text[offset:]))
	syntax, ok := errors.AsType[*tree.SyntaxError](err)
	if !ok {
		syntax = &tree.SyntaxError{Reason: "there must be one JSON value"}
	}
	return &tree.SyntaxError{Line: syntax.Line + strings.Count(text[:offset], "\n"), Reason: syntax.Reason}
}

// FromHook returns the functionConfig for a file of operations that a hook of shell-operator wrote.
// Run checks the operations.
func FromHook(text []byte) *tree.Node {
	return tree.NewMap("apiVersion", apiVersion, "kind", Kind, "operationsJSON", tree.NewScalar(tree.StringTag, string(text)))
}

// IsHook tells whether a text is one that FromHook takes: each of its documents is an operation.
func IsHook(text []byte) bool {
	all := readStream(string(text))
	return len(all) > 0 && !slices.ContainsFunc(all, func(s streamed) bool {
		return tree.Lookup(s.node, "operation") == nil && tree.Lookup(s.node, "operationType") == nil
	})
}
