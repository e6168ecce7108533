package merge

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
)

// byteMaps are the fields of kinds that are maps of bytes.
var byteMaps = map[schema.GVK]string{{Version: "v1", Kind: "Secret"}: "data", {Version: "v1", Kind: "ConfigMap"}: "binaryData"}

// textsFor are the fields of the same kinds that are maps of text.
var textsFor = map[string]string{"data": "stringData", "binaryData": "data"}

// checkBytes is the error of a package with text in a map of bytes, which JSON has as base64. What
// looks like the place of a value that a tool fills in is not looked at.
func (p *predictor) checkBytes(config map[string]any) error {
	field := byteMaps[p.kind.GVK]
	bytes, _ := config[field].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(bytes)) {
		text, _ := bytes[key].(string)
		if _, err := base64.StdEncoding.DecodeString(text); err != nil && !strings.ContainsAny(text, "<{[(") {
			at := location.Location{location.Key(field), location.Key(key)}
			return words.Errorf("%s: must be base64, found other text; %s takes text as it is", at, textsFor[field])
		}
	}
	return nil
}

// encodeBytes writes base64 in a map of bytes as the API server does, which decodes and encodes it.
func encodeBytes(object map[string]any, field string) map[string]any {
	bytes, ok := object[field].(map[string]any)
	if !ok {
		return object
	}
	object, bytes = maps.Clone(object), maps.Clone(bytes)
	for key, value := range bytes {
		text, _ := value.(string)
		if decoded, err := base64.StdEncoding.DecodeString(text); err == nil && text != "" {
			bytes[key] = base64.StdEncoding.EncodeToString(decoded)
		}
	}
	object[field] = bytes
	return object
}
