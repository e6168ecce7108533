package rules

import "time"

// Cost is what one evaluation of an expression took and gave.
type Cost struct {
	Number  int // of the expression
	Time    time.Duration
	Matches int
}

// InChild is how often the expression was evaluated in a child process so far.
func (e Expression) InChild() int {
	if child, ok := e.Expression.(interface{ InChild() int }); ok {
		return child.InChild()
	}
	return 0
}
