package jq

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
)

func faultAt(expression string, offset int, reason string) *SyntaxError {
	fault := &SyntaxError{Expression: expression, Reason: reason}
	fault.Line, fault.Column = hint.Position(expression, offset)
	return fault
}

// positionOfName returns where name is in the expression. It returns 0, 0 if it is there
// more than once, as gojq does not say which one it means.
func positionOfName(expression, name string) (line, column int) {
	offsets := offsetsOfName(expression, name)
	if len(offsets) != 1 {
		return 0, 0
	}
	return hint.Position(expression, offsets[0])
}

// offsetsOfName returns where name is in the expression, in bytes.
func offsetsOfName(expression, name string) []int {
	var offsets []int
	for from := 0; ; {
		i := strings.Index(expression[from:], name)
		if i < 0 {
			break
		}
		i += from
		from = i + len(name)
		if i > 0 && partOfName(expression[i-1], ".$:") || from < len(expression) && partOfName(expression[from], "") {
			continue
		}
		offsets = append(offsets, i)
	}
	return offsets
}

// partOfName tells whether c makes another name of the one that it stands by: a letter, a digit, an
// underscore, or one of more.
func partOfName(c byte, more string) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte(more, c) >= 0
}

// opening is something that was opened in an expression: a bracket, or a string.
type opening struct {
	offset int
	what   byte
}

// unclosed returns what is still open after the first end bytes of the expression, the innermost
// last. Comments and text in strings don't count.
func unclosed(expression string, end int) []opening {
	var open []opening
	top := func() byte {
		if len(open) == 0 {
			return 0
		}
		return open[len(open)-1].what
	}
	for i := 0; i < min(end, len(expression)); i++ {
		c := expression[i]
		switch {
		case top() == '"' && c == '\\':
			if i++; i < len(expression) && expression[i] == '(' {
				open = append(open, opening{i, '('})
			}
		case c == '"':
			if top() == '"' {
				open = open[:len(open)-1]
			} else {
				open = append(open, opening{i, '"'})
			}
		case top() == '"':
		case c == '#':
			for i+1 < len(expression) && expression[i+1] != '\n' {
				i++
			}
		case strings.IndexByte("([{", c) >= 0:
			open = append(open, opening{i, c})
		case c != 0 && top() == closes[c]:
			open = open[:max(len(open)-1, 0)]
		}
	}
	return open
}

var closes = map[byte]byte{')': '(', ']': '[', '}': '{'}
