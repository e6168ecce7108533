package convert

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/krm-fields/krm-fields/internal/words"
)

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
	parts := strings.Split(*glob, "*")
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return strings.Join(parts, ".*")
}
