package config

import "strings"

// foreignValues are values of other tools, in lower case, with our values that may be meant, the
// likeliest first; none if there is none.
var foreignValues = map[string][]string{
	"delete": {"remove", "Delete", "Strip"},
	"remove": {"remove", "Delete", "Strip"},
	"ignore": {"Ignore", "Strip"},
	"set":    {"add"},
	"update": {"replace", "CreateOrUpdate"},
	"upsert": {"ensure", "CreateOrUpdate"},
	"apply":  {"CreateOrUpdate"},
	"append": {"add"},
	"insert": {"add"},
	"merge":  {"mergeShallow", "MergePatch"},
	"patch":  {"mergeShallow", "MergePatch"},
	"fail":   {"Error"},
	"none":   {"Never", "Ignore"},
	"move":   nil,
	"copy":   nil,
	"test":   nil,
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
