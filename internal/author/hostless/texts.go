package hostless

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Item is an object of the output.
type Item struct {
	// From is the index of the input object; -1 for a new one.
	From int
	// Text is the object as a YAML document; nil if it is unchanged. An object with an alias of a
	// node in another object, which may be gone, always has a text.
	Text []byte
}

// RunTexts runs a functionConfig, "" for none, on objects, each the text of a YAML document. It
// returns the output objects and the results as elements of a ResourceList. If a result is an
// error, the objects are those of the input, and failed is true. The error is that of a text that
// can't be read, or of an object that can't be written.
func RunTexts(functionConfig string, texts []string) (items []Item, results []*yaml.Node, failed bool, err error) {
	config, err := tree.Parse([]byte(functionConfig))
	if err != nil {
		return nil, nil, false, fmt.Errorf("the functionConfig can't be read: %w", err)
	}
	objects, dependent, err := parse(texts)
	if err != nil {
		return nil, nil, false, err
	}
	from := map[*object.Object]int{}
	for i, o := range objects {
		from[o] = i
	}
	out, all := fn.Items(config, objects)
	if items, err = itemsOf(out, from, dependent); err != nil {
		return nil, nil, false, err
	}
	// the text of an object is made by the program, so its format is not reported
	all = slices.DeleteFunc(all, func(r report.Result) bool {
		return r.IsSummary || r.Tags["reason"] == report.ReasonReformatted
	})
	for _, r := range fn.Folded(config, all) {
		results = append(results, tree.ToLibrary(r.Node()))
	}
	return items, results, fn.HasError(all), nil
}

// parse parses objects, each alone. An object with an alias of a node in another one, which only
// the list as a whole shows, is dependent and gets a copy of the node.
func parse(texts []string) (objects []*object.Object, dependent map[*object.Object]bool, err error) {
	objects, dependent = make([]*object.Object, len(texts)), map[*object.Object]bool{}
	var list []*object.Object
	for i, text := range texts {
		if objects[i], err = object.ParseDocument([]byte(text)); err == nil {
			continue
		}
		if list == nil {
			list = parseList(texts)
		}
		if list == nil {
			return nil, nil, fmt.Errorf("items[%d] can't be read: %w", i, err)
		}
		objects[i] = list[i]
		dependent[list[i]] = true
	}
	return objects, dependent, nil
}

// parseList parses the objects as a list; nil if that is impossible.
func parseList(texts []string) []*object.Object {
	list := "apiVersion: v1\nkind: List\nitems:\n"
	for _, text := range texts {
		list += "- " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
	}
	read, err := resourcelist.ReadWholeList([]byte(list))
	if err != nil || len(read.Items) != len(texts) {
		return nil
	}
	objects := make([]*object.Object, len(texts))
	for i, item := range read.Items {
		text, err := object.NewDocument(item.Root()).Text()
		if err != nil {
			return nil
		}
		if objects[i], err = object.ParseDocument(text); err != nil {
			return nil
		}
	}
	return objects
}

func itemsOf(objects []*object.Object, from map[*object.Object]int, dependent map[*object.Object]bool) ([]Item, error) {
	items := make([]Item, len(objects))
	for i, o := range objects {
		at, isOld := from[o]
		if !isOld {
			at, o = -1, object.NewDocument(o.Root())
		}
		items[i] = Item{From: at}
		if isOld && !o.Changed() && !dependent[o] {
			continue
		}
		text, err := o.Text()
		if err != nil {
			return nil, err
		}
		items[i].Text = text
	}
	return items, nil
}

// UpdateTexts returns the output objects of a program, whose input objects are given. All texts are
// parsed before the first object changes, which replace does in place.
func UpdateTexts[T any](before []T, out []Item, parse func([]byte) (T, error), replace func(old, made T)) ([]T, error) {
	objects := make([]T, len(out))
	for i, item := range out {
		if item.Text == nil {
			continue
		}
		var err error
		if objects[i], err = parse(item.Text); err != nil {
			return before, err
		}
	}
	for i, item := range out {
		if item.From < 0 {
			continue
		}
		if item.Text != nil {
			replace(before[item.From], objects[i])
		}
		objects[i] = before[item.From]
	}
	return objects, nil
}

// DecodeResults returns the results in the type of a program.
func DecodeResults[T any](nodes []*yaml.Node) ([]*T, error) {
	var results []*T
	for _, node := range nodes {
		result := new(T)
		if err := node.Decode(result); err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}
