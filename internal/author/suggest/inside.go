package suggest

import (
	"path"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// intoStrings replaces the strings that differ by what differs in the documents in them, if nothing
// else differs in any pair: then it returns true, and the rules take the live values. Otherwise the
// rules strip, and a string is stripped as a whole, since whoever applies it owns all of it.
func intoStrings(pairs []*pairOfObjects) (takesLive bool) {
	inner := make([][]difference, len(pairs))
	for i, p := range pairs {
		s := stringsOf{p, object.JSON(p.desired), object.JSON(p.live)}
		for _, d := range p.differences {
			in, ok := s.inside(d)
			if !ok || len(in) == 0 || !s.nameInDocuments(in) {
				return false
			}
			inner[i] = append(inner[i], in...)
		}
	}
	for i, p := range pairs {
		p.differences = inner[i]
	}
	return true
}

// stringsOf are those of a pair, in the object of the package and in the live one.
type stringsOf struct {
	*pairOfObjects
	here, there *object.Object
}

// inside returns what differs in the documents in a string; false if the string holds no documents.
func (s stringsOf) inside(d difference) ([]difference, bool) {
	if d.within != nil || d.wildcard != "" || d.owner != "" || tree.Type(d.here) != tree.String || tree.Type(d.there) != tree.String {
		return nil, false
	}
	here, there := documentsIn(s.here, d.place.here), documentsIn(s.there, d.place.there)
	if len(here) == 0 || len(here) != len(there) || s.isSecret() && !s.isMeantAsDocument(d.place.here) {
		return nil, false
	}
	// A rule is looked for in the live object where the package has the string.
	takesLive := location.Compare(d.place.here, d.place.there) == 0
	var all []difference
	for number := range here {
		if tree.Equal(here[number], there[number]) {
			continue
		}
		inner := &pairOfObjects{desired: here[number], live: there[number], ref: s.ref, file: s.file, shown: s.shown}
		none := managedfields.NewIndex(nil, nil)
		c := comparer{pair: inner, there: none, here: none, isInside: true, takesLive: takesLive}
		if c.values(here[number], there[number], pairedLocation{}); here[number].Kind != there[number].Kind {
			return nil, false
		}
		for _, found := range inner.differences {
			if len(found.place.here) == 0 {
				return nil, false
			}
			found.owners, found.within, found.document = d.owners, &d.place, number
			all = append(all, found)
		}
	}
	return all, true
}

func (p *pairOfObjects) isSecret() bool { return redact.IsSecret(p.ref.APIVersion, p.ref.Kind) }

// isMeantAsDocument tells whether a string of a Secret is meant as a document: it is JSON, or its
// key is that of a YAML file. A rule shows keys of the document, and a password such as "a: b" has
// none.
func (s stringsOf) isMeantAsDocument(at location.Location) bool {
	if slices.Contains([]string{".yaml", ".yml"}, path.Ext(at[len(at)-1].Key)) {
		return true
	}
	_, err := embedded.Open(s.here, at, embedded.JSON)
	return err == nil
}

// documentsIn returns the documents in the string at a location; none if it holds no documents.
func documentsIn(o *object.Object, at location.Location) []*tree.Node {
	s, err := embedded.Open(o, at, embedded.Auto)
	if err != nil {
		return nil
	}
	return lists.Map(s.Documents, (*embedded.Document).Root)
}

// nameInDocuments gives the differences in the documents of a string expressions that find nothing
// else in the other documents. It returns false if there are no such expressions.
func (s stringsOf) nameInDocuments(all []difference) bool {
	roots, live := documentsIn(s.here, all[0].within.here), documentsIn(s.there, all[0].within.there)
	inputs := lists.Map(roots, func(root *tree.Node) *expr.Input { return &expr.Input{Root: root, WithoutHint: true} })
	wanted := make([]map[string]bool, len(roots))
	for i := range wanted {
		wanted[i] = map[string]bool{}
	}
	for _, d := range all {
		wanted[d.document][d.place.here.String()] = true
	}
	onlyWanted := map[expressionOf]bool{}
	for i := range all {
		by := all[i].expression()
		isOnly, isKnown := onlyWanted[by]
		if !isKnown {
			isOnly = findsOnly(by, wanted, inputs)
			onlyWanted[by] = isOnly
		}
		if isOnly {
			continue
		}
		condition, ok := s.conditionOf(all[i].document, roots, live)
		if !ok {
			return false
		}
		all[i].inDocument = condition + " | " + jqpath.Write(all[i].place.steps)
	}
	return true
}

// findsOnly tells whether an expression finds, in all documents, nothing but the wanted places.
func findsOnly(by expressionOf, wanted []map[string]bool, inputs []*expr.Input) bool {
	entry, _ := expr.ByName(by.dialect)
	expression, err := entry.Parse(by.text, jq.Limits{})
	if err != nil {
		return false
	}
	for number, in := range inputs {
		found, err := expression.Locate(in)
		if err != nil {
			return false
		}
		for _, l := range found.Locations {
			if !wanted[number][l.String()] {
				return false
			}
		}
	}
	return true
}

// conditionOf returns the condition in jq that holds only in one of the documents: a string in it
// has another value in the others or is missing there, or the other way round, and the cluster has
// it, too. The documents of a Secret have none, since it would show the value.
func (p *pairOfObjects) conditionOf(number int, roots, live []*tree.Node) (string, bool) {
	if p.isSecret() {
		return "", false
	}
	for _, root := range roots {
		usual, others := listkey.Scalars(root)
		for _, l := range append(usual, others...) {
			ours, _ := stringAt(roots[number], l)
			theirs, isString := stringAt(live[number], l)
			if text, ok := conditionAt(l, number, roots); ok && isString && ours == theirs {
				return text, true
			}
		}
	}
	return "", false
}

// conditionAt is conditionOf for the string at one location.
func conditionAt(l location.Location, number int, roots []*tree.Node) (string, bool) {
	value, ok := stringAt(roots[number], l)
	if !ok {
		return "", false
	}
	for i, root := range roots {
		if other, ok := stringAt(root, l); !ok || i != number && other == value {
			return "", false
		}
	}
	w := &jq.Writer{}
	w.Location(l)
	return "select(" + w.String() + " == " + value + ")", true
}

// stringAt returns the string at a location of keys as jq writes it; null if a map has no such key.
// It returns false if there is another value.
func stringAt(n *tree.Node, l location.Location) (string, bool) {
	for _, step := range l {
		if !tree.IsMap(n) {
			return "", false
		}
		next := tree.Lookup(n, step.Key)
		if next == nil {
			return "null", true
		}
		n = tree.Deref(next)
	}
	return jq.String(n.Text()), tree.Type(n) == tree.String
}
