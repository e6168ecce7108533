package tree

import "testing"

// TestKubectlValue reads the words that are booleans to kubectl, and texts made of them, which are
// not.
func TestKubectlValue(t *testing.T) {
	for text, want := range map[string]any{
		"yes": true, "On": true, "y": true, "No": false, "OFF": false, "n": false, "true": true,
		"y Y": "y Y", "n N": "n N", "yEs": "yEs", `"yes"`: "yes", "!!str yes": "yes", "1": 1,
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
