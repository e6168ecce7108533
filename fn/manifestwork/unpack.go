package manifestwork

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FieldManager is the agent's field manager where a work names none.
const FieldManager = "work-agent"

// Unpacked is a work as the agent applies it.
type Unpacked struct {
	Ref       report.Ref // of the work
	Manifests []Manifest
	// Rules is a functionConfig that does to the manifests what the ignoreFields of the work do,
	// and Paths are those of its rules in the work; nil without ignoreFields.
	Rules *tree.Node
	Paths []string
}

// Manifest is a manifest of a work, and how the agent applies it.
type Manifest struct {
	*object.Object
	// At is where the work has it: spec.workload.manifests[2].
	At location.Location
	// Strategy is the type of its updateStrategy. Manager and Force are those of ServerSideApply.
	Strategy string
	Manager  string
	Force    bool
	// Differs says how the agent treats one of its ignoreFields differently than intended; "" for
	// none.
	Differs string
}

// IsServerSide tells whether the agent applies the manifest on the server's side.
func (m Manifest) IsServerSide() bool { return m.Strategy == serverSideApply }

// Unpack returns the manifests of a work, and its rules; nil for any other object, and for a work
// with faults, which it returns.
func Unpack(item *object.Object) (*Unpacked, []report.Result) {
	w, faults := compileWork(item, Options{})
	if w == nil || len(faults) > 0 {
		return nil, faults
	}
	return w.unpack(item), nil
}

// Unpack returns the manifests and the rules of a work that has been compiled; nil for any other
// object.
func (w Works) Unpack(item *object.Object) *Unpacked {
	if work := w.works[item]; work != nil {
		return work.unpack(item)
	}
	return nil
}

func (w *work) unpack(item *object.Object) *Unpacked {
	root, u := item.Original(), &Unpacked{Ref: report.RefOf(item.Original())}
	named := make([][]*tree.Node, len(w.configs)) // the manifests of each config, as selectors
	for _, m := range w.manifests(root) {
		text, err := tree.MarshalJSON(m.root)
		if err != nil {
			continue // the hub refuses what is no JSON
		}
		unpacked, err := object.ParseJSON(text)
		if err != nil {
			continue
		}
		unpacked.SetFile(item.File(), item.PathInPackage())
		out := Manifest{Object: unpacked, At: m.at, Strategy: "Update"}
		i := slices.IndexFunc(w.configs, func(c workConfig) bool {
			return c.strategy.isSet && c.identifier.names(m) && c.identifier.fix(m) == ""
		})
		if i >= 0 {
			c := w.configs[i]
			apply := tree.Get(location.At(root, c.at), "updateStrategy", "serverSideApply")
			out.Strategy, out.Manager = c.strategy.Type, cmp.Or(tree.GetString(apply, "fieldManager"), FieldManager)
			out.Force = tree.GetString(apply, "force") == "true"
			if out.IsServerSide() {
				out.Differs = c.differs()
				named[i] = append(named[i], selector.Naming(report.RefOf(m.root)).Node())
			}
		}
		u.Manifests = append(u.Manifests, out)
	}
	u.addRules(w, root, named)
	return u
}

// addRules adds the rules of the configs that apply to manifests.
func (u *Unpacked) addRules(w *work, root *tree.Node, named [][]*tree.Node) {
	list := tree.NewList()
	for i, c := range w.configs {
		ignored := tree.Get(location.At(root, c.at), "updateStrategy", "serverSideApply", "ignoreFields")
		for j, n := range tree.Elements(ignored) {
			if len(named[i]) == 0 || len(c.rules) <= j || len(c.rules[j].Expressions()) == 0 {
				continue
			}
			rule := tree.NewMap("selectors", tree.NewList(named[i]...))
			rule.Content = append(rule.Content, ruleFields.keep(tree.Deref(n)).Content...)
			list.Content = append(list.Content, rule)
			u.Paths = append(u.Paths, c.rules[j].Path)
		}
	}
	if len(list.Content) > 0 {
		u.Rules = tree.NewMap(
			"apiVersion", "fn.kpt.dev/v1alpha1", "kind", "IgnoreFields", "metadata", tree.NewMap("name", report.RefOf(root).Name),
			"objectHash", tree.NewMap("algorithm", "OCM"), "ignoreFields", list)
	}
}

// differs says how the agent treats the first expression that it does not treat as intended; "" for
// none. Those of OnSpokeChange it does not read.
func (c workConfig) differs() string {
	for _, r := range c.rules {
		for _, e := range r.Expressions() {
			if r.Condition != rules.OnSpokePresent {
				continue
			}
			if why, ok := Taken(e.Dialect().Name, e.String()); !ok {
				return fmt.Sprintf("%s: %s: %s", e.Path, e, why)
			}
		}
	}
	return ""
}
