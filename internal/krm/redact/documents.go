package redact

import (
	"encoding/base64"
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// secretDocuments returns the documents that a string holds, and whether a Secret is among them. A
// string that names a Secret and can't be parsed has no documents, and counts as one with a Secret.
func secretDocuments(text string) (documents []*tree.Node, holds bool) {
	if !mayHoldSecret(text) {
		return nil, false
	}
	for document := range lines.Documents([]byte(strings.TrimPrefix(text, "\ufeff"))) {
		root, err := tree.Parse(document.Text)
		if err != nil {
			return nil, strings.Contains(text, "Secret") && strings.Contains(text, "kind")
		}
		if root != nil {
			documents = append(documents, root)
			holds = holds || !New(root).IsZero()
		}
	}
	return documents, holds
}

// mayHoldSecret tells whether a string names a Secret, or may do so by escapes.
func mayHoldSecret(text string) bool {
	names := func(word string) bool { return strings.Contains(text, word) }
	escapes := names(`\x`) || names(`\u`) || names(`\U`)
	return (escapes || names("Secret")) && (escapes || names("kind"))
}

// decodeBase64 returns what base64 stands for, also without padding or with line breaks.
func decodeBase64(text string) (string, bool) {
	bare := strings.TrimRight(strings.Join(strings.Fields(text), ""), "=")
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if decoded, err := encoding.DecodeString(bare); err == nil {
			return string(decoded), true
		}
	}
	return "", false
}
