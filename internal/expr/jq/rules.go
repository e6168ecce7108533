package jq

import "strings"

// confinedRule says what a function needs to be taken: checks of its input and of what its
// arguments yield.
type confinedRule struct {
	input, arguments string
	pattern          bool
}

// confined holds the builtin functions that may be run in this process.
var confined = confinedRules()

func confinedRules() map[string]confinedRule {
	rules := map[string]confinedRule{}
	add := func(rule confinedRule, keys string) {
		for key := range strings.FieldsSeq(keys) {
			rules[key] = rule
		}
	}
	// These go by steps, or cost what one value or its length costs.
	add(confinedRule{}, `empty/0 error/0 error/1 not/0 select/1 recurse/0 recurse/1 recurse/2 map/1
		first/0 first/1 last/0 last/1 nth/1 nth/2 limit/2 skip/2 until/2 while/2 repeat/1 range/1 range/2
		range/3 isempty/1 any/0 any/1 any/2 all/0 all/1 all/2 path/1 paths/0 paths/1 type/0 has/1 in/1
		arrays/0 objects/0 iterables/0 scalars/0 values/0 nulls/0 booleans/0 numbers/0 strings/0
		finites/0 normals/0 startswith/1 endswith/1 ltrimstr/1 rtrimstr/1 trimstr/1 ltrim/0 rtrim/0 trim/0
		utf8bytelength/0 toboolean/0 floor/0 ceil/0 round/0 fabs/0 abs/0 sqrt/0 infinite/0 nan/0 isnan/0
		isinfinite/0 isfinite/0 isnormal/0`)
	// These go through all of their input.
	add(confinedRule{input: mediumCheck}, `length/0 keys/0 to_entries/0 from_entries/0 with_entries/1
		map_values/1 walk/1 del/1 add/0 tostring/0 tojson/0 fromjson/0 ascii_downcase/0 ascii_upcase/0
		reverse/0 sort/0 unique/0 min/0 max/0 flatten/0`)
	add(confinedRule{input: mediumCheck, arguments: mediumCheck}, `IN/1 delpaths/1 split/1 flatten/1`)
	add(confinedRule{input: mediumCheck, arguments: smallCheck}, `getpath/1`)
	// These compare each part of one with each of the other, or multiply.
	add(confinedRule{input: smallCheck, arguments: smallCheck}, `contains/1 inside/1 index/1 rindex/1
		indices/1 join/1 tonumber/0 sort_by/1 group_by/1 unique_by/1 min_by/1 max_by/1`)
	add(confinedRule{input: smallCheck, pattern: true}, `test/1 test/2`)
	return rules
}
