package tree

import (
	"maps"
	"testing"
)

// TestKubectlValue reads scalars that are something else to kubectl, and some that are not.
func TestKubectlValue(t *testing.T) {
	for text, want := range map[string]any{
		"yes": true, "On": true, "y": true, "No": false, "OFF": false, "n": false, "true": true,
		"y Y": "y Y", "n N": "n N", "yEs": "yEs", `"yes"`: "yes", "!!str yes": "yes", "1": 1, "0o-7": "0o-7", "!!binary aGk=": "hi",
		"18446744073709551617": 18446744073709551616.0, ".inf": ".inf", "2024-01-02": "2024-01-02",
	} {
		root, err := Parse([]byte("a: " + text))
		if err != nil {
			t.Fatal(err)
		}
		if got := KubectlValue(root).(map[string]any)["a"]; got != want {
			t.Errorf("%s: read %v, want %v", text, got, want)
		}
	}
}

func TestKubectlKeys(t *testing.T) {
	root, err := Parse([]byte("n: a\n1e3: b\n\"on\": c\nname: d\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"false": "a", "1000": "b", "on": "c", "name": "d"}
	if got := KubectlValue(root).(map[string]any); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
