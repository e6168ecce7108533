package applyoperations

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var jqPatch = Spec{
	Name: "JQPatch", Doc: "replaces the object with the one result of a jq filter",
	Payload: fieldJQFilter, IsPatch: true, compile: patching(compileFilter),
}

func compileFilter(c *compiler, o *operation, p payload) transform {
	if tree.Type(p.node) != tree.String {
		c.fault(p.path, "must be a jq filter (a string), found %s", tree.Typed(p.node))
		return nil
	}
	filter := p.node.Text()
	o.Filter = filter
	limits := c.limits
	limits.Reporter = guard.ReporterFunc(func(err error) report.Result {
		return report.FaultResults([]report.Fault{filterFault(p.path, filter, err)}, c.ref, c.file)[0]
	})
	program, err := jq.Compile(filter, limits)
	if err != nil {
		if guard.IsLimit(err) {
			if c.isExhausted {
				return nil
			}
			c.isExhausted = true
		}
		c.faults = append(c.faults, filterFault(p.path, filter, err))
		return nil
	}
	return func(s *store, target *storedObject) (before, after *tree.Node, err error) {
		before = target.object.Root()
		results, err := program.Run(tree.Value(before), s.current.Load())
		if err == nil && len(results) != 1 {
			err = &resultError{filter: filter, reason: fmt.Sprintf("must yield one result, found %d", len(results))}
		}
		if err == nil {
			after = tree.FromValue(results[0])
			err = checkFiltered(before, after)
		}
		if err != nil {
			return nil, nil, &filterError{filter: filter, err: err}
		}
		return before, after, nil
	}
}

// checkFiltered checks that the result of a filter is not too deep and that it sets no
// resourceVersion: that is the API server's, and the operation itself has a field for the one that
// the object must have.
func checkFiltered(before, after *tree.Node) error {
	if !object.Fits(after, tree.MaxDepth) {
		return &resultError{reason: fmt.Sprintf("the result must be nested at most %d levels deep", tree.MaxDepth)}
	}
	was, is := tree.GetString(before, "metadata", "resourceVersion"), tree.GetString(after, "metadata", "resourceVersion")
	if is == "" || is == was {
		return nil
	}
	return &resultError{
		reason: "the filter must not set metadata.resourceVersion, which only the API server sets; " +
			"the field resourceVersion of the operation is the one that the object must have",
		found: strconv.Quote(is),
	}
}

// filterFault is a filter that does not compile.
func filterFault(path, filter string, err error) report.Fault {
	found := report.Fault{Path: path, Message: err.Error(), Tags: filterTags(filter)}
	if syntax, ok := errors.AsType[*fault.SyntaxError](err); ok {
		syntax.Noun = jqpath.Dialect.Noun
		found.Message, found.Detail = syntax.Error(), syntax.Caret()
	}
	return found
}

func filterTags(filter string) map[string]string {
	return map[string]string{"selector": jqpath.Dialect.Name, "expression": filter}
}

// filterError is a filter that failed on an object.
type filterError struct {
	filter string
	err    error
}

func (e *filterError) Error() string { return e.err.Error() }

func (e *filterError) Unwrap() error { return e.err }

var filterPatchOptimistic = Spec{
	Name: "FilterPatchOptimistic", Doc: "is JQPatch with a required resourceVersion",
	Payload: fieldJQFilter, Lock: RequiredLock, IsPatch: true, compile: patching(compileFilter),
}
