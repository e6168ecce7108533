package convert

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/config"
)

// The programs that remove a field do it by a JSON Patch (github.com/evanphx/json-patch), where a
// segment * is a key, a list takes any number as an index (-1 is its last element, +1 and 01 are
// its second), and one removal follows the other.

// addPaths adds the paths that a program removes one by one with a JSON Patch. What it would not
// remove is left out.
func (r *rule) addPaths(program, list string, paths []string) {
	for i, text := range paths {
		r.addPath(program, config.Element(r.path+"."+list, i), text)
	}
}

func (r *rule) addPath(program, path, text string) {
	segments := strings.Split(text, "/")
	numbered := slices.IndexFunc(segments, isOddNumber)
	switch {
	case isTemplate(text):
		r.leaveOut(path, "%s is a template, whose result is unknown", config.Quote(text))
	case text == "":
		r.leaveOut(path, "an empty path is the whole object; to ignore an object, use exclude")
	case segments[0] != "":
		r.leaveOut(path, `%s is not a JSON Pointer, which must start with "/", so %s removes nothing`, config.Quote(text), program)
	case slices.Contains(segments, "*") && !isMapOfStrings(text):
		r.leaveOut(path, asteriskIsKey, program, text)
	case slices.Contains(segments, "-") && !isMapOfStrings(text):
		r.leaveOut(path, "in %s the segment - of %s names no element of a list; in krm-fields it is an error", program, text)
	case numbered > 0 && !isMapOfStrings(text):
		r.addNumbered(path, text, segments[1:])
	default:
		if _, err := jsonpointer.Parse(text); err != nil {
			r.leaveOut(path, "%s", err)
			return
		}
		r.add(expression{dialect: jsonpointer.Dialect.Name, text: text, path: path})
	}
}

// addNumbered adds a path with a number that is no index of a JSON Pointer as a jq expression.
func (r *rule) addNumbered(path, text string, segments []string) {
	r.remark(path, "was %s, which a JSON Patch reads as an index of a list", text)
	var w jq.Writer
	for _, segment := range segments {
		if n, err := strconv.Atoi(segment); err == nil {
			w.Index(strconv.Itoa(n))
		} else {
			w.Key(location.UnescapePointer(segment))
		}
		w.Optional = true
	}
	r.expressions = append(r.expressions, expression{dialect: jqpath.Dialect.Name, text: w.String(), path: path})
}

// isOddNumber tells whether a JSON Patch takes a segment for an index, and a JSON Pointer does not.
func isOddNumber(segment string) bool {
	n, err := strconv.Atoi(segment)
	return err == nil && strconv.Itoa(n) != segment || n < 0
}

// isMapOfStrings tells whether a path leads into a map that is never a list.
func isMapOfStrings(pointer string) bool {
	maps := []string{"/metadata/annotations/", "/metadata/labels/", "/data/", "/stringData/", "/binaryData/"}
	return slices.ContainsFunc(maps, func(prefix string) bool { return strings.HasPrefix(pointer, prefix) })
}

// asteriskIsKey is what is said of a pointer with a segment *.
const asteriskIsKey = "in %s the segment * of %s is a key; in krm-fields it would mean every element of a list"

// isTemplate tells whether a text is to be replaced before it is used.
func isTemplate(text string) bool { return strings.Contains(text, "{{") }

// oneByOne returns rules for a program that applies the expressions in turn, each to the result of
// the one before: after an element was removed, other indices name the rest of its list.
func (r *rule) oneByOne() []*rule {
	var rules []*rule
	one := r.without()
	removes := false
	for _, e := range r.expressions {
		if removes && e.isPositional() {
			rules, one, removes = append(rules, one), r.without(), false
		}
		one.expressions = append(one.expressions, e)
		removes = removes || e.removesElements()
	}
	rules = append(rules, one)
	rules[0].notes, rules[0].managers = r.notes, r.managers
	if len(rules) > 1 {
		rules[0].remark(r.path, "several rules, since each index counts after the removals before it")
	}
	return rules
}

var (
	positions = regexp.MustCompile(`\[-?\d+\]|\[[^\]"]*:[^\]"]*\]|\b(?:first|last|limit|nth)\b`)
	fieldEnd  = regexp.MustCompile(`(?:\.[A-Za-z_][A-Za-z0-9_]*|\["[^"]*"\]|\['[^']*'\])\??$`)
)

// isPositional tells whether an expression may name a list element by its position.
func (e expression) isPositional() bool {
	if e.dialect == jsonpointer.Dialect.Name {
		return !isMapOfStrings(e.text) && slices.ContainsFunc(strings.Split(e.text, "/"), location.IsDigits)
	}
	return positions.MatchString(e.text)
}

// removesElements tells whether what an expression names may be a list element.
func (e expression) removesElements() bool {
	if e.dialect == jsonpointer.Dialect.Name {
		last := e.text[strings.LastIndexByte(e.text, '/')+1:]
		return !isMapOfStrings(e.text) && (location.IsDigits(last) || last == "*")
	}
	return !fieldEnd.MatchString(e.text)
}

// without returns the rule without expressions and notes.
func (r *rule) without() *rule {
	return &rule{path: r.path, condition: r.condition, selectors: r.selectors, exclude: r.exclude}
}
