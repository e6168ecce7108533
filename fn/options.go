package fn

import (
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Options are how a command runs a functionConfig other than the function does.
type Options struct {
	// Mask has the Secrets that the command has seen; nil for those of the items alone.
	Mask *redact.Mask
	// IgnoreFields are the options of that kind.
	IgnoreFields ignorefields.Options
}

// seeing returns the options with the Secrets among the items in the mask.
func (o Options) seeing(items []*object.Object) Options {
	if o.Mask == nil {
		o.Mask = &redact.Mask{KeepsTexts: true}
	}
	for _, item := range items {
		item.AddTo(o.Mask)
	}
	return o
}
