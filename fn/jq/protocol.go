package jq

import (
	"bufio"
	"errors"
)

// A request and a reply are each one list; see writeValue.

// errBroken says that the other process ended or sent something else.
var errBroken = errors.New("the connection broke")

// request asks for one evaluation:
//
//	[mode, expression, memory limit in bytes, value]
type request struct {
	mode       mode
	expression string
	memory     int64
	value      any
}

func (r request) write(w *bufio.Writer) error {
	message := []any{int(r.mode), r.expression, int(r.memory), r.value}
	if err := writeValue(w, message, 0); err != nil {
		return err
	}
	return w.Flush()
}

func readRequest(r *bufio.Reader) (request, error) {
	message, err := readMessage(r, 4)
	if err != nil {
		return request{}, err
	}
	m, isMode := message[0].(int)
	expression, isText := message[1].(string)
	memory, isNumber := message[2].(int)
	if !isMode || !isText || !isNumber {
		return request{}, errBroken
	}
	return request{mode(m), expression, int64(memory), message[3]}, nil
}

func readMessage(r *bufio.Reader, length int) ([]any, error) {
	v, err := readValue(r, 0)
	message, isList := v.([]any)
	if err != nil || !isList || len(message) != length {
		return nil, errBroken
	}
	return message, nil
}

// The kinds of replies: [kind, results, failure kind, cause, safe cause].
const (
	replyResults = iota
	replyFailure
	replyMemory
)

func writeReply(w *bufio.Writer, results []any, err error) error {
	message := []any{replyResults, results, 0, "", ""}
	var failed *failure
	switch {
	case errors.As(err, &failed):
		message = []any{replyFailure, nil, int(failed.kind), failed.cause, failed.safe}
	case err != nil:
		message = []any{replyMemory, nil, 0, "", ""}
	}
	if err := writeValue(w, message, 0); err != nil {
		return err
	}
	return w.Flush()
}

func readReply(r *bufio.Reader) ([]any, error) {
	message, err := readMessage(r, 5)
	if err != nil {
		return nil, err
	}
	results, _ := message[1].([]any)
	kind, _ := message[2].(int)
	cause, _ := message[3].(string)
	safe, _ := message[4].(string)
	switch message[0] {
	case replyResults:
		return results, nil
	case replyFailure:
		return nil, &failure{kind: failureKind(kind), cause: cause, safe: safe}
	case replyMemory:
		return nil, errMemory
	}
	return nil, errBroken
}
