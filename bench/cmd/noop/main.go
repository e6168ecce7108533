// Command noop is a KRM function on the official Go SDK that changes nothing: what any function on
// that SDK pays at least.
package main

import (
	"os"

	"github.com/kptdev/krm-functions-sdk/go/fn"
)

func main() {
	err := fn.AsMain(fn.ResourceListProcessorFunc(func(*fn.ResourceList) (bool, error) {
		return true, nil
	}))
	if err != nil {
		os.Exit(1)
	}
}
