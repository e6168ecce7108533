package fn

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// APIVersion is the apiVersion of our functionConfigs.
const APIVersion = selector.APIVersion

// Kind is an entry of the table of kinds of functionConfig.
type Kind struct {
	Name string
	// Doc describes the kind, as the rest of a sentence that begins with its name.
	Doc string
	// Config is the type that a functionConfig is decoded into, from which its schema is made.
	Config reflect.Type
	// IsConfigMap is true if a ConfigMap is a short form of the kind.
	IsConfigMap bool
	// ReadsLive is true if live objects may be among the items. The cluster has an object that such
	// a kind leaves out as it is.
	ReadsLive bool
	// IsImperative is true if a functionConfig says what to do to objects, not how they should be:
	// it has no difference from a cluster, and apply runs it on the cluster.
	IsImperative bool
	// Run runs a functionConfig of the kind.
	Run func(Options, *tree.Node, []*object.Object) ([]*object.Object, []report.Result)
	// inChunks returns a run that gets its items in chunks; nil if the kind needs all at once.
	inChunks func(Options, *tree.Node) *ignorefields.Chunks
}

// table is the table of kinds. A new kind is an entry here and a package of its own.
var table = slices.Concat([]Kind{
	{
		Name: ignorefields.Kind, Config: reflect.TypeFor[ignorefields.Config](), IsConfigMap: true, ReadsLive: true,
		Doc: "strips fields that others own, gives them their live values or records them",
		Run: func(o Options, functionConfig *tree.Node, items []*object.Object) ([]*object.Object, []report.Result) {
			return o.IgnoreFields.Run(functionConfig, items, o.Mask)
		},
		inChunks: func(o Options, functionConfig *tree.Node) *ignorefields.Chunks {
			return o.IgnoreFields.InChunks(functionConfig, o.Mask)
		},
	},
}, patches, []Kind{
	{
		Name: applyoperations.Kind, Config: reflect.TypeFor[applyoperations.Config](),
		Doc: "creates, updates, deletes and patches whole objects", IsImperative: true,
		Run: func(o Options, functionConfig *tree.Node, items []*object.Object) ([]*object.Object, []report.Result) {
			return applyoperations.Run(functionConfig, items, o.Mask)
		},
	},
})

// Kinds returns the entries of the table.
func Kinds() []Kind { return slices.Clone(table) }

func names() []string {
	return lists.Map(table, func(kind Kind) string { return kind.Name })
}

// KindOf returns the kind of a functionConfig; the zero Kind if it is none of ours.
func KindOf(functionConfig *tree.Node) Kind {
	kind, _ := pick(functionConfig)
	return kind
}

// pick returns the kind of a functionConfig.
func pick(functionConfig *tree.Node) (Kind, *report.Fault) {
	known := slices.Sorted(slices.Values(names()))
	if functionConfig == nil {
		return Kind{}, &report.Fault{Path: "", Message: fmt.Sprintf(
			"there must be a functionConfig of %s and kind %s, or a ConfigMap; found none", APIVersion, words.List(known))}
	}
	apiVersion, name := tree.GetString(functionConfig, "apiVersion"), tree.GetString(functionConfig, "kind")
	isConfigMap, want := name == "ConfigMap", APIVersion
	if isConfigMap {
		want = "v1"
	}
	i := slices.IndexFunc(table, func(k Kind) bool { return k.Name == name || isConfigMap && k.IsConfigMap })
	switch {
	case i < 0:
		return Kind{}, &report.Fault{Path: "kind", Message: fmt.Sprintf(
			"the kind of the functionConfig must be %s, found %q%s", words.List(append(known, "ConfigMap")), name, kindHint(apiVersion, name, known))}
	case apiVersion != want:
		return Kind{}, &report.Fault{Path: "apiVersion", Message: fmt.Sprintf(
			"the apiVersion of a functionConfig of kind %s must be %q, found %q", name, want, apiVersion)}
	}
	return table[i], nil
}

// kindHint says what may be meant by a kind that is not in the table.
func kindHint(apiVersion, name string, known []string) string {
	hint := words.DidYouMean(name, known)
	group, _ := report.GroupVersion(apiVersion)
	isOther := func(suffix string) bool { return strings.HasSuffix(group, suffix) }
	if hint == "" && strings.Contains(group, ".") && !slices.ContainsFunc([]string{"k8s.io", "kubernetes.io", "kpt.dev"}, isOther) {
		return `; "krm-fields convert --to ignorefields" converts rules of other tools`
	}
	return hint
}
