package rules

import "time"

// Cost is how long one evaluation of an expression took, and how many fields it found.
type Cost struct {
	Number  int // of the expression
	Time    time.Duration
	Matches int
}
