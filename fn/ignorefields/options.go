package ignorefields

import (
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Options are how a command runs a functionConfig of the kind other than the function does.
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

// Comparison gives an object the live values of the fields that a comparison with the cluster must
// not see: those that the rules find on either side, those of OnSpokeChange if the package has not
// changed since it was applied. Every object comes out, without a hash of its own, and the trace
// has the places of the fields.
func Comparison(c *Config) {
	c.compared, c.Action, c.Annotate.Comments, c.Live, c.ObjectHash.Emit, c.OnHandover = c.Action, takeLive.Name, false, Live{}, false, policyIgnore
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

// WithoutUnclear returns a purpose which leaves the objects that match several live ones as they
// are, and notes them with the error.
func WithoutUnclear(note func(*object.Object, error)) Purpose {
	return func(c *Config) { c.noteUnclear = note }
}

// SendAll lets objects with the hash of the live one come out, too.
func SendAll(c *Config) { c.sendsAll = true }

// WithoutLive returns the purpose of a run that looks for what the rules find in the package alone,
// whatever their action. It tells whether the fields would get live values.
func WithoutLive(takesLive *bool) Purpose {
	return func(c *Config) {
		field, _ := c.needsLive()
		if *takesLive = field != ""; *takesLive {
			c.Action, c.OnHandover = Strip, policyIgnore
		}
		c.withoutLive = true
	}
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
// the reasons of these results to errorReasons. Manager is the field manager that will apply.
func Plan(manager string, errorReasons *[]string) Purpose {
	return func(c *Config) {
		c.applier = manager
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
