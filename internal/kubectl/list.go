package kubectl

import (
	"fmt"
	"net/url"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// minListed is how many objects of one kind and namespace are read as a list, which is one request,
// where kubectl sends one for each name and then prints all anew.
const minListed = 50

// A list is the objects of a package of one kind in one namespace.
type list struct {
	// of has the kind and the namespace; "" for none.
	of      report.Ref
	objects []*object.Object
}

// getLists reads the live objects of which a package has many of one kind and namespace. It returns
// those of the package that must be read by their names: where there are few, where a list can't be
// read or goes on after what it may hold, and Secrets, since a list has those of others, too.
func (k Kubectl) getLists(objects []*object.Object) (live, unread []*object.Object, err error) {
	lists, others := k.lists(objects)
	parts, left := make([][]*object.Object, len(lists)), make([][]*object.Object, len(lists))
	err = parallel.EachBy(atOnce, len(lists), func(i int) (err error) {
		parts[i], left[i], err = k.getList(lists[i])
		return err
	}, func() {})
	for i := range lists {
		live, others = append(live, parts[i]...), append(others, left[i]...)
	}
	return live, others, err
}

// lists returns the lists to read, in the order of their first objects, and the other objects.
func (k Kubectl) lists(objects []*object.Object) (lists []list, others []*object.Object) {
	indexes := map[report.Ref]int{}
	var all []list
	for _, o := range objects {
		of := report.RefOf(o.Root())
		of.Name = ""
		isNamespaced := !selector.KindOf(of).IsClusterScoped()
		switch {
		case !isNamespaced:
			of.Namespace = ""
		case of.Namespace == "":
			of.Namespace = k.Namespace
		}
		if isNamespaced && of.Namespace == "" || redact.IsSecret(of.APIVersion, of.Kind) {
			others = append(others, o)
			continue
		}
		i, ok := indexes[of]
		if !ok {
			i = len(all)
			indexes[of], all = i, append(all, list{of: of})
		}
		all[i].objects = append(all[i].objects, o)
	}
	for _, l := range all {
		if len(l.objects) < minListed {
			others = append(others, l.objects...)
			continue
		}
		lists = append(lists, l)
	}
	return lists, others
}

// getList reads a list, which may have four times the objects of the package. Without permission to
// list, and where the name of the kind in URLs is not the usual one, nothing is read.
func (k Kubectl) getList(l list) (live, unread []*object.Object, err error) {
	stdout, err := k.Run(nil, "get", fmt.Sprintf("--raw=%s?limit=%d", l.path(), 4*len(l.objects)))
	if err != nil && !IsExit(err) {
		return nil, nil, err
	}
	text, isWhole := l.withKinds(stdout)
	all, readErr := k.objectsIn(text, "get")
	if err != nil || text == nil || readErr != nil {
		return nil, l.objects, nil
	}
	find := Finder(all, k.Namespace)
	for _, o := range l.objects {
		if found := find(o); found != nil {
			live = append(live, found)
		} else if !isWhole {
			unread = append(unread, o)
		}
	}
	return live, unread, nil
}

// path is that of the list on an API server.
func (l list) path() string {
	path := apiPath(l.of)
	if l.of.Namespace != "" {
		path += "/namespaces/" + url.PathEscape(l.of.Namespace)
	}
	return path + "/" + url.PathEscape(words.Plural(l.of.Kind))
}

// withKinds returns the answer of an API server as a List whose items have the apiVersion and
// kind, which those of Kubernetes' own kinds lack there; nil if it is another answer. The list is
// whole if it does not go on after its limit.
func (l list) withKinds(text []byte) (whole []byte, isWhole bool) {
	root, err := tree.CutJSON(text, "items")
	if err != nil || tree.GetString(root, "apiVersion") != l.of.APIVersion || tree.GetString(root, "kind") != l.of.Kind+"List" {
		return nil, false
	}
	kind, err := tree.MarshalJSON(tree.FromValue(map[string]any{"apiVersion": l.of.APIVersion, "kind": l.of.Kind}))
	if err != nil {
		return nil, false
	}
	b := []byte(`{"apiVersion":"v1","kind":"List","items":[`)
	lacksKind := false
	for i, node := range tree.Elements(tree.Get(root, "items")) {
		item := text[node.Start():node.End()]
		if i == 0 {
			first, _ := tree.ParseJSON(item) // CutJSON has verified it
			lacksKind = tree.Get(first, "kind") == nil
		} else {
			b = append(b, ',')
		}
		if lacksKind {
			b, item = append(append(b, kind[:len(kind)-1]...), ','), item[1:]
		}
		b = append(b, item...)
	}
	return append(b, "]}"...), tree.GetString(root, "metadata", "continue") == ""
}
