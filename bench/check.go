package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// maxLine is more than the longest line of a corpus.
const maxLine = 1 << 20

// countLines returns a check that the output has each of these lines as often as given.
func countLines(want map[string]int) func(io.Reader) error {
	return func(output io.Reader) error {
		got := map[string]int{}
		lines := scanLines(output)
		for lines.Scan() {
			if _, wanted := want[lines.Text()]; wanted {
				got[lines.Text()]++
			}
		}
		if err := lines.Err(); err != nil {
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

// countOf returns a check that so many lines of the items have a text, in YAML or JSON.
func countOf(text string, want int) func(io.Reader) error {
	return func(output io.Reader) error {
		got := 0
		lines := scanLines(output)
		for lines.Scan() && lines.Text() != "functionConfig:" {
			if strings.Contains(strings.ReplaceAll(lines.Text(), `"`, ""), text) {
				got++
			}
		}
		if err := lines.Err(); err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("lines with %q in the output: got %d, want %d", text, got, want)
		}
		return nil
	}
}

func scanLines(output io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, maxLine)
	return lines
}
