package embedded

import (
	"encoding/base64"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// base64Layout is how the base64 of a string is split into lines.
type base64Layout struct {
	value string // as it is written
	width int    // of its lines; 0 for one line
	// gap is the text between lines: a line break, or the blank of a folded scalar. tail is the
	// text behind the last one.
	gap, tail string
}

// decodeBase64 decodes a string. The error is an *Error.
func decodeBase64(value string) (string, *base64Layout, error) {
	const blanks = " \t\r\n"
	layout := &base64Layout{value: value}
	body := strings.TrimRight(value, blanks)
	layout.tail = value[len(body):]
	if i := strings.IndexAny(body, blanks); i >= 0 {
		layout.width = i
		rest := body[i:]
		layout.gap = rest[:len(rest)-len(strings.TrimLeft(rest, blanks))]
	}
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune(blanks, r) {
			return -1
		}
		return r
	}, body)
	text, err := base64.StdEncoding.DecodeString(digits)
	if err != nil {
		if corrupt, ok := errors.AsType[base64.CorruptInputError](err); ok {
			line := 1 + strings.Count(body[:offsetOfDigit(body, int(corrupt))], "\n")
			return "", nil, &Error{Line: line, Reason: "it must be base64, found an invalid character or end"}
		}
		return "", nil, &Error{Reason: "it must be base64"}
	}
	if !utf8.Valid(text) {
		valid := strings.ToValidUTF8(string(text), "\x00")
		line := 1 + strings.Count(valid[:strings.IndexByte(valid, 0)], "\n")
		return "", nil, &Error{Line: line, Reason: "the text in the base64 must be UTF-8"}
	}
	return string(text), layout, nil
}

// offsetOfDigit is the offset of the digit of base64 at an index, blanks not counted.
func offsetOfDigit(body string, index int) int {
	for i := range len(body) {
		if strings.IndexByte(" \t\r\n", body[i]) >= 0 {
			continue
		}
		if index == 0 {
			return i
		}
		index--
	}
	return len(body)
}

// encode returns the base64 of a text in the layout, and the splices that make it.
func (l *base64Layout) encode(text string) (string, []object.Splice) {
	digits := base64.StdEncoding.EncodeToString([]byte(text))
	var lines []string
	for l.width > 0 && len(digits) > l.width {
		lines = append(lines, digits[:l.width])
		digits = digits[l.width:]
	}
	splices := l.splices(append(lines, digits))
	return object.Spliced(l.value, splices), splices
}

// splices returns those that give the value other lines.
func (l *base64Layout) splices(lines []string) []object.Splice {
	body := strings.TrimSuffix(l.value, l.tail)
	before := []string{body}
	if l.gap != "" {
		before = strings.Split(body, l.gap)
	}
	var splices []object.Splice
	at := 0
	for i := range min(len(before), len(lines)) {
		if before[i] != lines[i] {
			splices = append(splices, object.Splice{Start: at, End: at + len(before[i]), Text: []byte(lines[i])})
		}
		at += len(before[i]) + len(l.gap)
	}
	behind := min(at-len(l.gap), len(body))
	switch {
	case len(lines) < len(before):
		splices = append(splices, object.Splice{Start: behind, End: len(body)})
	case len(lines) > len(before):
		more := l.gap + strings.Join(lines[len(before):], l.gap)
		splices = append(splices, object.Splice{Start: len(body), End: len(body), Text: []byte(more)})
	}
	return splices
}
