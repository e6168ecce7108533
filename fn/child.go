package fn

import "github.com/krm-fields/krm-fields/internal/expr/jq"

// The program, which may have any main, serves as the child process that evaluates jq.
func init() {
	if jq.IsChild() {
		jq.ChildMain()
	}
}
