package ignorefields

import (
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// textConfig is the data of a ConfigMap as a functionConfig: one rule, one selector and one exclude
// entry, all as text. Lists have one element on each line, and maps one key=value.
type textConfig struct {
	Condition string `json:"condition" enum:"OnSpokePresent,OnSpokeChange" default:"OnSpokePresent"`
	expr.Lists
	FromOwners         bool              `json:"fromOwners" default:"false"`
	Action             ActionName        `json:"action" default:"Strip"`
	OnMissing          string            `json:"onMissing" enum:"Ignore,Warn,Error" default:"Ignore"`
	OnNoMatch          string            `json:"onNoMatch" enum:"Warn,Ignore,Error" default:"Warn"`
	AnnotateComments   bool              `json:"annotate.comments" default:"false"`
	ObjectHash         bool              `json:"objectHash" default:"true"`
	Algorithm          string            `json:"algorithm" enum:"SHA256,OCM" default:"SHA256"`
	Timeout            config.Duration   `json:"timeout" default:"1s"`
	ResultsLimit       config.Number     `json:"results.limit" default:"20"`
	APIVersion         *string           `json:"apiVersion"`
	Group              *string           `json:"group"`
	Version            *string           `json:"version"`
	Kind               *string           `json:"kind"`
	Name               *string           `json:"name"`
	Namespace          *string           `json:"namespace"`
	Labels             map[string]string `json:"labels"`
	Annotations        map[string]string `json:"annotations"`
	LabelSelector      *string           `json:"labelSelector"`
	AnnotationSelector *string           `json:"annotationSelector"`
	ExcludeKind        *string           `json:"excludeKind"`
	ExcludeGroup       *string           `json:"excludeGroup"`
	ExcludeName        *string           `json:"excludeName"`
	ExcludeNamespace   *string           `json:"excludeNamespace"`
	ExcludeLabels      map[string]string `json:"excludeLabels"`
	ExcludeAnnotations map[string]string `json:"excludeAnnotations"`
}

// decode decodes a functionConfig of the kind IgnoreFields or the data of a ConfigMap.
func decode(n *tree.Node) (Config, paths, []report.Fault) {
	if tree.GetString(n, "kind") != "ConfigMap" {
		var c Config
		faults := config.Decode(n, "", &c)
		c.saysHandover = tree.Get(n, "onHandover") != nil
		return c, paths{rules: "ignoreFields"}, faults
	}
	var text textConfig
	faults := config.DecodeText(tree.Get(n, "data"), "data", &text)
	c, moreFaults := text.config()
	return c, paths{rules: "data", flat: true}, append(faults, moreFaults...)
}

// config returns the configuration in the data: one rule, and at most one entry each in selectors
// and exclude.
func (t textConfig) config() (Config, []report.Fault) {
	var c Config
	faults := config.Decode(nil, "", &c)
	c.IgnoreFields = []rules.Config{{Condition: t.Condition, Lists: t.Lists, FromOwners: t.FromOwners}}
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
		Kind: t.ExcludeKind, Group: t.ExcludeGroup, Name: t.ExcludeName, Namespace: t.ExcludeNamespace,
		Labels: t.ExcludeLabels, Annotations: t.ExcludeAnnotations,
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
