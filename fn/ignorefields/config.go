// Package ignorefields is the kind IgnoreFields: it strips fields that other actors own,
// records them, or gives them their live values, and stamps an object hash.
package ignorefields

import (
	"strconv"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
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
	ObjectHash    ObjectHash          `json:"objectHash" orBool:"emit" doc:"The hash that an object gets if a rule finds a field in it, and with live objects if a rule applies to it; false for none."`
	Live          Live                `json:"live" doc:"Objects of the list that are the live objects of the cluster."`
	Annotate      Annotate            `json:"annotate" doc:"Options of the action Annotate, which records the fields in the annotation fn.kpt.dev/ignored-fields."`
	JQ            JQ                  `json:"jq" doc:"Limits of jq, for each expression on each object."`
	ManifestWorks string              `json:"manifestWorks" enum:"Ignore,Validate,Report" default:"Ignore" doc:"Whether to check the ignoreFields of ManifestWorks and ManifestWorkReplicaSets on their manifests (Validate), and to write the outcome to their status (Report)."`

	// saysHandover is true if the functionConfig has onHandover.
	saysHandover bool
	// withoutLive is true if a rule that needs live objects finds nothing where there are none.
	withoutLive bool
	// applier is the field manager that a plan is for; "" where it is not known.
	applier string
	// compared is the action of a run whose outcome is compared with the cluster; "" for another
	// run.
	compared ActionName
	// rulePaths are those of the rules where they are not from ignoreFields; nil where they are.
	rulePaths []string
	// about says which object a warning is about that is told of another one; nil for no such.
	about func(report.Ref) string
	// noteUnclear gets the objects that match several live ones, and are left as they are; nil
	// where they are errors.
	noteUnclear func(*object.Object, error)
	// sendsAll is true if an object with the hash of the live one comes out, too.
	sendsAll bool
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

// textConfig is the data of a ConfigMap as a functionConfig: one rule, one selector and one exclude
// entry, all as text. Lists have one element on each line, and maps one key=value.
type textConfig struct {
	Condition string `json:"condition" enum:"OnSpokePresent,OnSpokeChange" default:"OnSpokePresent"`
	expr.Lists
	FromOwners                bool              `json:"fromOwners" default:"false"`
	Action                    ActionName        `json:"action" default:"Strip"`
	OnMissing                 string            `json:"onMissing" enum:"Ignore,Warn,Error" default:"Ignore"`
	OnNoMatch                 string            `json:"onNoMatch" enum:"Warn,Ignore,Error" default:"Warn"`
	AnnotateComments          bool              `json:"annotate.comments" default:"false"`
	ObjectHash                bool              `json:"objectHash" default:"true"`
	Algorithm                 string            `json:"algorithm" enum:"SHA256,OCM" default:"SHA256"`
	Timeout                   config.Duration   `json:"timeout" default:"1s"`
	ResultsLimit              config.Number     `json:"results.limit" default:"20"`
	APIVersion                *string           `json:"apiVersion"`
	Group                     *string           `json:"group"`
	Version                   *string           `json:"version"`
	Kind                      *string           `json:"kind"`
	Name                      *string           `json:"name"`
	Namespace                 *string           `json:"namespace"`
	Labels                    map[string]string `json:"labels"`
	Annotations               map[string]string `json:"annotations"`
	LabelSelector             *string           `json:"labelSelector"`
	AnnotationSelector        *string           `json:"annotationSelector"`
	ExcludeAPIVersion         *string           `json:"excludeApiVersion"`
	ExcludeGroup              *string           `json:"excludeGroup"`
	ExcludeVersion            *string           `json:"excludeVersion"`
	ExcludeKind               *string           `json:"excludeKind"`
	ExcludeName               *string           `json:"excludeName"`
	ExcludeNamespace          *string           `json:"excludeNamespace"`
	ExcludeLabels             map[string]string `json:"excludeLabels"`
	ExcludeAnnotations        map[string]string `json:"excludeAnnotations"`
	ExcludeLabelSelector      *string           `json:"excludeLabelSelector"`
	ExcludeAnnotationSelector *string           `json:"excludeAnnotationSelector"`
}

// configMap has the fields of a ConfigMap.
type configMap struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   map[string]any `json:"metadata"`
	Data       any            `json:"data"` // which DecodeText checks
	BinaryData map[string]any `json:"binaryData"`
	Immutable  bool           `json:"immutable"`
}

// decode decodes a functionConfig of the kind IgnoreFields or the data of a ConfigMap.
func decode(n *tree.Node) (Config, paths, []report.Fault) {
	if tree.GetString(n, "kind") != "ConfigMap" {
		var c Config
		faults := config.Decode(n, "", &c)
		c.saysHandover = tree.Get(n, "onHandover") != nil
		return c, paths{rules: "ignoreFields"}, faults
	}
	var outer configMap
	var text textConfig
	faults := append(config.Decode(n, "", &outer), config.DecodeText(tree.Get(n, "data"), "data", &text)...)
	c, moreFaults := text.config()
	return c, paths{rules: "data", flat: true}, append(faults, moreFaults...)
}

