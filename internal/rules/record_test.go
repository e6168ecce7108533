package rules

import (
	"strings"
	"testing"
)

func TestParseRecord(t *testing.T) {
	tests := map[string]struct{ text, fault string }{
		"record": {`[{"condition":"OnSpokePresent","pointer":"/a"}]`, ""},
		"condition twice": {`[{"condition":"OnSpokePresent","pointer":"/a","condition":"OnSpokeChange"}]`,
			`the key "condition" is twice in one object`},
		"pointer twice": {`[{"condition":"OnSpokePresent","pointer":"/a","pointer":"/b"}]`,
			`the key "pointer" is twice in one object`},
		"another case": {`[{"condition":"OnSpokePresent","pointer":"/a","Condition":"OnSpokeChange"}]`,
			`its fields are condition, document, pointer and within, found "Condition"`},
		"text behind it": {`[{"condition":"OnSpokePresent","pointer":"/a"}] x`,
			"there must be one JSON value, found more text after it"},
		"another condition": {`[{"condition":"Never","pointer":"/a"}]`, "condition must be OnSpokePresent or OnSpokeChange, found 'Never'"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, err := parseRecord("", test.text, "")
			if test.fault == "" && err != nil || test.fault != "" && (err == nil || !strings.HasSuffix(err.Error(), test.fault)) {
				t.Errorf("error %v, want one that ends with %q", err, test.fault)
			}
		})
	}
}
