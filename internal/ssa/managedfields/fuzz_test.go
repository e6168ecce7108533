package managedfields

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FuzzOf reads what no API server writes.
func FuzzOf(f *testing.F) {
	f.Add(`{f:spec: {f:replicas: {}, 'k:{"a":1}': {.: {}, f:a: {}}, 'v:"x"': {}, i:0: {}}}`)
	f.Add(`{f:a: 1, k:x: {}, "v:{": {}, i:x: {}, "": {}, f: {}, 'k:{"a":{"b":[.5]}}': {.: {}}, .: {}}`)
	f.Fuzz(func(t *testing.T, fieldsV1 string) {
		root, err := tree.Parse([]byte("metadata: {managedFields: [{manager: a, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: " + fieldsV1 + "}]}\n" +
			"spec: {replicas: 99999999999999999999, list: [{a: 1}, x, .nan, 99999999999999999999]}\n"))
		if err != nil {
			return
		}
		entries, _ := Of(root)
		list := location.Location{location.Key("spec"), location.Key("list")}
		for _, l := range []location.Location{
			{location.Key("spec"), location.Key("replicas")}, list, list.With(location.Index(0)), list.With(location.Index(1)),
			list.With(location.Index(2)), list.With(location.Index(3)),
		} {
			NewIndex(entries, root).Owners(l)
			NewIndex(entries, root).SoleOwner(l, "")
			ListKey(entries, l, root)
			NewCounterparts(entries, root, root).Find(l)
		}
	})
}
