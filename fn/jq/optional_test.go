package jq

import "testing"

func TestIterateOptionally(t *testing.T) {
	for expression, want := range map[string]string{
		`.a`:                                    `.a`,
		`.a[]?`:                                 `.a[]?`,
		`.a[] # all of them`:                    `.a[]?`,
		`.a[].b[]?.c[]`:                         `.a[]?.b[]?.c[]?`,
		`.a[] | select(.b[] == "x") | .c["[]"]`: `.a[]? | select(.b[]? == "x") | .c["[]"]`,
		`.a // []`:                              `.a // []`,
		`[.a[]]`:                                `[.a[]?]`,
		`if .a[] then .b else .c[] end`:         `if .a[]? then .b else .c[]? end`,
		`.a[`:                                   `.a[`,
	} {
		if got := IterateOptionally(expression); got != want {
			t.Errorf("%s: got %s, want %s", expression, got, want)
		}
	}
}

func TestIsProjection(t *testing.T) {
	for expression, want := range map[string]bool{
		`.data | to_entries | map(select(.key | startswith("a"))) | from_entries`: true,
		`.data | with_entries(select(.value == "x"))`:                             true,
		`.a[] | select(.b)`:                 false,
		`.a, .b`:                            false,
		`.a | if .b then .c else empty end`: false,
		`.a[`:                               false,
	} {
		if got := IsProjection(expression); got != want {
			t.Errorf("%s: got %v, want %v", expression, got, want)
		}
	}
}
