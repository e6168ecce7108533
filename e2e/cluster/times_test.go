package cluster

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var times = flag.Bool("times", false, "measure apply, plan and diff against kubectl (TestTimes), which takes some minutes")

// timed is how many Deployments TestTimes applies.
const timed = 500

// A timing is a command of kubectl and one of krm-fields that does the same, after a change of the
// package.
type timing struct {
	what string
	// changed is how many Deployments have another image than in the timing before.
	changed      int
	kubectl, own string
}

// timings are in the order in which they run, each on what the one before it has left.
var timings = []timing{
	{"first apply", timed, "kubectl apply --server-side -f", "krm-fields apply"},
	{"apply, nothing new", 0, "kubectl apply --server-side -f", "krm-fields apply"},
	{"apply, 10 changed", 10, "kubectl apply --server-side -f", "krm-fields apply"},
	{"apply, all changed", timed, "kubectl apply --server-side -f", "krm-fields apply"},
	{"plan, 10 changed", 10, "kubectl apply --server-side --dry-run=server -f", "krm-fields plan --from-cluster"},
	{"diff, 10 changed", 0, "kubectl diff --server-side -f", "krm-fields diff"},
}

// TestTimes prints how long krm-fields and kubectl take for the same, in two namespaces of one API
// server.
func TestTimes(t *testing.T) {
	if !*times {
		t.Skip("runs with -times")
	}
	namespaces := [2]string{"times-kubectl", "times-own"}
	for _, namespace := range namespaces {
		if made := asAdmin.run(t, "kubectl", "create", "namespace", namespace); made.code != 0 {
			t.Fatal(made.err)
		}
	}
	path, images := filepath.Join(t.TempDir(), "package.yaml"), make([]int, timed)
	var table strings.Builder
	for _, timing := range timings {
		for i := range timing.changed {
			images[i]++
		}
		var seconds [2]float64
		for side, command := range []string{timing.kubectl, timing.own} {
			if err := os.WriteFile(path, []byte(deployments(namespaces[side], images)), 0o600); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if ran := asAdmin.run(t, append(strings.Fields(command), path)...); ran.code > 1 || ran.code == 1 && !strings.Contains(command, "diff") {
				t.Fatalf("%s: exit code %d\n%s", command, ran.code, ran.err)
			}
			seconds[side] = time.Since(began).Seconds()
		}
		fmt.Fprintf(&table, "| %s | %.1f s | %.1f s | %.2f |\n", timing.what, seconds[0], seconds[1], seconds[1]/seconds[0])
	}
	t.Logf("%d Deployments\n| | kubectl | krm-fields | ratio |\n| --- | --- | --- | --- |\n%s", timed, table.String())
}

// deployments is a package with a Deployment for each image.
func deployments(namespace string, images []int) string {
	var b strings.Builder
	for i, image := range images {
		fmt.Fprintf(&b, `---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-%d
  namespace: %s
  labels: {app.kubernetes.io/name: web-%[1]d, app.kubernetes.io/part-of: shop, app.kubernetes.io/version: "1.%[3]d"}
  annotations: {example.com/owner: shop, example.com/docs: https://example.com/shop}
spec:
  replicas: 2
  revisionHistoryLimit: 3
  selector: {matchLabels: {app.kubernetes.io/name: web-%[1]d}}
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  template:
    metadata:
      labels: {app.kubernetes.io/name: web-%[1]d, app.kubernetes.io/part-of: shop}
      annotations: {prometheus.io/scrape: "true", prometheus.io/port: "9090"}
    spec:
      serviceAccountName: web
      securityContext: {runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000}
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway}
      initContainers:
      - name: migrate
        image: registry.example.com/web:1.%[3]d
        args: [migrate]
        envFrom: [{secretRef: {name: web}}]
      containers:
`, i, namespace, image)
		for _, container := range []string{"web", "worker", "proxy"} {
			fmt.Fprintf(&b, `      - name: %s
        image: registry.example.com/%[1]s:1.%d
        args: [--log-level=info, --config=/etc/%[1]s/config.yaml]
        ports: [{name: %[1]s, containerPort: 8080}]
        env:
        - {name: LEVEL, value: info}
        - {name: REGION, value: eu-central-1}
        - {name: FEATURES, value: "a,b,c"}
        - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        - {name: PASSWORD, valueFrom: {secretKeyRef: {name: web, key: password}}}
        resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {memory: 256Mi}}
        readinessProbe: {httpGet: {path: /healthz, port: %[1]s}, periodSeconds: 5}
        livenessProbe: {httpGet: {path: /livez, port: %[1]s}, initialDelaySeconds: 10}
        securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
        volumeMounts: [{name: config, mountPath: /etc/%[1]s}, {name: tmp, mountPath: /tmp}]
`, container, image)
		}
		b.WriteString("      volumes: [{name: config, configMap: {name: web}}, {name: tmp, emptyDir: {}}]\n")
	}
	return b.String()
}