// config returns the configuration in the data: one rule, and at most one entry each in selectors
// and exclude.
func (t textConfig) config() (Config, []report.Fault) {
	var c Config
	faults := config.Decode(nil, "", &c)
	c.IgnoreFields = []rules.Config{{OwnConfig: rules.OwnConfig{Condition: t.Condition, Lists: t.Lists, FromOwners: t.FromOwners}}}
	c.Action, c.OnMissing, c.OnNoMatch = t.Action, t.OnMissing, t.OnNoMatch
	c.Annotate.Comments = t.AnnotateComments
	c.ObjectHash.Emit, c.ObjectHash.Algorithm = t.ObjectHash, t.Algorithm
	c.JQ.Timeout, c.Results.Limit = t.Timeout, t.ResultsLimit
	c.Selectors = given(selector.Selector{
		APIVersion: t.APIVersion, Group: t.Group, Version: t.Version, Kind: t.Kind, Name: t.Name, Namespace: t.Namespace,
		Labels: t.Labels, Annotations: t.Annotations, LabelSelector: t.LabelSelector,
		AnnotationSelector: t.AnnotationSelector,
	})
	c.Exclude = given(selector.Selector{
		APIVersion: t.ExcludeAPIVersion, Group: t.ExcludeGroup, Version: t.ExcludeVersion, Kind: t.ExcludeKind,
		Name: t.ExcludeName, Namespace: t.ExcludeNamespace, Labels: t.ExcludeLabels, Annotations: t.ExcludeAnnotations,
		LabelSelector: t.ExcludeLabelSelector, AnnotationSelector: t.ExcludeAnnotationSelector,
	})
	return c, faults
}

// given returns the selector as a list, empty if it has no field.
func given(s selector.Selector) []selector.Selector {
	if s.IsEmpty() {
		return nil
	}
	return []selector.Selector{s}
}

// Decode decodes a functionConfig of the kind IgnoreFields, or the data of a ConfigMap, with its
// defaults, and checks it: its faults are those that a run reports before it edits an object.
func Decode(functionConfig *tree.Node) (Config, []report.Fault) {
	c, at, faults := decode(functionConfig)
	_, moreFaults := compile(c, at, rules.Compiler{})
	return c, append(faults, moreFaults...)
}

// ownRules compiles the rules in an object's own annotation. Faults are reported against the
// object.
func (r *run) ownRules(item *object.Object) ([]rules.Rule, []report.Result) {
	if !item.Mentions(RulesAnnotation) {
		return nil, nil
	}
	text, ok := annotation(item.Root(), RulesAnnotation)
	if !ok {
		return nil, nil
	}
	rules, faults := r.parseOwnRules(text, item)
	if len(faults) == 0 {
		return rules, nil
	}
	root := item.Root()
	return nil, report.FaultResults(faults, report.RefOf(root), item.File())
}

func (r *run) parseOwnRules(text string, item *object.Object) ([]rules.Rule, []report.Fault) {
	path := annotationsAt.With(location.Key(RulesAnnotation)).String()
	list, err := rules.ParseAnnotation(text)
	if err != nil {
		return nil, []report.Fault{{Path: path, Message: "must be a YAML list of rules: " + err.Error()}}
	}
	if !tree.IsList(list) {
		return nil, []report.Fault{{Path: path, Message: "must be a YAML list of rules, found " + config.Found(list)}}
	}
	at := func(i int) string { return path + "[" + strconv.Itoa(i) + "]" }
	c := rules.Compiler{Limits: r.limits, Ref: report.RefOf(item.Root()), File: item.File()}
	decoded := make([]rules.Config, len(list.Content))
	var faults []report.Fault
	for i, n := range list.Content {
		if tree.Type(n) == tree.Null {
			faults = append(faults, report.Fault{Path: at(i), Message: "must be a rule, found null"})
			continue
		}
		faults = append(faults, config.Decode(n, at(i), &decoded[i].OwnConfig)...)
	}
	own := c.Rules(decoded, at)
	for i := range own { // without numbers, so that the run does not report that they matched nothing
		own[i].Number, own[i].IsOwn = -1, true
		for _, level := range own[i].Within {
			unnumber(level.Expressions)
		}
		for _, list := range own[i].Lists {
			unnumber(list)
		}
	}
	return own, append(faults, report.WithoutFollowUps(c.Faults, faults)...)
}

func unnumber(list []rules.Expression) {
	for i := range list {
		list[i].Number, list[i].IsOwn = -1, true
	}
}

// ConfigOf returns a functionConfig of the kind, or without one the defaults.
func ConfigOf(functionConfig *tree.Node) Config {
	config, _, _ := decode(functionConfig)
	return config
}
