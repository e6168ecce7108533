package fn_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/krm-fields/krm-fields/fn"
)

// BenchmarkRun is a whole run on a list in which most objects change.
func BenchmarkRun(b *testing.B) {
	text := benchList()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := fn.Run(bytes.NewReader(text), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

func benchList() []byte {
	const objects = 5000
	var list bytes.Buffer
	list.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for i := range objects {
		fmt.Fprintf(&list, benchObjects[i%len(benchObjects)], i)
	}
	list.WriteString(benchConfig)
	return list.Bytes()
}

const benchConfig = `functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: IgnoreFields
  metadata:
    name: three-dialects
  ignoreFields:
  - jsonPaths: [.spec.replicas, '.spec.http[?(@.name=="primary")].route[*].weight']
    jsonPointers: [/metadata/annotations/prometheus.io~1scrape, /data/token]
    jqPathExpressions: ['.spec.template.spec.containers[]? | select(.name != "app")']
`

// benchObjects are objects as packages have them, with %[1]d for a number.
var benchObjects = []string{
	`- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web-%[1]d # the service has the same name
    namespace: shop
    labels: {app.kubernetes.io/name: web-%[1]d}
    annotations:
      config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/index: '0'
      config.kubernetes.io/path: 'web-%[1]d.yaml'
      internal.config.kubernetes.io/path: 'web-%[1]d.yaml'
      prometheus.io/scrape: "true"
  spec:
    # The autoscaler owns this one.
    replicas: 3
    selector:
      matchLabels:
        app.kubernetes.io/name: web-%[1]d
    template:
      metadata:
        labels:
          app.kubernetes.io/name: web-%[1]d
      spec:
        containers:
        - name: app
          image: "registry.example.com/shop/web:1.%[1]d.0"
          args: ["--port", "8080"]
          env:
          - name: TIMEOUT_MS
            value: "3600000"
          resources:
            requests: {cpu: 100m, memory: 64Mi}
        # Put in by the mesh.
        - name: proxy
          image: registry.example.com/mesh/proxy:2.7.1
          ports:
          - containerPort: 15001
`, `- apiVersion: networking.istio.io/v1
  kind: VirtualService
  metadata:
    name: web-%[1]d
    namespace: shop
    annotations:
      config.kubernetes.io/index: '0'
      config.kubernetes.io/path: 'route-%[1]d.yaml'
  spec:
    hosts:
    - web-%[1]d.example.com
    http:
    - name: primary
      route:
      - destination:
          host: stable
        weight: 90 # the rollout shifts these
      - destination:
          host: canary
        weight: 10
    - name: other
      route:
      - destination:
          host: stable
`, `- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: config-%[1]d
    namespace: shop
    annotations:
      config.kubernetes.io/index: '0'
      config.kubernetes.io/path: 'config-%[1]d.yaml'
  data:
    token: "%[1]d"
    log.level: info
    settings.properties: |
      # as the vendor ships it
      cache.size = 512
      cache.ttl = 60s

      feature.search = on
      feature.export = off
`, `- apiVersion: v1
  kind: Secret
  metadata:
    name: secret-%[1]d
    namespace: shop
    annotations:
      config.kubernetes.io/index: '0'
      config.kubernetes.io/path: 'secret-%[1]d.yaml'
  type: Opaque
  data:
    token: dG9rZW4tMTIzNDU2Nzg5MA==
    password: Y29ycmVjdCBob3JzZSBiYXR0ZXJ5IHN0YXBsZQ==
  stringData:
    user: web-%[1]d
`}
