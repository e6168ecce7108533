package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Limits are what a CustomResourceDefinition says of the values of a type, by its keywords: those
// of the table limits, what they depend on, and x-kubernetes-validations.
type Limits map[string]any

// limits are the keywords, in the order in which they are checked: what is wrong with a value, in
// the words of the API server, "" for nothing.
var limits = []struct {
	keyword string
	fault   func(limits Limits, limit, value any) string
}{
	{"enum", func(_ Limits, limit, value any) string {
		allowed, _ := limit.([]any)
		if slices.ContainsFunc(allowed, func(one any) bool { return reflect.DeepEqual(one, value) }) {
			return ""
		}
		return fmt.Sprintf("Unsupported value: %s: supported values: %s", asJSON(value), strings.Trim(asJSON(limit), "[]"))
	}},
	{"pattern", func(_ Limits, limit, value any) string {
		text, isText := value.(string)
		pattern, _ := limit.(string)
		if compiled := patternOf(pattern); !isText || compiled == nil || compiled.MatchString(text) {
			return ""
		}
		return fmt.Sprintf("Invalid value: %s: must match '%s'", asJSON(value), pattern)
	}},
	{"minimum", func(limits Limits, limit, value any) string {
		isExclusive := limits["exclusiveMinimum"] == true
		return bound(value, limit, isExclusive, "greater", func(v, least float64) bool { return v > least || v == least && !isExclusive })
	}},
	{"maximum", func(limits Limits, limit, value any) string {
		isExclusive := limits["exclusiveMaximum"] == true
		return bound(value, limit, isExclusive, "less", func(v, most float64) bool { return v < most || v == most && !isExclusive })
	}},
	{"minLength", size("at least", "characters", isLess)},
	{"maxLength", size("at most", "characters", isMore)},
	{"minItems", size("at least", "items", isLess)},
	{"maxItems", size("at most", "items", isMore)},
	{"minProperties", size("at least", "properties", isLess)},
	{"maxProperties", size("at most", "properties", isMore)},
}

func isLess(a, b float64) bool { return a < b }
func isMore(a, b float64) bool { return a > b }

// bound says that a number is beyond a limit.
func bound(value, limit any, isExclusive bool, word string, isIn func(value, limit float64) bool) string {
	number, isNumber := asFloat(value)
	most, isLimit := asFloat(limit)
	switch {
	case !isNumber || !isLimit || isIn(number, most):
		return ""
	case isExclusive:
		return fmt.Sprintf("Invalid value: %s: must be %s than %s", asJSON(value), word, asJSON(limit))
	}
	return fmt.Sprintf("Invalid value: %s: must be %s than or equal to %s", asJSON(value), word, asJSON(limit))
}

// size says that a text, a list or a map is too short or too long.
func size(word, of string, isWrong func(size, limit float64) bool) func(Limits, any, any) string {
	return func(_ Limits, limit, value any) string {
		n := -1
		switch v := value.(type) {
		case string:
			if of == "characters" {
				n = utf8.RuneCountInString(v)
			}
		case []any:
			if of == "items" {
				n = len(v)
			}
		case map[string]any:
			if of == "properties" {
				n = len(v)
			}
		}
		if wanted, ok := asFloat(limit); ok && n >= 0 && isWrong(float64(n), wanted) {
			return fmt.Sprintf("Invalid value: must have %s %v %s, found %d", word, limit, of, n)
		}
		return ""
	}
}

func asFloat(value any) (float64, bool) {
	switch v := value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func asJSON(value any) string {
	text, _ := json.Marshal(value) // of which there is nothing that can't be written
	return string(text)
}

// patterns caches the compiled patterns, nil for one that is none.
var patterns sync.Map

func patternOf(text string) *regexp.Regexp {
	if compiled, ok := patterns.Load(text); ok {
		return compiled.(*regexp.Regexp)
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		compiled = nil // the API server takes no such definition
	}
	patterns.Store(text, compiled)
	return compiled
}

// limitsOf are the limits of a schema, nil for none.
func limitsOf(schema map[string]any) Limits {
	var all Limits
	add := func(keyword string) {
		if limit, ok := schema[keyword]; ok {
			if all == nil {
				all = Limits{}
			}
			all[keyword] = Numbers(limit)
		}
	}
	for _, limit := range limits {
		add(limit.keyword)
	}
	for _, keyword := range []string{"exclusiveMinimum", "exclusiveMaximum", "x-kubernetes-validations"} {
		add(keyword)
	}
	return all
}

// Fault says what is wrong with a value, "" for nothing.
func (l Limits) Fault(value any) string {
	for _, one := range limits {
		if limit, ok := l[one.keyword]; ok {
			if fault := one.fault(l, limit, value); fault != "" {
				return fault
			}
		}
	}
	return ""
}

// Immutable tells whether a rule says that the value must stay as it is, and the rule's message.
func (l Limits) Immutable() (message string, ok bool) {
	rules, _ := l["x-kubernetes-validations"].([]any)
	for _, entry := range rules {
		rule, _ := entry.(map[string]any)
		text, _ := rule["rule"].(string)
		switch strings.Join(strings.Fields(text), " ") {
		case "self == oldSelf", "oldSelf == self":
			message, _ = rule["message"].(string)
			return message, rule["optionalOldSelf"] != true
		}
	}
	return "", false
}
