package selector

import (
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Candidate is the part of an object that selectors match. Its labels and annotations are read from
// the object's nodes on demand.
type Candidate struct {
	APIVersion, Group, Version, Kind, Namespace, Name string

	metadata *tree.Node
	// sets are the pairs by field, made when they are asked for.
	sets map[string]labels.Set
}

// Of returns the Candidate of the nodes at root. A missing or null string is ""; another scalar
// counts as its text.
func Of(root *tree.Node) *Candidate {
	ref := report.RefOf(root)
	group, version := report.GroupVersion(ref.APIVersion)
	return &Candidate{
		APIVersion: ref.APIVersion, Group: group, Version: version,
		Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name,
		metadata: tree.Lookup(root, "metadata"),
	}
}

// String returns the object as messages name it: `Deployment default/web`.
func (o *Candidate) String() string { return o.Ref().String() }

// Ref returns the name of the object for results.
func (o *Candidate) Ref() report.Ref {
	return report.Ref{APIVersion: o.APIVersion, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
}

// text returns the text of a label or annotation, by field and key; false if the key is missing.
// Null counts as "".
func (o *Candidate) text(field, key string) (string, bool) {
	return textOf(tree.Get(o.metadata, field, key))
}

func textOf(n *tree.Node) (string, bool) {
	if n == nil || n.Kind != tree.ScalarNode {
		return "", false
	}
	if tree.Type(n) == tree.Null {
		return "", true
	}
	return n.Text(), true
}

// Annotations yields the annotations.
func (o *Candidate) Annotations() iter.Seq2[string, *tree.Node] { return o.entries(fieldAnnotations) }

// entries yields the members of the map at field of the metadata.
func (o *Candidate) entries(field string) iter.Seq2[string, *tree.Node] {
	return tree.Entries(tree.Lookup(o.metadata, field))
}

// HasLabels tells whether the labels match a label selector.
func (o *Candidate) HasLabels(selector labels.Selector) bool {
	return selector.Matches(o.pairs(fieldLabels))
}

// pairs returns the labels or the annotations as the type that label selectors match.
func (o *Candidate) pairs(field string) labels.Set {
	if set, ok := o.sets[field]; ok {
		return set
	}
	set := labels.Set{}
	for key, value := range o.entries(field) {
		if text, ok := textOf(tree.Deref(value)); ok {
			set[key] = text
		}
	}
	if o.sets == nil {
		o.sets = map[string]labels.Set{}
	}
	o.sets[field] = set
	return set
}

// localConfig is the annotation of objects that are for tools that work on a package.
const localConfig = "config.kubernetes.io/local-config"

// LocalMarks are texts one of which is in each object that IsLocal or IsFunctionConfig is true of.
var LocalMarks = []string{localConfig, "kpt.dev", "kustomize.config.k8s.io"}

// IsLocal tells whether the object is for tools that work on a package and not for a cluster.
func (o *Candidate) IsLocal() bool {
	if o.Group == "kpt.dev" || o.Group == "kustomize.config.k8s.io" {
		return true
	}
	text, _ := o.text(fieldAnnotations, localConfig)
	return text == "true"
}

// IsFunctionConfig tells whether the object is a functionConfig of one of our kinds.
func (o *Candidate) IsFunctionConfig() bool {
	return o.APIVersion == APIVersion && slices.Contains(functionConfigs, o.Kind)
}

// isPipeline tells whether the object configures the pipeline and is not content of a package: a
// Kptfile or one of our functionConfigs. A ConfigMap that serves as a functionConfig looks like any
// other and is ordinary.
func (o *Candidate) isPipeline() bool {
	if o.Kind == "Kptfile" {
		return o.Group == "kpt.dev"
	}
	return o.IsFunctionConfig()
}

// APIVersion is that of the functionConfigs.
const APIVersion = "fn.kpt.dev/v1alpha1"

// functionConfigs are their kinds, also one that the program is built without; a test compares them
// with the table in package fn.
var functionConfigs = []string{"ApplyOperations", "ApplyPatches", "IgnoreFields"}
