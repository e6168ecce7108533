package cli

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed help.txt
var helpTexts string

// describe returns a command with what help.txt says of it. Parts are the names in braces there,
// each with the text that takes its place.
func describe(name string, parts ...string) *cobra.Command {
	arguments, text, _ := strings.Cut(helpOf(name), "\n")
	short, text, _ := strings.Cut(text, "\n\n")
	long, example, _ := strings.Cut(text, "\n\nExamples:\n")
	long = strings.NewReplacer(append(parts, "{PATH}", helpOf("PATH\n"))...).Replace(long)
	return &cobra.Command{Use: name + arguments, Short: short, Long: long, Example: example}
}

// helpOf returns what is behind a name in help.txt, up to the next one.
func helpOf(name string) string {
	_, text, _ := strings.Cut(helpTexts, "\n== "+name)
	text, _, _ = strings.Cut(text, "\n\n== ")
	return strings.TrimSuffix(text, "\n")
}

// listed writes a line for each entry of a table, for --help.
func listed[E any](entries []E, line func(E) (name, about string)) string {
	var b strings.Builder
	for _, entry := range entries {
		name, about := line(entry)
		fmt.Fprintf(&b, "  %-20s%s\n", name, about)
	}
	return b.String()
}
