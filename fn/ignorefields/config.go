// Package ignorefields is the kind IgnoreFields: it strips or annotates the
// fields that other actors own, and stamps an object hash.
package ignorefields

import (
	"github.com/krm-fields/krm-fields/fn/config"
	"github.com/krm-fields/krm-fields/fn/match"
)

// Kind is the kind of the functionConfig.
const Kind = "IgnoreFields"

// Annotations that the kind reads or writes.
const (
	rulesAnnotation  = "fn.kpt.dev/ignore-fields"
	recordAnnotation = "fn.kpt.dev/ignored-fields"
	liveAnnotation   = "fn.kpt.dev/live"
)

// Conditions of a rule.
const (
	onSpokePresent = "OnSpokePresent"
	onSpokeChange  = "OnSpokeChange"
)

// Values of action, onMissing, onNoMatch, onHandover, pruneEmptied and manifestWorks.
const (
	policyIgnore = "Ignore"
	policyWarn   = "Warn"
	policyError  = "Error"
	pruneAlways  = "Always"
	pruneNever   = "Never"
	worksReport  = "Report"
)

// Config is the functionConfig of the kind IgnoreFields.
type Config struct {
	config.Header
	Selectors     []match.Selector `json:"selectors" doc:"Which objects. An object is chosen if one entry fits; without entries, all are."`
	Exclude       []match.Selector `json:"exclude" doc:"Which of the chosen objects are left alone all the same."`
	IgnoreFields  []Rule           `json:"ignoreFields" doc:"The rules, at least one; none only where manifestWorks is Validate or Report."`
	Action        string           `json:"action" enum:"Strip,Annotate,TakeLive" default:"Strip" doc:"Strip removes the fields, Annotate records them in the annotation fn.kpt.dev/ignored-fields, TakeLive gives them the values that they have in the live objects."`
	OnMissing     string           `json:"onMissing" enum:"Ignore,Warn,Error" default:"Ignore" doc:"What happens when an expression finds nothing in one object."`
	OnNoMatch     string           `json:"onNoMatch" enum:"Warn,Ignore,Error" default:"Warn" doc:"What happens when an expression, a selector or an exclude entry finds nothing in the whole run."`
	OnHandover    string           `json:"onHandover" enum:"Warn,Ignore,Error" default:"Warn" doc:"What happens when leaving out a field does not leave it to its owner."`
	PruneEmptied  string           `json:"pruneEmptied" enum:"Metadata,Always,Never" default:"Metadata" doc:"Which maps and lists go when stripping has emptied them: metadata.annotations and metadata.labels, all, or none."`
	ObjectHash    ObjectHash       `json:"objectHash" doc:"The hash of each object that a rule applies to."`
	Live          Live             `json:"live" doc:"Objects in the list that show what is on the cluster."`
	Annotate      Annotate         `json:"annotate" doc:"Options of the action Annotate."`
	JQ            JQ               `json:"jq" doc:"Limits of jq, for each expression and object."`
	ManifestWorks string           `json:"manifestWorks" enum:"Ignore,Validate,Report" default:"Ignore" doc:"Whether the ignoreFields of ManifestWorks and ManifestWorkReplicaSets are tried out, and the outcome is written to their status."`
}

// Rule names fields.
type Rule struct {
	Condition         string           `json:"condition" enum:"OnSpokePresent,OnSpokeChange" default:"OnSpokePresent" doc:"OnSpokePresent leaves the field to the cluster as long as the object is there; OnSpokeChange leaves changes on the cluster alone, but applies those in the package."`
	JSONPaths         []string         `json:"jsonPaths" doc:"Kubernetes JSONPath expressions."`
	JSONPointers      []string         `json:"jsonPointers" doc:"RFC 6901 JSON Pointers; the segment * stands for every element of a list."`
	JQPathExpressions []string         `json:"jqPathExpressions" doc:"jq path expressions."`
	FromAnnotation    bool             `json:"fromAnnotation" doc:"Take the fields and conditions that an earlier run recorded with the action Annotate; then the rule has no expressions."`
	Selectors         []match.Selector `json:"selectors" doc:"Narrows the rule to these of the chosen objects."`
	Exclude           []match.Selector `json:"exclude" doc:"Narrows the rule to all but these of the chosen objects."`
}

// ObjectHash says whether and how objects are hashed.
type ObjectHash struct {
	Emit       bool   `json:"emit" default:"true" doc:"Whether the hash is written."`
	Annotation string `json:"annotation" default:"open-cluster-management.io/object-hash" doc:"The annotation that carries the hash."`
	Algorithm  string `json:"algorithm" enum:"SHA256,OCM" default:"SHA256" doc:"SHA256 over canonical JSON, or what the agent of Open Cluster Management computes."`
	Secrets    bool   `json:"secrets" default:"true" doc:"Whether Secrets get a hash, too. Who sees the hash can check a guess of a short value."`
}

// Live says which objects show what is on the cluster.
type Live struct {
	PathPrefix   string `json:"pathPrefix" doc:"Objects from files below this path are live; so are those with the annotation fn.kpt.dev/live: \"true\"."`
	Keep         bool   `json:"keep" default:"false" doc:"Whether live objects come out."`
	FieldManager string `json:"fieldManager" doc:"The field manager that the package is applied with. Without it, a field that any one manager owns alone is reported as SoleFieldManager."`
}

// Annotate has the options of the action Annotate.
type Annotate struct {
	Comments bool `json:"comments" default:"false" doc:"Whether each field also gets a line comment such as # ignored: OnSpokePresent."`
}

// JQ has the limits of jq.
type JQ struct {
	Timeout     config.Duration `json:"timeout" default:"1s" doc:"How long one expression may run on one object."`
	MemoryLimit config.Memory   `json:"memoryLimit" default:"256Mi" doc:"How much evaluation may add to the memory of the process."`
}

// paths are where the parts of a configuration stand in the functionConfig, for
// the faults: the two forms differ.
type paths struct {
	rules string
	// flat is true for the data of a ConfigMap: there is one rule, one selector
	// and one exclude entry, and their fields stand side by side.
	flat bool
}

// field returns where a field of the configuration stands.
func (p paths) field(name string) string {
	if p.flat {
		return p.rules + "." + name
	}
	return name
}
