package tree

import (
	"cmp"
	"errors"
	"fmt"
	"testing"
)

// TestKubectlObject reads scalars that are something else to kubectl, and some that are not.
func TestKubectlObject(t *testing.T) {
	for text, want := range map[string]any{
		"yes": true, "On": true, "y": true, "No": false, "OFF": false, "n": false, "true": true,
		"y Y": "y Y", "n N": "n N", "yEs": "yEs", `"yes"`: "yes", "!!str yes": "yes", "1": 1, "0o-7": "0o-7", "!!binary aGk=": "hi",
		"18446744073709551617": 18446744073709551616.0, ".inf": ".inf", "2024-01-02": "2024-01-02",
	} {
		root, err := Parse([]byte("a: " + text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := KubectlObject(root); err != nil || got["a"] != want {
			t.Errorf("%s: read %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestKubectlKeys(t *testing.T) {
	for text, want := range map[string]string{
		"n: a": `kubectl reads the key n as "false"; write it in quotes`, "1e3: b": `kubectl reads the key 1e3 as "1000"; write it in quotes`,
		"1.10: c": `kubectl reads the key 1.10 as "1.1"; write it in quotes`, `"on": c`: "", "name: d": "", "8080: e": "",
	} {
		root, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := KubectlObject(root); fmt.Sprint(cmp.Or(err, errors.New(""))) != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
