package jq

import (
	"bufio"
	"errors"
)

// A request is two values, a header and the input; a reply is one. See writeValue for their form.

// errBroken says that the other process ended or sent something else.
var errBroken = errors.New("the connection broke")

// request asks for one evaluation. Its header is
//
//	[mode, expression, memory limit in bytes, whether the value is large, whether others run beside it]
type request struct {
	mode       mode
	expression string
	memory     int64
	isLarge    bool
	isSmall    bool
	value      any
}

func (r request) write(w *bufio.Writer) error {
	header := []any{int(r.mode), r.expression, int(r.memory), r.isLarge, r.isSmall}
	if err := writeValue(w, header, 0); err != nil {
		return err
	}
	if err := writeValue(w, r.value, 0); err != nil {
		return err
	}
	return w.Flush()
}

func readHeader(r *bufio.Reader) (request, error) {
	header, err := readMessage(r, 5)
	if err != nil {
		return request{}, err
	}
	m, isMode := header[0].(int)
	expression, isText := header[1].(string)
	memory, isNumber := header[2].(int)
	isLarge, isFlag := header[3].(bool)
	isSmall, isFlagToo := header[4].(bool)
	if !isMode || !isText || !isNumber || !isFlag || !isFlagToo {
		return request{}, errBroken
	}
	return request{mode: mode(m), expression: expression, memory: int64(memory), isLarge: isLarge, isSmall: isSmall}, nil
}

func readMessage(r *bufio.Reader, length int) ([]any, error) {
	v, err := readValue(r, 0)
	message, isList := v.([]any)
	if err != nil || !isList || len(message) != length {
		return nil, errBroken
	}
	return message, nil
}

// The kinds of replies: [kind, results, failure kind, cause, safe cause, whether the child has
// outgrown its use].
const (
	replyResults = iota
	replyFailure
	replyMemory
)

func writeReply(w *bufio.Writer, results []any, err error, hasOutgrown bool) error {
	message := []any{replyResults, results, 0, "", "", hasOutgrown}
	var failed *failure
	switch {
	case errors.As(err, &failed):
		message = []any{replyFailure, nil, int(failed.kind), failed.cause, failed.safe, hasOutgrown}
	case err != nil:
		message = []any{replyMemory, nil, 0, "", "", hasOutgrown}
	}
	if err := writeValue(w, message, 0); err != nil {
		return err
	}
	return w.Flush()
}

func readReply(r *bufio.Reader) (results []any, hasOutgrown bool, err error) {
	message, err := readMessage(r, 6)
	if err != nil {
		return nil, false, err
	}
	results, _ = message[1].([]any)
	kind, _ := message[2].(int)
	cause, _ := message[3].(string)
	safe, _ := message[4].(string)
	hasOutgrown, _ = message[5].(bool)
	switch message[0] {
	case replyResults:
		return results, hasOutgrown, nil
	case replyFailure:
		return nil, hasOutgrown, &failure{kind: failureKind(kind), cause: cause, safe: safe}
	case replyMemory:
		return nil, hasOutgrown, errMemory
	}
	return nil, false, errBroken
}
