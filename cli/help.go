package cli

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

//go:embed help.txt
var helpTexts string

// describe returns a command with what help.txt says of it. Parts are the names in braces there,
// each with the text that takes its place.
func describe(name string, parts ...string) *cobra.Command {
	arguments, text, _ := strings.Cut(helpOf()[name], "\n")
	short, text, _ := strings.Cut(text, "\n\n")
	long, example, _ := strings.Cut(text, "\n\nExamples:\n")
	long = strings.NewReplacer(append(parts, "{PATH}", strings.TrimSpace(helpOf()["PATH"]))...).Replace(long)
	return &cobra.Command{Use: name + arguments, Short: short, Long: long, Example: example}
}

// helpOf returns what help.txt says behind each name.
var helpOf = sync.OnceValue(func() map[string]string {
	texts := map[string]string{}
	for _, section := range strings.Split(helpTexts, "\n== ")[1:] {
		end := strings.IndexAny(section, " \n")
		texts[section[:end]] = strings.TrimRight(section[end:], "\n")
	}
	return texts
})

// listed writes a line for each entry of a table, for --help.
func listed[E any](entries []E, line func(E) (name, about string)) string {
	var b strings.Builder
	for _, entry := range entries {
		name, about := line(entry)
		fmt.Fprintf(&b, "  %-20s%s\n", name, about)
	}
	return b.String()
}
