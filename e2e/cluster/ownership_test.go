package cluster

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A path is as the API server writes it, without the first dot:
// spec.template.spec.containers[name="main"].image.

var segments = regexp.MustCompile(`[^.\[\]]+|\[[^\]]*\]`)

// keysOfElement are the fields that name an element of a list in the histories; none for one that
// only its index names.
func keysOfElement(element any) []string {
	fields, _ := element.(object)
	for _, keys := range [][]string{{"containerPort", "protocol"}, {"port", "protocol"}, {"name"}} {
		if fields[keys[0]] != nil {
			return keys
		}
	}
	return nil
}

// stepTo names an element of a list by its keys.
func stepTo(fields object, keys []string) string {
	var all []string
	for _, key := range slices.Sorted(slices.Values(keys)) {
		value := fields[key]
		if value == nil && key == "protocol" {
			value = "TCP"
		}
		all = append(all, key+"="+text(value))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// pathIn is the path of what a command names by indices in an object.
func pathIn(o object, named string) string {
	path, at := "", any(o)
	for _, step := range segments.FindAllString(strings.TrimPrefix(named, "."), -1) {
		list, isList := at.([]any)
		index, isIndex := 0, false
		if isList {
			_, err := fmt.Sscanf(step, "[%d]", &index)
			isIndex = err == nil && index < len(list)
		}
		switch {
		case isIndex:
			if keys := keysOfElement(list[index]); keys != nil {
				step = stepTo(list[index].(object), keys)
			}
			at = list[index]
		case strings.HasPrefix(step, `["`):
			_ = json.Unmarshal([]byte(strings.Trim(step, "[]")), &step)
			fallthrough
		case !strings.HasPrefix(step, "["):
			at = inAny(at, step)
			step = "." + step
		default:
			at = inAny(at, step)
		}
		path += step
	}
	return strings.TrimPrefix(path, ".")
}

// inAny is what one step leads to.
func inAny(value any, step string) any {
	if !strings.HasPrefix(step, "[") {
		fields, _ := value.(object)
		return fields[step]
	}
	list, _ := value.([]any)
	for i, element := range list {
		fields, _ := element.(object)
		if step == fmt.Sprintf("[%d]", i) || keysOfElement(element) != nil && step == stepTo(fields, keysOfElement(element)) {
			return element
		}
	}
	return nil
}

// valueAt is what is at a path; nil for nothing.
func valueAt(o object, path string) any {
	at := any(o)
	for _, step := range segments.FindAllString(path, -1) {
		at = inAny(at, step)
	}
	return at
}

// isIn tells whether a path is another one, or leads into what is there.
func isIn(path, around string) bool {
	return path == around || strings.HasPrefix(path, around+".") || strings.HasPrefix(path, around+"[")
}

func overlap(a, b string) bool { return isIn(a, b) || isIn(b, a) }

// An entry is one of the managedFields, with the paths that it has itself: true for those of which
// it has no part alone.
type entry struct {
	manager, operation, subresource, version, time string
	has                                            map[string]bool
}

func (e entry) isApply() bool { return e.operation == "Apply" && e.subresource == "" }

// entriesOf are those of an object.
func entriesOf(o object) (all []entry) {
	for _, fields := range managedFields(o) {
		e := entry{has: map[string]bool{}}
		for name, into := range map[string]*string{"manager": &e.manager, "operation": &e.operation, "subresource": &e.subresource,
			"apiVersion": &e.version, "time": &e.time} {
			*into, _ = fields[name].(string)
		}
		e.add("", inner(fields, "fieldsV1"))
		all = append(all, e)
	}
	return all
}

func (e entry) add(at string, fields object) {
	for key, value := range fields {
		below, _ := value.(object)
		var path string
		switch kind, name, _ := strings.Cut(key, ":"); kind {
		case "f":
			path = strings.TrimPrefix(at+"."+name, ".")
		case "k":
			var keys object
			_ = decodeNumbers(name, &keys)
			path = at + stepTo(keys, sortedKeys(keys))
		case "v":
			path = at + "[=" + name + "]"
		default: // "."
			continue
		}
		_, isMember := below["."]
		if len(below) == 0 || isMember {
			e.has[path] = len(below) == 0
		}
		e.add(path, below)
	}
}

// leaves are the paths of which the entry has no part alone.
func (e entry) leaves() (all []string) {
	for path, isWhole := range e.has {
		if isWhole {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

// managersOf are the names of entries, each once.
func managersOf(all []entry) (names []string) {
	for _, e := range all {
		names = append(names, e.manager)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ownersOf are the entries that own a place: those that have it itself, or a list or map around it
// as a whole of which no entry has a part: it was empty then.
func ownersOf(all []entry, path string) []entry {
	return slices.DeleteFunc(slices.Clone(all), func(e entry) bool {
		_, owns := e.has[path]
		for around, isWhole := range e.has {
			owns = owns || isWhole && isIn(path, around) && !slices.ContainsFunc(all, func(other entry) bool { return other.hasIn(around) })
		}
		return !owns
	})
}

// hasIn tells whether the entry has a part of what is at a path.
func (e entry) hasIn(path string) bool {
	for at := range e.has {
		if at != path && isIn(at, path) {
			return true
		}
	}
	return false
}
