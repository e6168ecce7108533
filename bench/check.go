package main

import (
	"bufio"
	"fmt"
	"io"
)

// countLines returns a check that the output has each of these lines as often as given.
func countLines(want map[string]int) func(io.Reader) error {
	return func(output io.Reader) error {
		got := map[string]int{}
		scanner := bufio.NewScanner(output)
		for scanner.Scan() {
			if _, wanted := want[scanner.Text()]; wanted {
				got[scanner.Text()]++
			}
		}
		if err := scanner.Err(); err != nil {
			return err
		}
		for line, n := range want {
			if got[line] != n {
				return fmt.Errorf("lines %q in the output: got %d, want %d", line, got[line], n)
			}
		}
		return nil
	}
}
