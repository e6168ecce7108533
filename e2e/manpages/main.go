// Command manpages writes the man pages and the completion scripts that archives and packages of a
// release carry.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra/doc"

	"github.com/krm-fields/krm-fields/cli"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "there must be a folder, a version and a date; type manpages FOLDER v0.1.0 2026-01-31")
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
	man, completions := filepath.Join(folder, "man"), filepath.Join(folder, "completions")
	if err := errors.Join(os.MkdirAll(man, 0o755), os.MkdirAll(completions, 0o755)); err != nil {
		return err
	}
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Date: &day, Source: root.Name() + " " + root.Version, Manual: "KRM functions"}
	at := filepath.Join(completions, root.Name())
	return errors.Join(
		doc.GenManTree(root, header, man),
		root.GenBashCompletionFileV2(at+".bash", true),
		root.GenZshCompletionFile(at+".zsh"),
		root.GenFishCompletionFile(at+".fish", true),
		root.GenPowerShellCompletionFileWithDesc(at+".ps1"),
	)
}
