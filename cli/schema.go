package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/internal/author/configschema"
	"github.com/krm-fields/krm-fields/internal/words"
)

func newSchema(streams Streams) *cobra.Command {
	command := describe("schema", "{KINDS}", strings.Join(configschema.Kinds(), ", "))
	command.Args = checkArguments("KIND")
	command.ValidArgs = configschema.Kinds()
	command.RunE = func(_ *cobra.Command, args []string) error {
		kind, kinds := args[0], configschema.Kinds()
		if !slices.Contains(kinds, kind) {
			return fmt.Errorf("KIND must be %s, found %q%s", words.List(kinds), kind, words.DidYouMean(kind, kinds))
		}
		text, err := configschema.Of(kind).Text()
		if err != nil {
			return err
		}
		_, err = streams.Out.Write(text)
		return err
	}
	return command
}
