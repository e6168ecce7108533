// Command kpt-newest is the command `kpt fn` of the newest kpt, whose own main package needs a
// module that the Go module proxy does not serve.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/kptdev/kpt/commands/fn"
	"github.com/kptdev/kpt/pkg/lib/errors/resolver"
	"github.com/kptdev/kpt/pkg/printer"
	"github.com/spf13/cobra"
)

func main() {
	ctx := printer.WithContext(context.Background(), printer.New(os.Stdout, os.Stderr))
	kpt := &cobra.Command{Use: "kpt", SilenceErrors: true, SilenceUsage: true}
	kpt.AddCommand(fn.GetCommand(ctx, "kpt"))
	err := kpt.ExecuteContext(ctx)
	if err == nil {
		return
	}
	if resolved, ok := resolver.ResolveError(err); ok {
		fmt.Fprintln(os.Stderr, resolved.Message)
		os.Exit(resolved.ExitCode)
	}
	fmt.Fprintf(os.Stderr, "Error: %v\n", err)
	os.Exit(1)
}
