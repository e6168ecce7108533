package merge

import (
	"bytes"
	"encoding/json"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// annotationsLimit is how many bytes all annotations of an object may have.
const annotationsLimit = 256 << 10

var errNoLastApplied = words.Errorf("the object must have been applied by client-side apply in this version")

// lastAppliedFields are the fields that the live object still has as kubectl applied them on the
// client's side.
func lastAppliedFields(c *converter, live map[string]any, version fieldpath.APIVersion) (*fieldpath.Set, error) {
	text, _ := annotations(live)[managedfields.LastApplied].(string)
	root, err := tree.ParseJSON([]byte(text))
	object := dataOf(root)
	if err != nil || object["apiVersion"] != string(version) {
		return nil, errNoLastApplied
	}
	liveTyped, err := c.typed(live, false)
	if err != nil {
		return nil, err
	}
	applied, err := c.typed(object, false)
	if err != nil {
		return nil, err
	}
	fields, err := applied.ToFieldSet()
	if err != nil {
		return nil, err
	}
	comparison, err := applied.Compare(liveTyped)
	if err != nil {
		return nil, err
	}
	return fields.Difference(comparison.Modified).Difference(comparison.Added).Difference(comparison.Removed), nil
}

// syncLastApplied writes the package into the annotation of the object that comes out, if it has
// one. The object is the merged one, or nil if it is the live one.
func (p *predictor) syncLastApplied(s state, merged map[string]any) map[string]any {
	object := merged
	if object == nil {
		object = s.live
	}
	old, ok := annotations(object)[managedfields.LastApplied].(string)
	if !ok || old == "" {
		return merged
	}
	config := s.config
	if annotations(config) != nil {
		config = withMember(config, "annotations", func(all map[string]any) { delete(all, managedfields.LastApplied) })
	} else { // or null, which the API server takes for none
		config = withMetadata(config, func(metadata map[string]any) { delete(metadata, "annotations") })
	}
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(config); err != nil || text.String() == old {
		return merged
	}
	return withMember(object, "annotations", func(all map[string]any) {
		all[managedfields.LastApplied] = text.String()
		size := 0
		for key, value := range all {
			s, _ := value.(string)
			size += len(key) + len(s)
		}
		if size > annotationsLimit {
			delete(all, managedfields.LastApplied)
		}
	})
}

func annotations(object map[string]any) map[string]any {
	all, _ := metadata(object)["annotations"].(map[string]any)
	return all
}
