// Package ignorefields is the kind IgnoreFields: it strips or annotates the fields that other
// actors own, and stamps an object hash.
package ignorefields

import (
	"strconv"

	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
)

// Kind is the kind of the functionConfig.
const Kind = "IgnoreFields"

// Annotations that the kind reads, and what their names begin with.
const (
	// AnnotationGroup is what the annotations begin with that the function reads.
	AnnotationGroup = "fn.kpt.dev/"
	RulesAnnotation = AnnotationGroup + "ignore-fields"
	liveAnnotation  = AnnotationGroup + "live"
)

// Values of action, onMissing, onNoMatch, onHandover, pruneEmptied and manifestWorks.
const (
	policyIgnore = "Ignore"
	policyWarn   = "Warn"
	policyError  = "Error"
	policyKeep   = "Keep"
	pruneAlways  = "Always"
	pruneNever   = "Never"
	worksReport  = "Report"
)

// Config is the functionConfig of the kind IgnoreFields.
type Config struct {
	config.Header
	Selectors     []selector.Selector `json:"selectors" doc:"Which objects. An object is selected if it matches at least one entry; without entries, all objects are."`
	Exclude       []selector.Selector `json:"exclude" doc:"Which of the selected objects are left out."`
	IgnoreFields  []rules.Config      `json:"ignoreFields" doc:"The rules, at least one; none are needed if manifestWorks is Validate or Report."`
	Action        ActionName          `json:"action" default:"Strip" doc:"What to do with the fields that the rules find."`
	OnMissing     string              `json:"onMissing" enum:"Ignore,Warn,Error" default:"Ignore" doc:"What happens when an expression finds nothing in one object."`
	OnNoMatch     string              `json:"onNoMatch" enum:"Warn,Ignore,Error" default:"Warn" doc:"What happens when an expression, a selector or an exclude entry finds nothing in the whole run."`
	OnHandover    string              `json:"onHandover" enum:"Warn,Ignore,Error,Keep" default:"Warn" doc:"What happens when stripping a field does not hand it over to another owner. Keep needs live objects: the field then gets its live value, until another manager owns it. krm-fields apply keeps fields by default."`
	PruneEmptied  string              `json:"pruneEmptied" enum:"Metadata,Always,Never" default:"Metadata" doc:"Which maps and lists are removed when stripping has emptied them: metadata.annotations and metadata.labels, all, or none."`
	ObjectHash    ObjectHash          `json:"objectHash" doc:"The hash that an object gets if a rule finds a field in it, and with live objects if a rule applies to it."`
	Live          Live                `json:"live" doc:"Objects of the list that are the live objects of the cluster."`
	Annotate      Annotate            `json:"annotate" doc:"Options of the action Annotate, which records the fields in the annotation fn.kpt.dev/ignored-fields."`
	JQ            JQ                  `json:"jq" doc:"Limits of jq, for each expression on each object."`
	ManifestWorks string              `json:"manifestWorks" enum:"Ignore,Validate,Report" default:"Ignore" doc:"Whether to check the ignoreFields of ManifestWorks and ManifestWorkReplicaSets on their manifests (Validate), and to write the outcome to their status (Report)."`

	// saysHandover is true if the functionConfig has onHandover.
	saysHandover bool
}

// ObjectHash says whether and how objects are hashed.
type ObjectHash struct {
	Emit       bool   `json:"emit" default:"true" doc:"Whether the hash is written."`
	Annotation string `json:"annotation" default:"open-cluster-management.io/object-hash" doc:"The annotation that holds the hash."`
	Algorithm  string `json:"algorithm" enum:"SHA256,OCM" default:"SHA256" doc:"SHA256 over canonical JSON, or what the agent of Open Cluster Management computes."`
	Secrets    bool   `json:"secrets" default:"true" doc:"Whether Secrets get a hash, too. Anyone who sees the hash can check guesses of a short value."`
}

// Live says which objects show what is on the cluster.
type Live struct {
	PathPrefix   string `json:"pathPrefix" doc:"Objects from files under this path are live; so are those with the annotation fn.kpt.dev/live: \"true\"."`
	Keep         bool   `json:"keep" default:"false" doc:"Whether live objects stay in the output."`
	FieldManager string `json:"fieldManager" doc:"The field manager that the package is applied with. Without it, a field that any one manager owns alone is reported as SoleFieldManager."`
}

// Annotate has the options of the action Annotate.
type Annotate struct {
	Comments bool   `json:"comments" default:"false" doc:"Whether each field also gets a line comment such as # ignored: OnSpokePresent."`
	Format   string `json:"format" enum:"Record,ArgoCD" default:"Record" doc:"Record writes the annotation fn.kpt.dev/ignored-fields; ArgoCD writes the annotation that Argo CD 3.6 reads, argocd.argoproj.io/ignore-differences, which holds JSON Pointers only."`
}

// JQ has the limits of jq.
type JQ struct {
	Timeout     config.Duration `json:"timeout" default:"1s" doc:"How long one expression may take on one object."`
	MemoryLimit config.Memory   `json:"memoryLimit" default:"256Mi" doc:"How much memory the evaluation may add to that of the process."`
}

// severityOf returns the severity of the results that onMissing, onNoMatch or onHandover is about;
// "" for no result.
func severityOf(policy string) string {
	switch policy {
	case policyIgnore:
		return ""
	case policyError:
		return report.SeverityError
	}
	return report.SeverityWarning
}

// paths are the paths of parts of the configuration in the functionConfig, for faults: the two
// forms differ.
type paths struct {
	rules string
	// flat is true for the data of a ConfigMap, in which the fields of the one rule, selector and
	// exclude entry are side by side.
	flat bool
}

// rule returns the path of the rule at an index.
func (p paths) rule(i int) string {
	if p.flat {
		return p.rules
	}
	return p.rules + "[" + strconv.Itoa(i) + "]"
}

// field returns the path of a field of the configuration.
func (p paths) field(name string) string {
	if p.flat {
		return p.rules + "." + name
	}
	return name
}
