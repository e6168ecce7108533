package ignorefields

import (
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Options are how a command runs a functionConfig other than the function does.
type Options struct {
	// Trace gets what the rules find; nil if nobody asks for it. A Trace is for one run.
	Trace *Trace
	// Measures adds an info for each expression that says how long it took, the slowest first.
	Measures bool
	// Purpose changes the decoded functionConfig to what the run is for; nil for the function.
	Purpose Purpose
}

// tracesMissing tells whether the trace gets what the rules do not find.
func (o Options) tracesMissing() bool { return o.Trace != nil && !o.Trace.FoundOnly }

// Purpose changes a decoded functionConfig.
type Purpose func(*Config)

// Run is the function Run with the options.
func (o Options) Run(functionConfig *tree.Node, items []*object.Object) ([]*object.Object, []report.Result) {
	return runWith(functionConfig, items, o)
}

// Comparison strips from an object what a comparison with the cluster must not see: the fields that
// the rules find, and no object hash is added.
func Comparison(c *Config) {
	c.Action, c.Annotate, c.Live, c.ObjectHash.Emit, c.OnHandover = Strip, Annotate{}, Live{}, false, policyIgnore
}

// ComparisonOfUnchanged is Comparison for objects that have not changed since they were applied:
// the condition OnSpokeChange leaves their fields alone too.
func ComparisonOfUnchanged(c *Config) {
	Comparison(c)
	for i := range c.IgnoreFields {
		c.IgnoreFields[i].Condition = rules.OnSpokePresent
	}
}

// Check accepts that a rule matches nothing, as it does where its fields have been stripped. It
// adds no object hash, since the hash is that of the run which stripped them.
func Check(c *Config) {
	c.OnMissing, c.OnNoMatch, c.OnHandover, c.ObjectHash.Emit = policyIgnore, policyIgnore, policyIgnore, false
}

// Verification strips just the fields that the rules find, and fails where a rule finds none.
func Verification(c *Config) {
	c.PruneEmptied, c.OnNoMatch, c.ObjectHash.Emit = pruneNever, policyError, false
}

// Apply returns the purpose of a run whose output is applied by a field manager: it does no harm
// unless the functionConfig says otherwise.
func Apply(manager string) Purpose {
	return func(c *Config) {
		c.Live.FieldManager = manager
		if !c.saysHandover {
			c.OnHandover = policyKeep
		}
	}
}

// Plan returns a purpose which makes warnings of the errors that a plan reports itself, and adds
// the reasons of these results to errorReasons.
func Plan(errorReasons *[]string) Purpose {
	return func(c *Config) {
		if c.OnHandover == policyError {
			c.OnHandover = policyWarn
			*errorReasons = append(*errorReasons, report.ReasonAtomicParent, report.ReasonRequiredField, report.ReasonSoleFieldManager)
		}
		if c.OnNoMatch == policyError {
			c.OnNoMatch = policyWarn
			*errorReasons = append(*errorReasons, report.ReasonNoMatch)
		}
	}
}

// HashAnnotation returns the annotation for the object hash in a functionConfig of the kind, or the
// default one without a functionConfig.
func HashAnnotation(functionConfig *tree.Node) string {
	config, _, _ := decode(functionConfig)
	return config.ObjectHash.Annotation
}

// ActionIn returns the action of a functionConfig of the kind.
func ActionIn(functionConfig *tree.Node) ActionName {
	config, _, _ := decode(functionConfig)
	return config.Action
}

// HasOnSpokeChange is true if a rule of a functionConfig of the kind has the condition
// OnSpokeChange.
func HasOnSpokeChange(functionConfig *tree.Node) bool {
	config, _, _ := decode(functionConfig)
	for _, rule := range config.IgnoreFields {
		if rule.Condition == rules.OnSpokeChange {
			return true
		}
	}
	return false
}
