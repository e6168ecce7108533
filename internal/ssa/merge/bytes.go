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

// mistaken is the error of a package with text in a map of bytes, which JSON has as base64.
func (p *predictor) mistaken(config map[string]any) error {
	field := byteMaps[p.kind.GVK]
	bytes, _ := config[field].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(bytes)) {
		text, _ := bytes[key].(string)
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			at := location.Location{location.Key(field), location.Key(key)}
			return words.Errorf("%s: must be base64, found other text; %s takes text as it is", at, textsFor[field])
		}
	}
	return nil
}

// encodeBytes writes base64 in a map of bytes as the API server does: on one line.
func encodeBytes(object map[string]any, field string) map[string]any {
	bytes, _ := object[field].(map[string]any)
	isWrapped := func(value any) bool {
		text, _ := value.(string)
		return strings.ContainsAny(text, "\r\n")
	}
	if !slices.ContainsFunc(slices.Collect(maps.Values(bytes)), isWrapped) {
		return object
	}
	object, bytes = maps.Clone(object), maps.Clone(bytes)
	for key, value := range bytes {
		if text, ok := value.(string); ok {
			bytes[key] = strings.NewReplacer("\r", "", "\n", "").Replace(text)
		}
	}
	object[field] = bytes
	return object
}
