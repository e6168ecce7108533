package rules

import "time"

// Cost is how long one evaluation of an expression took, and how many fields it found.
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
