package hint

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/words"
)

var (
	kustomizeStep = words.Pattern(`^(?:\[(\w+)=([^\]]*)\]|\[(\d+|\*)\]|([^][.=/\s]+)|\[["']([\w./~-]+)["']\]|\[([A-Za-z_][\w~-]*[./][\w./~-]*)\])`)
	slashedStep   = words.Pattern(`^(?:\[(\w+)=([^\]]*)\]|\[(\d+|\*)\]|([^][=/\s]+)|\[["']([\w./~-]+)["']\]|\[([A-Za-z_][\w~-]*[./][\w./~-]*)\])`)
)

// FromKustomize parses a path with conditions or indices in brackets, as kustomize and others write
// it: spec.containers.[name=app].image, /spec/containers[0]/image. It tells false for another text,
// also for one without brackets.
func FromKustomize(text string) (Path, bool) {
	if strings.HasPrefix(text, "$") { // a JSONPath
		return nil, false
	}
	step, separator := kustomizeStep(), "."
	if slash := strings.IndexAny(text, "/."); slash >= 0 && text[slash] == '/' {
		step, separator = slashedStep(), "/"
	}
	var path Path
	hasBrackets := false
	for rest := strings.TrimPrefix(text, separator); rest != ""; {
		m := step.FindStringSubmatch(rest)
		if m == nil {
			return nil, false
		}
		switch {
		case m[1] != "":
			value := strings.Trim(m[2], `"'`)
			path = append(path, Step{Kind: Filter, Conditions: []Condition{{Field: []string{m[1]}, Value: value}}})
		case m[3] != "":
			path = append(path, Step{Kind: Index, Key: m[3]})
		default:
			path = append(path, Step{Key: m[4] + m[5] + m[6]})
		}
		hasBrackets = hasBrackets || m[4] == ""
		rest = rest[len(m[0]):]
		if next, ok := strings.CutPrefix(rest, separator); ok {
			if rest = next; rest == "" {
				return nil, false
			}
		} else if rest != "" && rest[0] != '[' {
			return nil, false
		}
	}
	return path, hasBrackets
}
