package livevalue

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// unions are the members of which a map of a Kubernetes object may have one, by the names of the
// fields that such maps are in: what has set another member has moved the value there.
var unions = []struct{ in, members []string }{
	{[]string{"env"}, []string{"value", "valueFrom"}},
	{[]string{"valueFrom"}, []string{"configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef", "secretKeyRef"}},
	{[]string{"envFrom"}, []string{"configMapRef", "secretRef"}},
	{
		[]string{"livenessProbe", "readinessProbe", "startupProbe", "postStart", "preStop"},
		[]string{"exec", "grpc", "httpGet", "sleep", "tcpSocket"},
	},
	{[]string{"volumes"}, []string{
		"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "hostPath", "image", "iscsi", "nfs", "persistentVolumeClaim", "projected", "secret",
	}},
	{[]string{"backend", "defaultBackend"}, []string{"resource", "service"}},
	{[]string{"clientConfig"}, []string{"service", "url"}},
	{[]string{"spec"}, []string{"maxUnavailable", "minAvailable"}},
	{[]string{"target"}, []string{"averageUtilization", "averageValue", "value"}},
}

// movedMembers are the members of objects of the core group of which each key may be in one.
var movedMembers = []struct{ kind, from, to string }{
	{"Secret", "stringData", "data"}, {"ConfigMap", "data", "binaryData"}, {"ConfigMap", "binaryData", "data"},
}

// MovedTo returns where the live object has the value of a place under another name; nil if it has
// it nowhere. The API server moves the stringData of a Secret into data.
func MovedTo(live *location.Reader, l location.Location) location.Location {
	if len(l) == 0 || live.At(l) != nil {
		return nil
	}
	first, last := l[0].Key, len(l)-1
	isCore := tree.GetString(live.At(nil), "apiVersion") == "v1"
	kind := tree.GetString(live.At(nil), "kind")
	for _, m := range movedMembers {
		if !isCore || kind != m.kind || first != m.from {
			continue
		}
		at := append(location.Location{location.Key(m.to)}, l[1:]...)
		if live.At(at) != nil {
			return at
		}
		return nil
	}
	parent := live.At(l[:last])
	if !tree.IsMap(parent) || l[last].IsIndex {
		return nil
	}
	for _, union := range unions {
		if !slices.Contains(union.members, l[last].Key) || !slices.Contains(union.in, fieldAround(l)) {
			continue
		}
		for _, name := range union.members {
			if value := tree.Lookup(parent, name); value != nil && tree.Type(value) != tree.Null {
				return l[:last].With(location.Key(name))
			}
		}
	}
	return nil
}

// fieldAround is the field that the map of a member is in, itself or as an element of its list; ""
// for none.
func fieldAround(member location.Location) string {
	for _, step := range slices.Backward(member[:len(member)-1]) {
		if !step.IsIndex {
			return step.Key
		}
	}
	return ""
}
