package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/bench/corpus"
)

// The rules of the packages are functionConfigs with the place %s for what is beside
// ignoreFields.

// mixedRules have an expression of each dialect for each of the mixed objects.
const mixedRules = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: three-dialects
%signoreFields:
- jsonPaths: [.spec.replicas, '.spec.http[?(@.name=="primary")].route[*].weight']
  jsonPointers: [/metadata/annotations/prometheus.io~1scrape, /data/dynamic-token]
  jqPathExpressions: ['.spec.template.spec.containers[]? | select(.name != "app")']
`

// richRules name fields that autoscalers, a mesh, an agent and controllers own: jq with nested
// select, startswith, // and a projection.
const richRules = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: owned-by-others
%signoreFields:
- jsonPointers: [/spec/replicas, /metadata/annotations/rollout.example.com~1revision]
  jsonPaths: ['.spec.rules[?(@.name=="primary")].backendRefs[*].weight']
- jqPathExpressions:
  - .spec.suspend
  - >-
    (.spec.jobTemplate // .).spec.template.spec.containers[]? |
    select(.env[]? | select(.name == "INJECTED_BY") | .value == "vault")
  - >-
    (.spec.jobTemplate.spec // .spec).template.spec.containers[]? |
    select(.name | startswith("mesh-"))
- jqPathExpressions:
  - .data | to_entries | map(select(.key | startswith("dynamic-"))) | from_entries
  selectors:
  - kind: ConfigMap
`

// largeRules name small fields of large objects.
const largeRules = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: of-large-objects
%signoreFields:
- jsonPointers: [/spec/conversion/webhook/clientConfig/caBundle, /data/cluster-id]
  jsonPaths: ['.spec.versions[?(@.name=="v1beta1")].deprecationWarning']
  jqPathExpressions:
  - .metadata.annotations | to_entries | map(select(.key | startswith("reloader."))) | from_entries
`

// styleRules name fields in all styles of YAML.
const styleRules = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: in-all-styles
%signoreFields:
- jsonPointers: [/spec/replicas, /spec/clusterIP, /data/token, /metadata/annotations/meta.helm.sh~1release-name]
  jsonPaths: ['.spec.template.spec.containers[?(@.name=="linkerd-proxy")]']
  jqPathExpressions:
  - '.spec.ports[]? | .nodePort | select(. >= 30000)'
  - '.spec.groups[]?.rules[]? | select(.labels.severity == "info")'
`

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
