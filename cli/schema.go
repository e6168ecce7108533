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
	return &cobra.Command{
		Use:   "schema KIND",
		Short: "Print the JSON Schema of a kind of functionConfig",
		Long: `schema prints the JSON Schema (draft 2020-12) of a kind of functionConfig:
` + strings.Join(configschema.Kinds(), ", ") + `. Editors use it to complete
and check what you type. Only a run checks whether an expression compiles.

Exit codes: 0; 1 on an error.`,
		Example: `  krm-fields schema IgnoreFields > ignorefields.json
  krm-fields schema ApplyPatches > applypatches.json
  krm-fields schema ApplyOperations > applyoperations.json`,
		Args:      checkArguments("KIND"),
		ValidArgs: configschema.Kinds(),
		RunE: func(_ *cobra.Command, args []string) error {
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
		},
	}
}
