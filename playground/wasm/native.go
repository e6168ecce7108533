//go:build !js

package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/krm-fields/krm-fields/playground/engine"
)

// main answers the requests on stdin, one a line, to look at the engine without a browser.
func main() {
	requests := bufio.NewScanner(os.Stdin)
	requests.Buffer(nil, 64<<20)
	for requests.Scan() {
		fmt.Printf("%s\n", engine.Answer(requests.Bytes()))
	}
	if err := requests.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
