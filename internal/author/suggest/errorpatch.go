//go:build !nopatches

package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// replacement says how to replace an object whose immutable field must change.
func replacement(f finding) string {
	field := lists.Map(f.path, func(step hint.Step) string { return step.Key })
	return cmp.Or(schema.AdviceOn(f.Ref.Kind, field).Text(f.Ref.Kind, f.Ref.Namespace, cmp.Or(f.Ref.Name, "NAME")),
		"replace the object: kubectl replace --force -f FILE")
}

// required says where a field must be added. An index in the message counts the elements of the
// merged list, so it names none of the package.
func (e *fromError) required(f finding) {
	message := "the field must be there: "
	place, inList := e.without(f)
	switch {
	case place != "":
		message += "add it to the package, by hand or by an ApplyPatches with {op: add, path: " + e.mask.Text(place) + ", value: …}"
	case !inList:
		message += "add it to the package"
	case f.object >= 0:
		message += "no element of the list in the package lacks it, so the element is one that another applier keeps on the cluster: " +
			"krm-fields plan --from-cluster PATH shows which; its owner must set the field, or release the element"
	default:
		message += "add it to the element of the package that lacks it; the index counts the merged list, " +
			"so the element may also be one that another applier keeps on the cluster; give the manifests to find out"
	}
	if e.tool.Rules == "argocd" {
		message += "; a rule of ignoreDifferences that takes the field out may be the cause, " +
			"in a Server-Side Diff (the default of Argo CD 3.6 with ServerSideApply=true) or with RespectIgnoreDifferences=true"
	}
	e.report(f, report.SeverityInfo, message)
}

// without returns the path of the only place of the package that lacks a field, and whether the
// field is in a list.
func (e *fromError) without(f finding) (place string, inList bool) {
	last := len(f.path) - 1
	for last >= 0 && f.path[last].Kind == hint.Key {
		last--
	}
	if last < 0 {
		return cmp.Or(patchpath.Write(f.path), f.path.Pointer()), false
	}
	if f.object < 0 || last == 0 {
		return "", true
	}
	root := e.objects[f.object].Root()
	inLists, _ := e.finder.find(Path{steps: f.path[:last]}, root, 0, nil, nil)
	var lacking []location.Location
	for _, list := range inLists {
		for i := range tree.Elements(location.At(root, list)) {
			element := list.With(location.Index(i))
			if found, _ := e.finder.find(Path{steps: f.path[last+1:]}, location.At(root, element), 0, nil, nil); len(found) == 0 {
				lacking = append(lacking, element)
			}
		}
	}
	if len(lacking) != 1 {
		return "", true
	}
	named := hint.Name(root, lacking[0], e.shown(f.object).Hides)
	return patchpath.Write(append(slices.Clip(named.Path), f.path[last+1:]...)), true
}

// keyMissing makes a patch for the one key whose value is known: TCP, which the API server sets as
// the protocol of a port.
func (e *fromError) keyMissing(f finding) {
	wrong := fmt.Sprintf("the element must have the field %q, by which a server-side apply identifies it", e.path(f.Says))
	if f.Says != "protocol" || f.object < 0 {
		e.report(f, report.SeverityInfo, wrong+": add it in the package")
		return
	}
	e.report(f, report.SeverityInfo, wrong+"; a patch adds it")
	e.addPatch(f, wrong, tree.NewMap("op", "add", "path", f.places[0].Pointer()+"/protocol", "value", "TCP"))
}

// duplicate makes a patch that keeps the last of the elements. It names the others by what only
// they have, or by their indices while the list has all elements, so that running it twice removes
// no more.
func (e *fromError) duplicate(f finding) bool {
	var paths []string
	var byIndex []location.Location
	for i := len(f.places) - 2; i >= 0 && f.object >= 0; i-- {
		root, l := e.objects[f.object].Root(), f.places[i]
		condition, ok := e.onlyIn(f.object, l)
		if !ok {
			byIndex = append(byIndex, l)
			continue
		}
		list := hint.Name(root, l[:len(l)-1], e.shown(f.object).Hides)
		step := hint.Step{Kind: hint.Filter, Conditions: []hint.Condition{condition}}
		paths = append(paths, cmp.Or(patchpath.Write(append(list.Path, step)), l.Pointer()))
	}
	return e.patch(f, "the list has several elements with this key, and must have only one", byIndex, paths...)
}

