package applyoperations

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var jqPatch = Spec{
	Name: "JQPatch", Doc: "replaces the object with the one result of a jq filter",
	Payload: fieldJQFilter, IsPatch: true, compile: patching(compileFilter),
}

func compileFilter(c *compiler, _ *operation, p payload) transform {
	if tree.Type(p.node) != tree.String {
		c.fault(p.path, "must be a jq filter (a string), found %s", tree.Typed(p.node))
		return nil
	}
	filter := p.node.Text()
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
	return func(s *store, target *entry) (before, after *tree.Node, err error) {
		before = target.object.Root()
		results, err := program.Run(tree.Value(before), s.current.Load())
		if err == nil && len(results) != 1 {
			err = &resultError{reason: fmt.Sprintf("the filter '%s' must yield one result, found %d", filter, len(results))}
		}
		var value any
		if err == nil {
			value, err = jsonValue(results[0], tree.MaxDepth)
		}
		if err == nil {
			after = tree.FromValue(value)
			err = checkVersion(before, after)
		}
		if err != nil {
			return nil, nil, &filterError{filter: filter, err: err}
		}
		return before, after, nil
	}
}

// checkVersion checks that a filter sets no resourceVersion: that is the API server's, and the
// operation itself has a field for the one that the object must have.
func checkVersion(before, after *tree.Node) error {
	was, is := textAt(before, "metadata", "resourceVersion"), textAt(after, "metadata", "resourceVersion")
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

// jsonValue returns v as jq writes it in JSON: null for NaN, the largest number for infinity,
// U+FFFD for invalid UTF-8.
func jsonValue(v any, levels int) (any, error) {
	switch v := v.(type) {
	case map[string]any, []any:
		if levels == 0 {
			return nil, &resultError{reason: fmt.Sprintf("the result must be nested at most %d levels deep", tree.MaxDepth)}
		}
		return jsonCollection(v, levels-1)
	case float64:
		switch {
		case math.IsNaN(v):
			return nil, nil
		case math.IsInf(v, 0):
			return math.Copysign(math.MaxFloat64, v), nil
		}
	case string:
		return strings.ToValidUTF8(v, "\uFFFD"), nil
	}
	return v, nil
}

func jsonCollection(v any, levels int) (any, error) {
	var err error
	if list, ok := v.([]any); ok {
		elements := make([]any, len(list))
		for i, element := range list {
			if elements[i], err = jsonValue(element, levels); err != nil {
				return nil, err
			}
		}
		return elements, nil
	}
	members := map[string]any{}
	object, _ := v.(map[string]any)
	for key, member := range object {
		if members[strings.ToValidUTF8(key, "\uFFFD")], err = jsonValue(member, levels); err != nil {
			return nil, err
		}
	}
	return members, nil
}

var filterPatchOptimistic = Spec{
	Name: "FilterPatchOptimistic", Doc: "is JQPatch with a required resourceVersion",
	Payload: fieldJQFilter, Lock: RequiredLock, IsPatch: true, compile: patching(compileFilter),
}
