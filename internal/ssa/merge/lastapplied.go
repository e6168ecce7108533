package merge

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

const (
	// kubectl is the manager without conflicts with what it applied on the client side.
	kubectl = "kubectl"
	// lastAppliedAnnotation has the object that kubectl applied there.
	lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"
	// annotationsLimit is how many bytes all annotations of an object may have.
	annotationsLimit = 256 << 10
)

var errNoLastApplied = errors.New("the object must have been applied by client-side apply in this version")

// lastAppliedFields are the fields that the live object still has as kubectl applied them on the
// client's side.
func lastAppliedFields(c *converter, live map[string]any, version fieldpath.APIVersion) (*fieldpath.Set, error) {
	text := annotations(live)[lastAppliedAnnotation]
	var object map[string]any
	if s, ok := text.(string); !ok || json.Unmarshal([]byte(s), &object) != nil || object["apiVersion"] != string(version) {
		return nil, errNoLastApplied
	}
	object, _ = numbers(object).(map[string]any)
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
	old, ok := annotations(object)[lastAppliedAnnotation].(string)
	if !ok || old == "" {
		return merged
	}
	text, err := lastApplied(s.config)
	if err != nil || text == old {
		return merged
	}
	object = maps.Clone(object)
	metadata, _ := object["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	object["metadata"] = metadata
	all := maps.Clone(annotations(object))
	metadata["annotations"] = all
	all[lastAppliedAnnotation] = text
	size := 0
	for key, value := range all {
		s, _ := value.(string)
		size += len(key) + len(s)
	}
	if size > annotationsLimit {
		delete(all, lastAppliedAnnotation)
	}
	return object
}

// lastApplied is the package as the annotation has it.
func lastApplied(config map[string]any) (string, error) {
	config = maps.Clone(config)
	if own := annotations(config); own != nil {
		own = maps.Clone(own)
		delete(own, lastAppliedAnnotation)
		metadata, _ := config["metadata"].(map[string]any)
		metadata = maps.Clone(metadata)
		metadata["annotations"] = own
		config["metadata"] = metadata
	}
	var b bytes.Buffer
	err := json.NewEncoder(&b).Encode(config)
	return b.String(), err
}

func annotations(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	all, _ := metadata["annotations"].(map[string]any)
	return all
}
