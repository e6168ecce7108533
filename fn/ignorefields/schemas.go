package ignorefields

import (
	"bytes"
	"slices"
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// schemas are the schemas of the kinds of objects: Kubernetes' own, and those of the
// CustomResourceDefinitions among the items. Each is read on demand.
type schemas struct {
	items []*object.Object
	// isLive tells whether an item is one of the cluster.
	isLive func(*object.Object) bool
	mutex  sync.Mutex
	known  schema.Schemas
	read   bool
}

// kind returns the schema of a kind.
func (s *schemas) kind(gvk schema.GVK) *schema.Kind {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	kind := s.known.Kind(gvk)
	if kind.Origin == schema.Kubernetes || s.read {
		return kind
	}
	s.readDefinitions()
	return s.known.Kind(gvk)
}

// readDefinitions adds the kinds of the definitions. It parses their texts again, since another
// goroutine may be using the item. Of a kind, the first counts that is not of the cluster. An
// invalid definition is ignored: the API server refuses it, and other tools say why.
func (s *schemas) readDefinitions() {
	s.read = true
	for _, isLive := range []bool{true, false} { // what is defined later replaces what is there
		for _, item := range slices.Backward(s.items) {
			if s.isLive(item) == isLive {
				s.define(item)
			}
		}
	}
}

func (s *schemas) define(item *object.Object) {
	text := item.Source()
	if !bytes.Contains(text, []byte("CustomResourceDefinition")) {
		return
	}
	root, err := tree.Parse(text)
	if err != nil {
		return
	}
	if tree.IsList(root) && len(root.Content) == 1 { // the item of a list
		root = root.Content[0]
	}
	_, _ = s.known.Define(root)
}

// mergeKeys returns the fields that identify the elements of a list in the schema of the object's
// kind.
func (j *job) mergeKeys(list location.Location) listkey.Key {
	kind := j.schema()
	var keys listkey.Key
	for _, name := range kind.Keys(list) {
		key := listkey.Part{At: location.Location{location.Key(name)}}
		if element := kind.At(list.With(location.Index(0))).Type; element != nil && element.Map != nil {
			if field := element.Map.Field(name); field != nil && field.Default != nil {
				key.Default = tree.FromValue(field.Default)
			}
		}
		keys = append(keys, key)
	}
	return keys
}
