package convert

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
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
		return []*string{specific(new(strings.ReplaceAll(glob, "**", "*")))}, nil
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

// errRegex is a regular expression that globs can't express.
var errRegex = errors.New("krm-fields has globs with *, and can't express other regular expressions")

var (
	regexClass   = words.Pattern(`\[[a-z0-9]+\]`)
	regexGroup   = words.Pattern(`\([^()]*\)`)
	regexLiteral = strings.NewReplacer(`.*`, "", `\.`, "", "(?:", "(")
	regexGlob    = strings.NewReplacer(`.*`, "*", `\.`, ".", "(?:", "{", "(", "{", ")", "}", "|", ",")
)

// fromRegex returns the globs that match together what a regular expression of Flux, which is taken
// for the whole text, matches: `.*` is `*`, and each alternative of a|b, (a|b) and [ab] becomes a
// glob. A dot, which is any character there, is taken for a dot; then dots is true. Errors are
// errRegex and those of regexp.
func fromRegex(text string) (globs []*string, dots bool, err error) {
	if text == "" {
		return []*string{nil}, false, nil
	}
	if _, err := regexp.Compile("^(?:" + text + ")$"); err != nil {
		return nil, false, fmt.Errorf("it is not a regular expression: %w", err)
	}
	text = regexClass().ReplaceAllStringFunc(strings.TrimSuffix(strings.TrimPrefix(text, "^"), "$"), func(class string) string {
		return "(" + strings.Join(strings.Split(class[1:len(class)-1], ""), "|") + ")"
	})
	literal := regexLiteral.Replace(text)
	outside := regexGroup().ReplaceAllString(literal, "")
	hasGroups, hasAlternatives := outside != literal, strings.Contains(outside, "|")
	if strings.ContainsAny(literal, `^$?+*[]{}\,`) || strings.ContainsAny(outside, "()") || hasGroups && hasAlternatives {
		return nil, false, errRegex
	}
	glob := regexGlob.Replace(text)
	if hasAlternatives {
		glob = "{" + glob + "}"
	}
	if globs, err = fromArgoGlob(glob); err != nil {
		return nil, false, errRegex
	}
	return globs, strings.Contains(literal, "."), nil
}

// toRegex returns the regular expression of Flux for a glob; "" where it holds for any text. For
// the empty text it is ^$, as an empty one would hold for any.
func toRegex(glob *string) string {
	if isAny(glob) {
		return ""
	}
	if *glob == "" {
		return "^$"
	}
	return unanchored(*glob)
}

func unanchored(glob string) string {
	return strings.Join(lists.Map(strings.Split(glob, "*"), regexp.QuoteMeta), ".*")
}
