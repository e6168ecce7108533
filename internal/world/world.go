// Package world is what every command that looks at a cluster answers from: the package with its
// functionConfigs, the live objects, the schemas of their kinds, and who applies.
//
// It pairs the objects of both sides. What a command needs beyond that, such as the prediction of
// an apply, it makes of the pairs itself.
package world

import (
	"errors"
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// World is a package and the cluster that it is for.
type World struct {
	// Steps are the functionConfigs, and Objects the package before them.
	Steps   []hostless.ConfigStep
	Objects []*object.Object
	// Live are the objects on the cluster, and HasLive tells that it was looked at: there may be
	// none.
	Live    []*object.Object
	HasLive bool
	// Definitions are CustomResourceDefinitions beside those in Objects, which an apply sends first
	// and which therefore take precedence, and in Live.
	Definitions []*object.Object
	// As is the tool that applies, and Manager its field manager.
	As      *managedfields.Tool
	Manager string
	// IsManagerGiven tells that the user has named the Manager.
	IsManagerGiven bool
	// Appliers are who applies an object, where that is not Manager.
	Appliers map[*object.Object]Applier
	// SendsAll tells that the functionConfigs let all objects through, also those that the cluster
	// has as they are, by their hash.
	SendsAll bool
	// Unread are objects whose live ones could not be read, or of which several match, with why: a
	// *merge.RefusedError where the cluster would refuse them.
	Unread map[*object.Object]error
	// Base are the schemas that the definitions are added to; nil for those of Kubernetes.
	Base *schema.Schemas
	// Mask has the Secrets that the command has seen.
	Mask *redact.Mask

	schemas *schema.Schemas
	faults  map[*object.Object]error
	index   *selector.Live
}

// An Applier is a field manager, which may force conflicts.
type Applier struct {
	Manager string
	Force   bool
}

// Applier returns who applies an object of the package.
func (w *World) Applier(o *object.Object) Applier {
	if own, ok := w.Appliers[o]; ok {
		return own
	}
	return Applier{w.Manager, w.As.Forces}
}

// Schemas returns the schemas of all kinds. The faults are those of definitions that can't be read,
// whose kinds are not among them.
func (w *World) Schemas() (schemas *schema.Schemas, faults map[*object.Object]error) {
	if w.schemas == nil {
		w.index = hostless.Index(w.Live) // so that pairs can be made side by side
		if w.schemas = w.Base; w.schemas == nil {
			w.schemas = &schema.Schemas{}
		}
		w.faults = map[*object.Object]error{}
		for _, o := range slices.Backward(slices.Concat(w.Objects, w.Definitions, w.Live)) { // the first of a kind counts
			if hostless.IsDefinition(o) {
				_, fault := w.schemas.Define(o.Root())
				if fault = errors.Join(fault, o.Flush()); fault != nil {
					w.faults[o] = fault
				}
			}
		}
	}
	return w.schemas, w.faults
}

// Kind returns the schema of the kind of an object.
func (w *World) Kind(ref report.Ref) *schema.Kind {
	schemas, _ := w.Schemas() // the kind of a definition that can't be read is unknown
	return schemas.Kind(schema.ParseGVK(ref.APIVersion, ref.Kind))
}

// Beside are the objects that functionConfigs read beside the package: the live ones, of which one
// may say that there are none, and the definitions.
func (w *World) Beside() []*object.Object {
	if !w.HasLive {
		return w.DefinitionsBeside()
	}
	return slices.Concat(w.DefinitionsBeside(), hostless.MarkLive(w.Live))
}

// DefinitionsBeside are the definitions that the package does not have: one that it has would count
// as one of the cluster.
func (w *World) DefinitionsBeside() []*object.Object {
	names := map[report.Ref]bool{}
	for _, o := range w.Objects {
		names[o.Ref()] = true
	}
	return slices.DeleteFunc(slices.Clone(w.Definitions), func(o *object.Object) bool { return names[o.Ref()] })
}

// Session returns a session that runs the functionConfigs with what is beside the package.
func (w *World) Session(settings hostless.Settings) *hostless.Session {
	settings.Beside, settings.Options.Mask = w.Beside(), w.Mask
	return hostless.AtOnce(w.Steps, settings)
}

// Purpose tells the run of a functionConfig what the world knows: who applies, whether all objects
// are sent, and that an object whose live one is not clear is noted and left as it is.
func (w *World) Purpose(c *ignorefields.Config) {
	ignorefields.WithoutUnclear(w.NoteUnread)(c)
	if w.SendsAll {
		ignorefields.SendAll(c)
	}
	if w.IsManagerGiven {
		c.Live.FieldManager = w.Manager
	}
}

// NoteUnread notes why the live object of an object is not known.
func (w *World) NoteUnread(o *object.Object, why error) {
	if w.Unread == nil {
		w.Unread = map[*object.Object]error{}
	}
	w.Unread[o] = why
}

// LiveOf returns the live object of an object of the package; nil for none. The error says why
// that is not known.
func (w *World) LiveOf(o *object.Object) (live *object.Object, err error) {
	if _, isRefused := errors.AsType[*merge.RefusedError](w.Unread[o]); !isRefused && w.Unread[o] != nil {
		return nil, w.Unread[o]
	}
	_, live, err = w.Find(o)
	return live, err
}

// Find finds the live object of an object among those that were read, by an identity. The error is
// a *selector.AmbiguousLiveError.
func (w *World) Find(o *object.Object) (identity selector.Identity, live *object.Object, err error) {
	if w.index == nil {
		w.index = hostless.Index(w.Live)
	}
	if err := o.Use(func() { identity = selector.Of(o.Root()).Identity(o.AssumedNamespace) }); err != nil {
		return identity, nil, err
	}
	i, found, err := w.index.Find(identity)
	if found {
		live = w.Live[i]
	}
	return identity, live, err
}

// A Pair is an object of the package and the live one.
type Pair struct {
	// Desired and Live are the data; Live is nil if the cluster does not have the object.
	Desired, Live *tree.Node
	// Entries are those of the managedFields of the live object.
	Entries []managedfields.Entry
	Ref     report.Ref
	File    report.File
	// Shown is what may be shown of the object.
	Shown redact.Object
}

// Pair returns the pair of an object of the package, with data of its own that may be changed. The
// results say why the live object is missing, an error if that is not known, or which entries of
// its managedFields count as missing.
func (w *World) Pair(o *object.Object) (p *Pair, results []report.Result) {
	p = &Pair{Desired: o.Copy().Root(), File: o.File()}
	p.Ref = report.RefOf(p.Desired)
	live, err := w.LiveOf(o)
	if live != nil {
		p.Live = live.Copy().Root()
		p.Shown = o.Shown(p.Desired, p.Live)
		p.Entries, results = managedfields.Of(p.Live)
		for i := range results {
			results[i] = results[i].Of(p.Ref, p.File)
		}
		return p, results
	}
	p.Shown = o.Shown(p.Desired)
	result := report.New(report.SeverityInfo, report.ReasonNotLive, "not among the live objects")
	if err != nil {
		result = report.New(report.SeverityError, report.ReasonRunError, w.Mask.Error(err, p.Shown.HasSecret()))
	}
	if _, isAmbiguous := errors.AsType[*selector.AmbiguousLiveError](err); isAmbiguous {
		result = report.New(report.SeverityError, report.ReasonAmbiguousLive, err.Error())
	}
	return p, []report.Result{result.Of(p.Ref, p.File)}
}

// RemoveHashes removes the hashes that runs set, which are no field of the package.
func RemoveHashes(steps []hostless.ConfigStep, objects []*object.Object) {
	for _, s := range steps {
		at := Annotations.With(location.Key(ignorefields.ConfigOf(s.FunctionConfig).ObjectHash.Annotation))
		for _, o := range objects {
			_ = o.Use(func() { // an object that can't be flushed keeps its data
				if location.At(o.Root(), at) != nil {
					o.Remove([]location.Location{at})
				}
			})
		}
	}
}

// NoOwners says that live objects have no managedFields, with the command that reads them.
func NoOwners(count int, first report.Ref) string {
	about := "the live object " + first.String() + " has"
	if count > 1 {
		about = fmt.Sprintf("%d live objects, %s first, have", count, first)
	}
	return about + " no metadata.managedFields, so it is not known who owns a field; kubectl get --show-managed-fields -o yaml shows them"
}
