package jq

import (
	"reflect"

	"github.com/itchyny/gojq"
)

// IterateOptionally returns the expression with `[]?` for each bare `[]`, since
// `[]` over what is missing is an error. An expression without one comes back as
// it is.
func IterateOptionally(expression string) string {
	query, err := gojq.Parse(expression)
	if err != nil || !makeOptional(reflect.ValueOf(query)) {
		return expression
	}
	return query.String()
}

var termType = reflect.TypeFor[*gojq.Term]()

// makeOptional adds a `?` after each `[]` in a part of a syntax tree and tells
// whether there was one.
func makeOptional(v reflect.Value) bool {
	changed := false
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return false
		}
		if v.Type() == termType {
			changed = optionalSuffixes(v.Interface().(*gojq.Term))
		}
		return makeOptional(v.Elem()) || changed
	case reflect.Struct:
		for i := range v.NumField() {
			changed = makeOptional(v.Field(i)) || changed
		}
	case reflect.Slice:
		for i := range v.Len() {
			changed = makeOptional(v.Index(i)) || changed
		}
	}
	return changed
}

func optionalSuffixes(t *gojq.Term) bool {
	var suffixes []*gojq.Suffix
	for i, suffix := range t.SuffixList {
		suffixes = append(suffixes, suffix)
		if suffix.Iter && !isOptional(t.SuffixList, i+1) {
			suffixes = append(suffixes, &gojq.Suffix{Optional: true})
		}
	}
	changed := len(suffixes) > len(t.SuffixList)
	t.SuffixList = suffixes
	return changed
}
