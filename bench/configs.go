package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/bench/corpus"
)

const stripReplicas = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: strip-replicas
ignoreFields:
- jsonPointers: [/spec/replicas]
objectHash:
  emit: false
`

// stripProxy removes the container proxy by the expression in the place %s.
const stripProxy = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: strip-proxy
ignoreFields:
- %s
objectHash:
  emit: false
`

// ownerByCEL gives each object an annotation that is made of two of its fields.
const ownerByCEL = `apiVersion: fn.kpt.dev/v1alpha1
kind: ApplyPatches
metadata:
  name: owner
patches:
- target:
    where: ${resource.metadata.name != "" && !has(resource.metadata.finalizers)}
  operations:
  - op: add
    path: /metadata/annotations/bench.example.com~1owner
    value: "${resource.kind}/${resource.metadata.name}"
`

// jqPatches has a JQPatch for each object, as a hook writes them.
func jqPatches(objects []corpus.Object) (string, error) {
	var config strings.Builder
	config.WriteString("apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyOperations\nmetadata:\n  name: owner\noperations:\n")
	for _, o := range objects {
		operation, err := json.Marshal(map[string]string{
			"operation": "JQPatch", "apiVersion": o.APIVersion, "kind": o.Kind, "namespace": o.Namespace, "name": o.Name,
			"jqFilter": `.metadata.annotations["bench.example.com/owner"] = "bench"`,
		})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&config, "- %s\n", operation)
	}
	return config.String(), nil
}
