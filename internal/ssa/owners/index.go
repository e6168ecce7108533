package owners

import (
	"slices"
	"strings"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Name names an object of any version in a list. Namespace is the one that it counts as in; "" for
// none.
type Name struct {
	Group, Kind, Namespace, Name string
}

// nameOf returns the name of an object that counts as in a namespace where it names none.
func nameOf(o *selector.Candidate, assumed string) Name {
	name := Name{Group: o.Group, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
	if name.Namespace == "" {
		name.Namespace = assumed
	}
	return name
}

func (n Name) String() string {
	return report.Ref{Kind: n.Kind, Namespace: n.Namespace, Name: n.Name}.String()
}

// Claim is the statement of an object that it owns fields of a target.
type Claim struct {
	Entry *CatalogueEntry
	// Owner is the object that shows the owner, and File the file that it came from.
	Owner report.Ref
	File  report.File
	// Target is without a name where the owner selects its targets by labels.
	Target Name
	// IsLive is true if the owner is an object of the cluster.
	IsLive bool

	owned  *Owned
	owner  any
	ref    any
	labels labels.Selector // nil where Target has a name
	// isClusterScoped is true if the owner says that the target is in no namespace.
	isClusterScoped bool
	renamed         kustomized
	wasMet          atomic.Bool
}

// Name names the owner: the object that shows it, or for the fields of that object itself the entry
// of the catalogue.
func (c *Claim) Name() string {
	if c.owned.targets == nil {
		return c.Entry.Owner
	}
	return c.Owner.String()
}

// Targets names the target, or describes the targets that the owner selects.
func (c *Claim) Targets() string {
	target := c.Target
	if c.labels != nil {
		target.Name = "* with the labels " + c.labels.String()
	}
	return target.String()
}

// Index has the owners of a list and their fields.
type Index struct {
	claims map[Name][]*Claim
	all    []*Claim
	// Notes are the first objects that show an owner of nothing, one for each entry and kind.
	Notes []Note
}

// Note is an object that shows an owner of nothing that it, or another object of the list, has.
type Note struct {
	Entry *CatalogueEntry
	Owner report.Ref
	File  report.File
	// More is how many objects of the kind there are besides.
	More int
}

// Empty returns an index without owners.
func Empty() *Index { return &Index{claims: map[Name][]*Claim{}} }

// NewIndex finds the owners in a list. isLive tells which objects are those of the cluster.
func NewIndex(items []*object.Object, isLive func(*object.Object) bool) *Index {
	x := Empty()
	for _, item := range items {
		if text, isWhole := item.WholeText(); item.IsSchema || isWhole && !MayShow(text) || !item.IsObject() {
			continue
		}
		if !isLive(item) {
			x.Add(item.Root(), item.AssumedNamespace, item.File(), false)
			continue
		}
		for _, root := range resourcelist.Objects(item.Root()) {
			x.Add(root, item.AssumedNamespace, item.File(), true)
		}
	}
	return x
}

// IsEmpty tells whether there are no owners, and nothing to say of any.
func (x *Index) IsEmpty() bool { return len(x.all) == 0 && len(x.Notes) == 0 }

// Add adds the owners that an object shows.
func (x *Index) Add(root *tree.Node, assumed string, file report.File, isLive bool) {
	shown := selector.Of(root)
	if shown.IsLocal() || shown.Name == "" {
		return
	}
	entries := byKind()[shown.Kind]
	if len(entries) == 0 {
		return
	}
	var value any
	text, renamed := textOf(root, nil), kustomizedOf(shown)
	for _, entry := range entries {
		isOfKind := slices.Contains(entry.Objects, selector.GroupKind{Group: shown.Group, Kind: shown.Kind})
		if !isOfKind || !entry.isMentioned(text) || entry.compiled() != nil { // a test compiles all
			continue
		}
		if value == nil {
			value = tree.Value(root)
		}
		if !holds(entry.when, value) {
			continue
		}
		if entry.Note != "" {
			isKnown := func(n Note) bool { return n.Entry == entry && n.Owner.Kind == shown.Kind }
			if i := slices.IndexFunc(x.Notes, isKnown); i >= 0 {
				x.Notes[i].More++
			} else {
				x.Notes = append(x.Notes, Note{Entry: entry, Owner: shown.Ref(), File: file})
			}
		}
		for i := range entry.Owns {
			for _, c := range entry.Owns[i].claims(nameOf(shown, assumed), value) {
				c.Entry, c.Owner, c.File, c.IsLive, c.renamed = entry, shown.Ref(), file, isLive, renamed
				x.claims[c.Target] = append(x.claims[c.Target], c)
				x.all = append(x.all, c)
			}
		}
	}
}

// holds tells whether a condition is true of a value. One that fails is false: the object does not
// have the form that its owner expects.
func holds(condition *jq.Program, value any) bool {
	if condition == nil {
		return true
	}
	results, err := condition.Run(value, nil)
	return err == nil && len(results) > 0 && results[0] == true
}

// claims are those that an object makes by what it says.
func (o *Owned) claims(shown Name, value any) []*Claim {
	if o.targets == nil {
		return []*Claim{{Target: shown, owned: o, owner: value}}
	}
	// A reference of another form than its owner takes names nothing.
	references, _ := o.targets.Run(value, nil)
	var claims []*Claim
	for _, ref := range references {
		if c := claimOf(ref, shown.Namespace); c != nil {
			c.owned, c.owner = o, value
			claims = append(claims, c)
		}
	}
	return claims
}

// claimOf reads a reference to an object, or to those of a kind with some labels; nil if it is
// neither.
func claimOf(ref any, namespace string) *Claim {
	fields, _ := ref.(map[string]any)
	text := func(key string) string {
		s, _ := fields[key].(string)
		return s
	}
	target := Name{Group: text("group"), Kind: text("kind"), Namespace: namespace, Name: text("name")}
	if group, _, ok := strings.Cut(text("apiVersion"), "/"); ok {
		target.Group = group
	}
	isClusterScoped := fields["isClusterScoped"] == true
	switch own := text("namespace"); {
	case isClusterScoped:
		target.Namespace = ""
	case own != "":
		target.Namespace = own
	}
	c := &Claim{Target: target, ref: ref, isClusterScoped: isClusterScoped}
	if expression, isSelector := fields["labelSelector"].(string); isSelector {
		c.labels, _ = labels.Parse(expression)
	}
	if target.Kind == "" || (target.Name == "") == (c.labels == nil) {
		return nil
	}
	return c
}

// Of returns the claims on an object, and notes that it is in the list. For an object that names no
// namespace, assumed is its default one, and there is that of its live object, by which a live
// owner finds it.
func (x *Index) Of(o *selector.Candidate, assumed, there string) []*Claim {
	name := nameOf(o, assumed)
	claims := x.claimed(o, name)
	if o.Namespace == "" && assumed != "" {
		name.Namespace = ""
		for _, c := range x.claimed(o, name) {
			if c.isClusterScoped {
				claims = append(claims, c)
			}
		}
		name.Namespace = assumed
	}
	if name.Namespace == "" && there != "" {
		name.Namespace = there
		for _, c := range x.claimed(o, name) {
			if c.IsLive {
				claims = append(claims, c)
			}
		}
	}
	for _, c := range claims {
		c.wasMet.Store(true)
	}
	return claims
}

// claimed returns the claims on an object by its name, by the former ones, and by its labels.
func (x *Index) claimed(o *selector.Candidate, name Name) []*Claim {
	claims := slices.Clip(x.claims[name])
	renamed := kustomizedOf(o)
	for former := range strings.FieldsFuncSeq(renamed.previousNames, func(c rune) bool { return c == ',' }) {
		name.Name = former
		for _, c := range x.claims[name] {
			if c.renamed.belongsTo(&renamed) && !slices.Contains(claims, c) {
				claims = append(claims, c)
			}
		}
	}
	name.Name = ""
	for _, c := range x.claims[name] {
		if o.HasLabels(c.labels) {
			claims = append(claims, c)
		}
	}
	return claims
}

// Missing returns the claims of objects that Of was not asked for, but those of which nobody
// expects that they are in the list, in the order of the list. An object of the cluster that owns
// fields of itself is not missed.
func (x *Index) Missing() []*Claim {
	isExpected := func(c *Claim) bool { return c.owned.targets != nil && !c.owned.IsOptional }
	return slices.DeleteFunc(slices.Clone(x.all), func(c *Claim) bool { return c.wasMet.Load() || !isExpected(c) })
}

// kustomized are annotations that objects have while kustomize runs its transformers, lists with
// commas. It rewrites references to an object that it has renamed only after the last one, so until
// then they have a former name of the object.
type kustomized struct {
	previousNames, prefixes, suffixes string
}

func kustomizedOf(o *selector.Candidate) (k kustomized) {
	for key, value := range o.Annotations() {
		switch key {
		case "internal.config.kubernetes.io/previousNames":
			k.previousNames = value.Text()
		case "internal.config.kubernetes.io/prefixes":
			k.prefixes = value.Text()
		case "internal.config.kubernetes.io/suffixes":
			k.suffixes = value.Text()
		}
	}
	return k
}

// belongsTo tells whether both objects have the prefixes and suffixes of the same kustomizations,
// as kustomize requires of an object and a reference to it.
func (k *kustomized) belongsTo(other *kustomized) bool {
	return endAlike(k.prefixes, other.prefixes) && endAlike(k.suffixes, other.suffixes)
}

// endAlike tells whether the shorter of two lists, unless only that is empty, is the end of the
// other one.
func endAlike(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || a != "" && strings.HasSuffix(b, ","+a)
}
