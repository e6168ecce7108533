package redact

import "testing"

// TestMayHold tells texts that may hold a Secret from those that name something like it.
func TestMayHold(t *testing.T) {
	for text, want := range map[string]bool{
		"kind: Secret\n":                      true,
		"kind: SecretList":                    true,
		"Secret":                              true,
		`{"kind":"Secret"}`:                   true,
		`a: "{\"kind\":\"Secret\"}"`:          true,
		"kind: 'Secret' # ours":               true,
		`kind: "\u0053ecret"`:                 true,
		`kind: "S\x65cret"`:                   true,
		`kind: "S\U00000065cret"`:             true,
		`a: "{\"kind\":\"\\u0053ecret\"}"`:    true,
		`a: "{'kind': \"\u005cu0053ecret\"}"`: true,
		"kind: \"Sec\\\n  ret\"":              true,
		"kind: \"Sec\\\r\n  ret\"":            true,
		"kind: \"Sec\\\n \\\n ret\"":          true,
		"a: \"text\\\n  \\ more \\\n text\"":  false,
		"binaryData: {}":                      true,
		`a: \uXYZ`:                            true,
		"kind: Pod":                           false,
		"kind: ExternalSecret":                false,
		"kind: SecretStore":                   false,
		"kind: SecretLists":                   false,
		"imagePullSecrets: []":                false,
		`a: "\u003cb\u003e \u2028 \n \t"`:     false,
		`a: c:\windows\`:                      false,
	} {
		if got := MayHold([]byte(text)); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}
