package selector

import (
	"strconv"
	"strings"
)

// naming returns the path of a field of the functionConfig; field is "" for the selector itself.
type naming func(field string) string

func named(path string) naming {
	return func(field string) string {
		if field == "" {
			return path
		}
		return path + "." + field
	}
}

// element returns the naming of the entries of the list at path.
func element(path string) func(index int) naming {
	return func(index int) naming { return named(path + "[" + strconv.Itoa(index) + "]") }
}

// namedExclude names the fields of an exclude entry that are in the map at path beside those of a
// selector.
func namedExclude(path string) naming {
	return func(field string) string {
		if field == "" {
			return path
		}
		return path + ".exclude" + strings.ToUpper(field[:1]) + field[1:]
	}
}
