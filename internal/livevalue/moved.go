package livevalue

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// unions are the members of which a map of a Kubernetes object may have one: what has set another
// one has moved the value there.
var unions = [][]string{
	{"value", "valueFrom"}, // of an environment variable
	{"configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef", "secretKeyRef"},
	{"configMapRef", "secretRef"}, // of envFrom
	{"exec", "grpc", "httpGet", "sleep", "tcpSocket"},
	{"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "hostPath", "image", "iscsi", "nfs", "persistentVolumeClaim", "projected", "secret"},
	{"resource", "service"}, // of an Ingress's backend
	{"service", "url"},      // of a webhook's clientConfig
	{"maxUnavailable", "minAvailable"},
	{"averageUtilization", "averageValue", "value"},
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
		if !slices.Contains(union, l[last].Key) {
			continue
		}
		for _, name := range union {
			if value := tree.Lookup(parent, name); value != nil && tree.Type(value) != tree.Null {
				return l[:last].With(location.Key(name))
			}
		}
	}
	return nil
}
