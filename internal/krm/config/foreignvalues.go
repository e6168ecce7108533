package config

import (
	"fmt"
	"slices"
	"strings"
)

// foreignValues are values of other tools, in lower case, with our values that may be meant, the
// likeliest first.
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
	"move":                {"add"},
	"copy":                {"add"},
	"test":                {"add"},
}

// opNotes say how ApplyPatches does what ops of JSON Patch do that it does not have.
var opNotes = map[string]string{
	"move": "use add with ${resource…} as the value, and remove",
	"copy": "use add with ${resource…} as the value",
	"test": "a condition is the where of the target",
}

// foreignHint says which value of the enum may be meant by one of another tool; "" if it is none of
// those.
func foreignHint(text string, enum []string) string {
	for _, candidate := range foreignValues[strings.ToLower(text)] {
		switch {
		case !slices.Contains(enum, candidate):
		case opNotes[text] != "":
			return "; " + opNotes[text]
		default:
			return fmt.Sprintf("; did you mean %q?", candidate)
		}
	}
	return ""
}
