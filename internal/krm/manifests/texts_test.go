package manifests_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/krm-fields/krm-fields/internal/krm/manifests"
)

func texts(t *testing.T, stream string) (all []string, err error) {
	t.Helper()
	for _, r := range []*strings.Reader{strings.NewReader(stream), strings.NewReader(stream)} {
		once := all
		all = nil
		reader := iotest.OneByteReader(r)
		if once != nil {
			reader = r
		}
		for text, fault := range manifests.Texts(reader) {
			if fault != nil {
				err = fault
				break
			}
			all = append(all, strings.TrimSpace(string(text.Bytes)))
		}
		if once != nil && !slices.Equal(once, all) {
			t.Errorf("%q: byte by byte %q, at once %q", stream, once, all)
		}
	}
	return all, err
}

func TestTexts(t *testing.T) {
	for stream, want := range map[string][]string{
		"":                       nil,
		"# nothing\n---\n# else": nil,
		"kind: A":                {"kind: A"},
		"kind: A\n---\nkind: B\n...\n---\n{\"kind\": \"C\"}": {"kind: A", "kind: B", `{"kind": "C"}`},
		"apiVersion: v1\nitems:\n- kind: A\n  x: |\n    - y\n\n    items:\n- kind: B\nkind: List\nmetadata: {a: b}\n": {
			"kind: A\n  x: |\n    - y\n\n    items:", "kind: B"},
		"kind: RoleList\nitems:\n  # first\n  - kind: A\n  -\n    kind: B\n---\nkind: C":                                         {"kind: A", "kind: B", "kind: C"},
		"apiVersion: v1\n\"items\":\n- kind: A\n- kind: B\n":                                                                     {"kind: A", "kind: B"},
		"kind: Playlist\nitems:\n- a\nspec: {}\n":                                                                                {"kind: Playlist\nitems:\n- a\nspec: {}"},
		"apiVersion: e.io/v1\nitems:\n- kind: A\nkind: Playlist\n":                                                               {"apiVersion: e.io/v1\nitems:\n- kind: A\nkind: Playlist"},
		"kind: List\nitems:\n    - a: {b: c,\n d: [e,\nf]}\n    - g: h\nx: y\n":                                                  {"a: {b: c,\n d: [e,\nf]}", "g: h"},
		`{"kind": "Playlist", "items": ["a", {"b": []}]}`:                                                                        {`{"kind": "Playlist", "items": ["a", {"b": []}]}`},
		`{"items": [{"kind": "A"}], "kind": "Playlist"}`:                                                                         {`{"items": [{"kind": "A"}], "kind": "Playlist"}`},
		"items: []\nkind: List":                                                                                                  {"items: []\nkind: List"},
		`{"kind":"A","spec":{"items":[1]},"x":"\"items\":["} {"kind":"B"}`:                                                       {`{"kind":"A","spec":{"items":[1]},"x":"\"items\":["}`, `{"kind":"B"}`},
		"\ufeff{\n \"apiVersion\": \"v1\", \"items\" : [\n {\"a\": \"}\\\\\"}, {\"b\": [[]]}\n ],\n \"kind\": {\"x\": [1]}\n}\n": {`{"a": "}\\"}`, `{"b": [[]]}`},
		`{"kind": "List", "items": []}` + "\n---\n" + `{"kind": "C"}`:                                                            {`{"kind": "C"}`},
	} {
		if got, err := texts(t, stream); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q, %v\nwant %q", stream, got, err, want)
		}
	}
	for _, stream := range []string{`{"a": 1`, `{"kind": "List", "items": [{"a": 1}, 2]}`, `{"apiVersion": "v1", "items": ["a"]}`, "kind: List\nitems:\na: b\n"} {
		if got, err := texts(t, stream); err == nil {
			t.Errorf("%q: got %q, want an error", stream, got)
		}
	}
	failing := errors.New("failing")
	for _, err := range manifests.Texts(iotest.ErrReader(failing)) {
		if !errors.Is(err, failing) {
			t.Errorf("got %v, want the error of the stream", err)
		}
	}
}

// FuzzTexts holds that the items of a list come as the values that they are.
func FuzzTexts(f *testing.F) {
	f.Add(`{"a": "x]}\"", "items": [{"items": []}]}`, `{}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		var first, second map[string]any
		if json.Unmarshal([]byte(a), &first) != nil || json.Unmarshal([]byte(b), &second) != nil {
			_, _ = texts(t, a+b)
			return
		}
		list, err := json.MarshalIndent(map[string]any{"apiVersion": "v1", "items": []any{first, second}, "kind": "List"}, "", "  ")
		if err != nil || first == nil || second == nil {
			return
		}
		got, err := texts(t, string(list))
		if err != nil || len(got) != 2 {
			t.Fatalf("%s: got %q, %v", list, got, err)
		}
		for i, want := range []map[string]any{first, second} {
			var value map[string]any
			text, _ := json.Marshal(want)
			if err := json.Unmarshal([]byte(got[i]), &value); err != nil {
				t.Errorf("%s: %v", got[i], err)
			} else if back, _ := json.Marshal(value); string(back) != string(text) {
				t.Errorf("got %s, want %s", back, text)
			}
		}
	})
}
