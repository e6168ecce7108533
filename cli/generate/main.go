// Command generate writes the man pages and the completion scripts that archives and packages of a
// release carry.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/krm-fields/krm-fields/cli"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "there must be a folder, a version and a date; type generate FOLDER v0.1.0 2026-01-31")
		os.Exit(1)
	}
	if err := generate(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// generate takes the date as an argument, so that two releases of one commit are the same.
func generate(folder, version, date string) error {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return err
	}
	root := cli.Root(cli.NewBuild(version, ""))
	if err := manPages(root, filepath.Join(folder, "man"), &day); err != nil {
		return err
	}
	return completions(root, filepath.Join(folder, "completions"))
}

func manPages(root *cobra.Command, folder string, day *time.Time) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	header := &doc.GenManHeader{Section: "1", Date: day, Source: root.Name() + " " + root.Version, Manual: "KRM functions"}
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, header, folder)
}

func completions(root *cobra.Command, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for extension, write := range map[string]func(io.Writer) error{
		"bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":  root.GenZshCompletion,
		"fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		file, err := os.Create(filepath.Join(folder, root.Name()+"."+extension))
		if err != nil {
			return err
		}
		if err := write(file); err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return nil
}