// removals are the elements of one list that a patch removes by their indices while the list has
// all its elements.
type removals struct {
	operations *tree.Node
	places     []location.Location
}

// removeByIndex makes a patch that removes list elements of the object of a finding, or adds them
// to that of the list.
func (e *fromError) removeByIndex(f finding, wrong string, places []location.Location) {
	list := places[0][:len(places[0])-1]
	key := fmt.Sprintf("%d %s", f.object, list.Pointer())
	known := e.byIndex[key]
	if known == nil {
		count := len(location.At(e.objects[f.object].Root(), list).Content)
		target := selector.Naming(f.Ref).Node()
		target.Content = append(target.Content, tree.NewString("where"), tree.NewString(fmt.Sprintf("${size(%s) == %d}", celOf(list), count)))
		known = &removals{operations: tree.NewList()}
		e.byIndex[key] = known
		e.patches = slices.Insert(e.patches, 0, e.patchOf(f, wrong, target, known.operations)) // before others change the size
	}
	known.places = append(known.places, places...)
	slices.SortFunc(known.places, func(a, b location.Location) int { return location.Compare(b, a) }) // the last first
	known.places = slices.CompactFunc(known.places, func(a, b location.Location) bool { return location.Compare(a, b) == 0 })
	known.operations.Content = lists.Map(known.places, func(l location.Location) *tree.Node { return removal(l.Pointer()) })
}

func removal(path string) *tree.Node {
	return tree.NewMap("op", "remove", "path", path, "onMissing", "Ignore")
}

// celOf writes a location of an object in CEL.
func celOf(l location.Location) string {
	var b strings.Builder
	b.WriteString("resource")
	for _, step := range l {
		switch {
		case step.IsIndex:
			fmt.Fprintf(&b, "[%d]", step.Index)
		case matches(identifier, step.Key) && !strings.Contains(step.Key, "-"):
			b.WriteString("." + step.Key)
		default:
			fmt.Fprintf(&b, "[%q]", step.Key)
		}
	}
	return b.String()
}

// onlyIn returns what only the list element at a location of an object has.
func (e *fromError) onlyIn(object int, l location.Location) (hint.Condition, bool) {
	root := e.objects[object].Root()
	list := location.At(root, l[:len(l)-1])
	elements := tree.Elements(list)
	for key, value := range tree.Entries(location.At(root, l)) {
		value = tree.Deref(value)
		if tree.IsMap(value) || tree.IsList(value) || e.shown(object).Hides(l.With(location.Key(key)), value) {
			continue
		}
		c, accepted := conditionAtKeys(location.Location{location.Key(key)}, value), 0
		for _, i := range e.finder.byValue(list, elements, c.Field)[c.Value] {
			if patchpath.TestOf(c).Accepts(elements[i]) {
				accepted++
			}
			if accepted > 1 {
				break
			}
		}
		if accepted == 1 {
			return c, true
		}
	}
	return hint.Condition{}, false
}

// patch reports what is wrong, and makes patches that remove what is at the paths, and list
// elements by their indices; false as for turn.
func (e *fromError) patch(f finding, wrong string, byIndex []location.Location, paths ...string) bool {
	if e.isLost(f) {
		return false
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return path == "" })
	if f.Problem == Duplicate && len(f.places) == 1 {
		e.report(f, report.SeverityInfo, wrong+"; the package has only one, so the others are on the cluster: remove them there, "+
			"for a server-side apply must be able to read what is there")
		return true
	}
	if len(paths)+len(byIndex) == 0 || selector.Naming(f.Ref).IsEmpty() {
		e.report(f, report.SeverityInfo, wrong+"; give the manifests for the patch that removes it")
		return true
	}
	e.report(f, report.SeverityInfo, wrong+"; a patch removes it")
	if len(byIndex) > 0 {
		e.removeByIndex(f, wrong, byIndex)
	}
	if len(paths) > 0 {
		e.addPatch(f, wrong, lists.Map(paths, removal)...)
	}
	return true
}

// addPatch adds a patch of the object of a finding.
func (e *fromError) addPatch(f finding, wrong string, operations ...*tree.Node) {
	e.patches = append(e.patches, e.patchOf(f, wrong, selector.Naming(f.Ref).Node(), tree.NewList(operations...)))
}

func (e *fromError) patchOf(f finding, wrong string, target, operations *tree.Node) *tree.Node {
	n := tree.NewMap("target", target, "operations", operations)
	comment(n, []string{e.path(f.Path.String()) + ": " + wrong})
	return n
}
