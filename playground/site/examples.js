// Examples of what the dialogs read: rules in the format of each tool, and the error of an apply.

export const examples = {
  argocd: `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shop
spec:
  ignoreDifferences:
  - group: apps
    kind: Deployment
    jsonPointers:
    - /spec/replicas
`,
  'argocd-annotations': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations:
    argocd.argoproj.io/ignore-differences: "jsonPointers: [/spec/replicas]"
`,
  ocm: `apiVersion: work.open-cluster-management.io/v1
kind: ManifestWork
metadata:
  name: web
  namespace: cluster1
spec:
  manifestConfigs:
  - resourceIdentifier:
      group: apps
      resource: deployments
      namespace: default
      name: web
    updateStrategy:
      type: ServerSideApply
      serverSideApply:
        ignoreFields:
        - condition: OnSpokePresent
          jsonPaths:
          - .spec.replicas
`,
  flux: `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: shop
spec:
  ignore:
  - target:
      kind: Deployment
    paths:
    - /spec/replicas
`,
  greenhouse: `apiVersion: greenhouse.sap/v1alpha1
kind: Plugin
metadata:
  name: web
spec:
  ignoreDifferences:
  - group: apps
    kind: Deployment
    paths:
    - /spec/replicas
`,
  ack: `apiVersion: elasticache.services.k8s.aws/v1alpha1
kind: ReplicationGroup
metadata:
  name: sessions
  annotations:
    services.k8s.aws/ignore-field-drift: spec.replicasPerNodeGroup
`,
  terraform: `{"resource": {"kubernetes_manifest": {"web": {
  "computed_fields": ["spec.replicas"],
  "manifest": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}}
}}}}
`,
  kapp: `apiVersion: kapp.k14s.io/v1alpha1
kind: Config
rebaseRules:
- path: [spec, replicas]
  type: copy
  sources: [existing, new]
  resourceMatchers:
  - apiVersionKindMatcher: {apiVersion: apps/v1, kind: Deployment}
`,
  fleet: `diff:
  comparePatches:
  - apiVersion: apps/v1
    kind: Deployment
    name: web
    namespace: default
    jsonPointers:
    - /spec/replicas
`,
  sveltos: `apiVersion: config.projectsveltos.io/v1beta1
kind: ClusterProfile
metadata:
  name: shop
spec:
  driftExclusions:
  - paths:
    - /spec/replicas
    target:
      group: apps
      kind: Deployment
`,
  kluctl: `deployments:
- path: web
conflictResolution:
- fieldPath: spec.replicas
  kind: Deployment
  group: apps
  action: ignore
`,
  error: `Error: UPGRADE FAILED: conflict occurred while applying object default/my-app apps/v1, Kind=Deployment:
Apply failed with 1 conflict: conflict with "kube-controller-manager" with subresource "scale" using apps/v1: .spec.replicas
`,
};
