package hint

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/words"
)

const (
	filterStep = `\[(?:(\w+)=([^\]]*)|\?\(@\.(\w+)==?["']?([\w.:/-]+)["']?\)?)\]|`
	keyStep    = `\[["']([\w./~-]+)["']\]|\[([A-Za-z_][\w~-]*[./][\w./~-]*)\]`
)

var (
	kustomizeStep = words.Pattern(`^(?:` + filterStep + `\[(\d+|\*)\]|([^][.=/\s]+)|` + keyStep + `)`)
	slashedStep   = words.Pattern(`^(?:` + filterStep + `\[(\d+|\*)\]|([^][=/\s]+)|` + keyStep + `)`)
)

// FromKustomize parses a path with conditions or indices in brackets, as kustomize and others write
// it: spec.containers.[name=app].image, /spec/containers[0]/image, or with a filter of JSONPath and
// the paths of ApplyPatches have it: /spec/containers/[?(@.name=='app')]/image. It tells false for
// another text, also for one without brackets.
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
		case m[1]+m[3] != "":
			value := strings.Trim(m[2], `"'`) + m[4]
			path = append(path, Step{Kind: Filter, Conditions: []Condition{{Field: []string{m[1] + m[3]}, Value: value}}})
		case m[5] != "":
			path = append(path, Step{Kind: Index, Key: m[5]})
		default:
			path = append(path, Step{Key: m[6] + m[7] + m[8]})
		}
		hasBrackets = hasBrackets || m[6] == ""
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
