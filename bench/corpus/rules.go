package corpus

// The rules of the packages are functionConfigs with the place %s for what is beside
// ignoreFields.

// MixedRules have an expression of each dialect for each of the mixed objects.
const MixedRules = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: three-dialects
%signoreFields:
- jsonPaths: [.spec.replicas, '.spec.http[?(@.name=="primary")].route[*].weight']
  jsonPointers: [/metadata/annotations/prometheus.io~1scrape, /data/dynamic-token]
  jqPathExpressions: ['.spec.template.spec.containers[]? | select(.name != "app")']
`

// RichRules name fields that autoscalers, a mesh, an agent and controllers own: jq with nested
// select, startswith, // and a projection.
const RichRules = `apiVersion: fn.kpt.dev/v1alpha1
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

// LargeRules name small fields of large objects.
const LargeRules = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: of-large-objects
%signoreFields:
- jsonPointers: [/spec/conversion/webhook/clientConfig/caBundle, /data/cluster-id]
  jsonPaths: ['.spec.versions[?(@.name=="v1beta1")].deprecationWarning']
  jqPathExpressions:
  - .metadata.annotations | to_entries | map(select(.key | startswith("reloader."))) | from_entries
`

// StyleRules name fields in all styles of YAML.
const StyleRules = `apiVersion: fn.kpt.dev/v1alpha1
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

// UntunedRules name fields of the packages that nobody has tuned to: Pods, Helm, CRDs, Crossplane,
// Dashboards and Tiny.
const UntunedRules = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: untuned
%signoreFields:
- jsonPointers:
  - /spec/replicas
  - /metadata/annotations/kubectl.kubernetes.io~1restartedAt
  - /metadata/annotations/meta.helm.sh~1release-name
  - /metadata/annotations/helm.sh~1resource-policy
  - /metadata/annotations/meta.upbound.io~1example-id
  - /metadata/annotations/example.com~1owner
  jsonPaths: ['.spec.containers[?(@.name=="metrics")]', '.spec.ports[?(@.name=="http")].nodePort']
  jqPathExpressions:
  - .metadata.annotations | to_entries | map(select(.key | startswith("reloader."))) | from_entries
  - '.spec.pipeline[]?.input.resources[]? | select(.name == "instance-3")'
`
