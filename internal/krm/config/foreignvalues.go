package config

import "strings"

// foreignValues are values of other tools, in lower case, with our values that may be meant, the
// likeliest first; none if there is none.
var foreignValues = map[string][]string{
	"delete":              {"remove", "Delete", "Strip"},
	"remove":              {"remove", "Delete", "Strip"},
	"ignore":              {"Ignore", "Strip"},
	"keep":                {"TakeLive"},
	"always":              {"OnSpokePresent", "Always"},
	"set":                 {"add"},
	"update":              {"replace", "CreateOrUpdate"},
	"upsert":              {"ensure", "CreateOrUpdate"},
	"apply":               {"CreateOrUpdate"},
	"append":              {"add"},
	"insert":              {"add"},
	"merge":               {"mergeShallow", "MergePatch"},
	"patch":               {"mergeShallow", "MergePatch"},
	"strategicmergepatch": {"MergePatch"},
	"deletecascade":       {"Delete"},
	"fail":                {"Error"},
	"none":                {"Never", "Ignore"},
	"move":                nil,
	"copy":                nil,
	"test":                nil,
}

// opNotes say how ApplyPatches does what ops of JSON Patch do that it does not have.
var opNotes = map[string]string{
	"move": "; use add with ${resource…} as the value, and remove",
	"copy": "; use add with ${resource…} as the value",
	"test": "; a condition is the where of the target",
}

// foreignValue returns the value of the enum that may be meant by one of another tool; known is
// false if text is none of those.
func foreignValue(text string, enum []string) (value string, known bool) {
	candidates, known := foreignValues[strings.ToLower(text)]
	for _, c := range candidates {
		for _, e := range enum {
			if c == e {
				return e, true
			}
		}
	}
	return "", known && len(candidates) == 0
}
