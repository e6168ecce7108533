package objecthash

import (
	"fmt"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// deployment is an object of some 2 KB, as most packages have.
func deployment(b *testing.B) *tree.Node {
	b.Helper()
	var text strings.Builder
	text.WriteString(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels: {app: web, app.kubernetes.io/part-of: shop}
  annotations:
    config.kubernetes.io/index: "0"
    internal.config.kubernetes.io/path: web.yaml
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {creationTimestamp: null, labels: {app: web}}
    spec:
      containers:
      - name: web
        image: example.com/shop/web:v1.2.3
        resources: {requests: {cpu: 250m, memory: 64Mi}, limits: {memory: 128Mi}}
        ports: [{name: http, containerPort: 8080}]
        env:
`)
	for i := range 24 {
		fmt.Fprintf(&text, "        - name: SETTING_%d\n          value: \"the value of setting %d\"\n", i, i)
	}
	root, err := tree.Parse([]byte(text.String()))
	if err != nil {
		b.Fatal(err)
	}
	return root
}

func BenchmarkCompute(b *testing.B) {
	root := deployment(b)
	for _, algorithm := range []string{SHA256, OCM} {
		b.Run(algorithm, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Compute(root, algorithm, "open-cluster-management.io/object-hash")
			}
		})
	}
}
