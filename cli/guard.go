package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/report"
)

// watch has the guard end the process where what the command runs is past a limit.
func watch(command *cobra.Command, streams Streams) (stop func()) {
	if streams.Exit == nil {
		return func() {}
	}
	return guard.Start(func(failed report.Result, isTold bool) {
		if !isTold {
			fmt.Fprintln(streams.Err, failed.Line())
		}
		streams.Exit(codeOf(command, nil))
	})
}
