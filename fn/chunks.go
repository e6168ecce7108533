package fn

import (
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Chunks is a run of a functionConfig whose items come in chunks, or in one. Its results are those
// of Items.
type Chunks struct {
	of             *ignorefields.Chunks // nil where all items come in one chunk
	options        Options
	functionConfig *tree.Node
}

// InChunks returns a run in chunks; nil if the kind has none, or the functionConfig needs all items
// at once, or is faulty.
func InChunks(options Options, functionConfig *tree.Node) *Chunks {
	kind, fault := pick(functionConfig)
	if fault != nil || kind.inChunks == nil {
		return nil
	}
	options = options.seeing(nil)
	if chunks := kind.inChunks(options, functionConfig); chunks != nil {
		return &Chunks{of: chunks, options: options}
	}
	return nil
}

// AtOnce returns a run that gets all items in one chunk.
func AtOnce(options Options, functionConfig *tree.Node) *Chunks {
	return &Chunks{options: options, functionConfig: functionConfig}
}

// Run runs on the next items. It returns the items that come out, their results, and those that
// come behind the ones of End. It returns false if all items are needed at once after all; then
// nothing that it has returned is of use.
func (c *Chunks) Run(items []*object.Object) (out []*object.Object, results, last []report.Result, ok bool) {
	if c.of == nil {
		out, results = ItemsWith(c.options, c.functionConfig, items)
		return out, results, nil, true
	}
	defer func() {
		if recover() != nil {
			ok = false // the run on all items tells of the panic
		}
	}()
	c.options.seeing(items)
	out, results, ok = c.of.Run(items)
	report.Redact(results, c.options.Mask)
	if !ok || len(checkItems(items)) > 0 {
		return nil, nil, nil, false
	}
	return out, results, aboutTexts(out, nil), true
}

// End returns the results that are not of single items; false if they need all items at once.
func (c *Chunks) End() ([]report.Result, bool) {
	if c.of == nil {
		return nil, true
	}
	results, ok := c.of.End()
	report.Redact(results, c.options.Mask)
	return results, ok
}
