// Package hostless is what runs of functionConfigs without a host have in common.
package hostless

import (
	"cmp"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// MarkLive marks objects as those of the cluster, of which there may be none.
func MarkLive(objects []*object.Object) []*object.Object {
	if len(objects) == 0 {
		objects = []*object.Object{object.NewDocument(tree.FromValue(map[string]any{"apiVersion": "v1", "kind": "List"}))}
	}
	for _, o := range objects {
		o.IsLive = true
	}
	return objects
}

// Index returns the index of live objects by their names.
func Index(live []*object.Object) *selector.Live {
	index := selector.NewLive()
	for _, o := range live {
		index.Add(selector.IdentityOf(o.Ref(), o.AssumedNamespace), o.Root)
	}
	return index
}

// NameIn adds to results about the functionConfig the file that it was read from, and names the
// work instead of the functionConfig that was made of its rules.
func (s ConfigStep) NameIn(results []report.Result) {
	ref := report.RefOf(s.FunctionConfig)
	for i := range results {
		r := &results[i]
		if r.Ref != ref {
			continue
		}
		r.File.Path = cmp.Or(r.File.Path, s.Path)
		if s.Work != nil {
			r.Ref = s.Work.Ref
		}
	}
}

// IsLocal tells whether an object is for tools that work on a package, not for a cluster.
func IsLocal(o *object.Object) bool {
	if !slices.ContainsFunc(selector.LocalMarks, o.Mentions) {
		return false // as most, which need not be parsed
	}
	local := false
	_ = o.Use(func() { // the error is that of writing the object, too
		identity := selector.Of(o.Root())
		local = identity.IsLocal() || identity.IsFunctionConfig()
	})
	return local
}

// IsDefinition tells whether an object is a CustomResourceDefinition that can be read.
func IsDefinition(o *object.Object) bool {
	ref := o.Ref()
	return schema.IsCRD(schema.ParseGVK(ref.APIVersion, ref.Kind))
}
