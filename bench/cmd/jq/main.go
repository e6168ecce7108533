// Command jq runs a jq expression on JSON from stdin, as `gojq EXPRESSION` does: its own module
// needs a module that not every proxy has.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/itchyny/gojq"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "jq:", err)
		os.Exit(1)
	}
}

func run(expression string) error {
	query, err := gojq.Parse(expression)
	if err != nil {
		return err
	}
	var input any
	decoder := json.NewDecoder(os.Stdin)
	decoder.UseNumber()
	if err := decoder.Decode(&input); err != nil {
		return err
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	for results := query.Run(input); ; {
		value, ok := results.Next()
		if !ok {
			return nil
		}
		if err, isError := value.(error); isError {
			return err
		}
		if err := encoder.Encode(value); err != nil {
			return err
		}
	}
}
