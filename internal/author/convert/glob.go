package convert

import (
	"errors"
	"strings"
)

// maxAlternatives is how many selectors one entry may become.
const maxAlternatives = 32

// errGlob is a glob of Argo CD (github.com/gobwas/glob) that ours can't express.
var errGlob = errors.New("globs of krm-fields have only *, not ?, [ ], \\ or nested { }")

// fromArgoGlob returns the globs that match together what a glob of Argo CD matches: {a,b} becomes
// two. The error is errGlob.
func fromArgoGlob(glob string) ([]*string, error) {
	before, rest, found := strings.Cut(glob, "{")
	if strings.ContainsAny(before, `?[]\}`) {
		return nil, errGlob
	}
	if !found {
		return []*string{set(strings.ReplaceAll(glob, "**", "*"))}, nil
	}
	inside, after, closed := strings.Cut(rest, "}")
	if !closed || strings.ContainsAny(inside, `?[]\{`) {
		return nil, errGlob
	}
	var globs []*string
	for alternative := range strings.SplitSeq(inside, ",") {
		more, err := fromArgoGlob(before + alternative + after)
		if err != nil {
			return nil, err
		}
		if globs = append(globs, more...); len(globs) > maxAlternatives {
			return nil, errGlob
		}
	}
	return globs, nil
}

// toArgoGlob returns the glob of Argo CD for one of ours.
func toArgoGlob(glob *string) string {
	if glob == nil {
		return "*"
	}
	return argoEscape.Replace(*glob)
}

var argoEscape = strings.NewReplacer(`\`, `\\`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)
