package cluster

// A kind is a kind of the objects in triples.
type kind struct {
	// path is the path of the API server's list.
	path   string
	object object
	// status is the value for the status subresource, if there is one.
	status node
	// scale is true if there is a scale subresource.
	scale bool
	// other is the path of another version, for some updates and, if both versions are equal, some
	// applies.
	other string
	alike bool
}

var metadata = object{
	"labels":      opt(object{"app": one("web", "api"), "team": opt("a", "b"), "tier": opt("1", "2")}),
	"annotations": opt(object{"note": one("x", "y"), "example.com/owner": opt("me", "you"), "empty": opt("")}),
	"finalizers":  opt(some{"example.com/a", "example.com/b"}, some{"example.com/c"}),
}

var container = object{
	"name": "app", "image": one("nginx:1", "nginx:2", "nginx:3"),
	"args":            opt([]any{"-v"}, []any{"-v", "-x"}),
	"imagePullPolicy": opt("Always", "IfNotPresent"),
	"env":             opt(some{object{"name": "A", "value": one("1", "2")}, object{"name": "B", "value": one("1", "2")}, object{"name": "C", "valueFrom": object{"configMapKeyRef": object{"name": "c", "key": one("k", "l")}}}}),
	"ports":           opt(some{object{"containerPort": 80, "name": opt("http", "web")}, object{"containerPort": 443, "protocol": one("TCP", "UDP")}, object{"containerPort": 53, "protocol": "UDP"}}),
	"resources": opt(object{"limits": opt(object{"cpu": one("1", "500m", "0.5"), "memory": opt("64Mi", "1Gi")}),
		"requests": opt(object{"cpu": one("100m", "0.1"), "memory": opt("64Mi")})}),
	"securityContext": opt(object{"runAsNonRoot": one(true, false), "capabilities": opt(object{"drop": []any{"ALL"}})}),
	"volumeMounts":    opt([]any{object{"name": "data", "mountPath": one("/a", "/b")}}),
}

var template = object{
	"metadata": object{"labels": object{"app": "web", "version": opt("1", "2")}, "annotations": opt(object{"at": one("1", "2")})},
	"spec": object{
		"containers": one([]any{container}, []any{container, object{"name": "side", "image": one("side:1", "side:2")}},
			[]any{object{"name": "side", "image": "side:1"}, container}),
		"volumes":                       []any{object{"name": "data", "emptyDir": object{}}, opt(object{"name": "more", "configMap": object{"name": one("c", "d")}})},
		"nodeSelector":                  opt(object{"disk": one("ssd", "hdd"), "zone": opt("a")}),
		"serviceAccountName":            opt("default", "web"),
		"tolerations":                   opt([]any{object{"key": one("a", "b"), "operator": "Exists"}}),
		"securityContext":               opt(object{"fsGroup": one(1, 2)}),
		"imagePullSecrets":              opt(some{object{"name": "r1"}, object{"name": "r2"}}),
		"terminationGracePeriodSeconds": opt(10, 30),
	},
}

var selector = object{"matchLabels": object{"app": "web"}}

// kinds are the kinds of the triples: twelve of Kubernetes, four custom ones.
var kinds = map[string]kind{
	"ConfigMap": {path: "/api/v1/namespaces/default/configmaps", object: object{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata,
		"data":       opt(object{"a": one("1", "2"), "b": opt("1", "2"), "c.yaml": opt("x: 1\n")}),
		"binaryData": opt(object{"z": one("AAAA", "AAEC")}),
	}},
	"Secret": {path: "/api/v1/namespaces/default/secrets", object: object{
		"apiVersion": "v1", "kind": "Secret", "metadata": metadata,
		"data":       opt(object{"a": one("MQ==", "Mg=="), "b": opt("MQ==")}),
		"stringData": opt(object{"s": one("1", "2")}),
	}},
	"ServiceAccount": {path: "/api/v1/namespaces/default/serviceaccounts", object: object{
		"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata,
		"automountServiceAccountToken": opt(true, false),
		"secrets":                      opt(some{object{"name": "a"}, object{"name": "b"}}),
		"imagePullSecrets":             opt(some{object{"name": "a"}, object{"name": "b"}}),
	}},
	"Service": {path: "/api/v1/namespaces/default/services", object: object{
		"apiVersion": "v1", "kind": "Service", "metadata": metadata,
		"spec": object{
			"selector": opt(object{"app": one("web", "api")}),
			"ports": some{object{"name": "http", "port": 80, "targetPort": opt(8080, "web")},
				object{"name": "https", "port": 443, "protocol": opt("TCP")}, object{"name": "dns", "port": 53, "protocol": "UDP"}},
			"sessionAffinity":       opt("None", "ClientIP"),
			"externalIPs":           opt([]any{"192.0.2.1"}, []any{"192.0.2.2"}),
			"internalTrafficPolicy": opt("Cluster", "Local"),
		}},
		status: object{"loadBalancer": object{"ingress": []any{object{"ip": one("192.0.2.7", "192.0.2.8")}}}},
	},
	"Deployment": {path: "/apis/apps/v1/namespaces/default/deployments", scale: true, object: object{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
		"spec": object{"replicas": opt(1, 2, 3), "selector": selector, "template": template, "paused": opt(true, false),
			"revisionHistoryLimit": opt(1, 2),
			"strategy": opt(object{"type": "Recreate"}, object{"type": "RollingUpdate", "rollingUpdate": object{"maxSurge": one(1, "25%")}},
				object{"rollingUpdate": object{"maxUnavailable": one(1, "50%")}})}},
		status: object{"replicas": one(1, 2), "conditions": []any{object{"type": "Available", "status": one("True", "False")}}},
	},
	"StatefulSet": {path: "/apis/apps/v1/namespaces/default/statefulsets", scale: true, object: object{
		"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata,
		"spec": object{"replicas": opt(1, 2), "selector": selector, "template": template, "serviceName": "web",
			"minReadySeconds": opt(1, 2), "updateStrategy": opt(object{"type": "RollingUpdate", "rollingUpdate": object{"partition": one(1, 2)}})}},
		status: object{"replicas": one(1, 2), "currentRevision": opt("a", "b")},
	},
	"CronJob": {path: "/apis/batch/v1/namespaces/default/cronjobs", object: object{
		"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata,
		"spec": object{"schedule": one("0 * * * *", "1 * * * *"), "suspend": opt(true, false), "concurrencyPolicy": opt("Forbid", "Allow"),
			"jobTemplate": object{"spec": object{"backoffLimit": opt(1, 2), "template": object{"spec": object{"restartPolicy": one("Never", "OnFailure"),
				"containers": some{container, object{"name": "second", "image": "a:1"}}, "volumes": []any{object{"name": "data", "emptyDir": object{}}}}}}}}},
		status: object{"lastScheduleTime": one("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")},
	},
	"HorizontalPodAutoscaler": {path: "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
		other: "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers", object: object{
			"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": metadata,
			"spec": object{"minReplicas": opt(1, 2), "maxReplicas": one(5, 6), "scaleTargetRef": object{"apiVersion": "apps/v1", "kind": "Deployment", "name": one("web", "api")},
				"metrics":  opt([]any{object{"type": "Resource", "resource": object{"name": "cpu", "target": object{"type": "Utilization", "averageUtilization": one(50, 60)}}}}),
				"behavior": opt(object{"scaleDown": object{"stabilizationWindowSeconds": one(0, 60)}})}},
		status: object{"currentReplicas": one(1, 2), "desiredReplicas": 2, "currentMetrics": nil, "conditions": []any{}},
	},
	"Ingress": {path: "/apis/networking.k8s.io/v1/namespaces/default/ingresses", object: object{
		"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata,
		"spec": object{"ingressClassName": opt("a", "b"),
			"defaultBackend": object{"service": object{"name": one("a", "b"), "port": object{"number": one(80, 81)}}},
			"tls":            opt([]any{object{"hosts": []any{one("a.example.com", "b.example.com")}, "secretName": "s"}}),
			"rules": opt([]any{object{"host": one("a.example.com", "b.example.com"), "http": object{"paths": []any{
				object{"path": "/", "pathType": "Prefix", "backend": object{"service": object{"name": "a", "port": object{"name": "http"}}}}}}}})}},
		status: object{"loadBalancer": object{"ingress": []any{object{"hostname": one("lb1", "lb2")}}}},
	},
	"NetworkPolicy": {path: "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", object: object{
		"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata,
		"spec": object{"podSelector": one(object{}, selector), "policyTypes": opt([]any{"Ingress"}, []any{"Ingress", "Egress"}),
			"ingress": opt([]any{object{"ports": []any{object{"port": one(80, "http")}}}})}},
	},
	"ClusterRole": {path: "/apis/rbac.authorization.k8s.io/v1/clusterroles", object: object{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": metadata,
		"rules":           opt([]any{object{"apiGroups": []any{""}, "resources": []any{one("pods", "secrets")}, "verbs": []any{"get"}}}),
		"aggregationRule": opt(object{"clusterRoleSelectors": []any{object{"matchLabels": object{"agg": one("a", "b")}}}}),
	}},
	"PodDisruptionBudget": {path: "/apis/policy/v1/namespaces/default/poddisruptionbudgets", object: object{
		"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata,
		"spec": object{"minAvailable": opt(1, "50%"), "selector": opt(selector, object{"matchLabels": object{"app": "api"}}),
			"unhealthyPodEvictionPolicy": opt("AlwaysAllow", "IfHealthyBudget")}},
		status: object{"currentHealthy": one(1, 2), "desiredHealthy": 1, "disruptionsAllowed": 0, "expectedPods": 1},
	},
	"Granular": {path: "/apis/test.krm-fields.dev/v1/namespaces/default/granulars", object: object{
		"apiVersion": "test.krm-fields.dev/v1", "kind": "Granular", "metadata": metadata,
		"spec": opt(object{"size": opt(1, 2, 3), "mode": opt("a", "b"), "enabled": opt(true, false), "port": opt(80, "http"),
			"hosts":  opt([]any{"a"}, []any{"a", "b"}, []any{}),
			"routes": opt([]any{object{"host": one("a", "b"), "weight": one(10, 90)}}),
			"labels": opt(object{"x": one("1", "2"), "y": opt("1")}, object{}),
			"inner":  opt(object{"a": opt("1", "2"), "b": opt(object{"c": opt(1, 2), "d": opt("1", "2")})})})},
		status: object{"phase": one("Ready", "Pending"), "count": opt(1, 2)},
	},
	"Atomic": {path: "/apis/test.krm-fields.dev/v1/namespaces/default/atomics", object: object{
		"apiVersion": "test.krm-fields.dev/v1", "kind": "Atomic", "metadata": metadata,
		"spec": opt(object{"limits": opt(object{"cpu": one("1", "2"), "memory": opt("1")}), "selector": opt(object{"app": one("a", "b"), "tier": opt("c")}),
			"names": opt(some{"a", "b", "c"}), "numbers": opt(some{1, 2, 3}), "pairs": opt([]any{object{"k": one("a", "b"), "v": "1"}})})},
	},
	"Keyed": {path: "/apis/test.krm-fields.dev/v1/namespaces/default/keyeds", other: "/apis/test.krm-fields.dev/v2/namespaces/default/keyeds", alike: true,
		object: object{
			"apiVersion": "test.krm-fields.dev/v1", "kind": "Keyed", "metadata": metadata,
			"spec": object{"replicas": opt(1, 2),
				"ports": opt(some{object{"port": 80, "name": opt("a", "b")}, object{"port": 80, "protocol": "UDP", "tags": opt(some{"x", "y"})}, object{"port": 443, "protocol": opt("TCP"), "tags": opt(some{"x", "y"})}}),
				"items": opt(some{object{"name": "a", "value": opt("1", "2")}, object{"name": "b", "nested": opt(some{object{"id": 1, "text": opt("x", "y")}, object{"id": 2}})}, object{"name": "c"}})}},
		status: object{"ready": one(true, false)},
	},
	"Open": {path: "/apis/test.krm-fields.dev/v1/namespaces/default/opens", object: object{
		"apiVersion": "test.krm-fields.dev/v1", "kind": "Open", "metadata": metadata,
		"spec": opt(object{"known": opt("a", "b"), "other": opt(1, "x", true), "map": opt(object{"a": one(1, 2), "b": opt(object{"c": 1})}),
			"list": opt([]any{1, 2}, []any{object{"a": 1}}), "mixed": opt(object{"a": 1}, []any{1}, "s")}),
		"object": opt(object{"apiVersion": "v1", "kind": "Thing", "metadata": object{"name": "x", "labels": opt(object{"a": one("1", "2")}), "finalizers": opt(some{"f/1", "f/2"})},
			"spec": opt(object{"free": one(1, 2)})}),
	}},
}

// faults are mistakes in a package.
var faults = []object{
	{"metadata": object{"managedFields": []any{}}},
	{"unknown": 1},
	{"metadata": object{"unknown": 1}},
	{"metadata": object{"finalizers": []any{"example.com/a", "example.com/a"}}},
	{"metadata": object{"ownerReferences": []any{object{"apiVersion": "v1", "kind": "ConfigMap", "name": "x"}}}},
	{"metadata": object{"labels": "text"}},
	{"status": object{"phase": "Done"}},
	{"spec": 1},
	{"spec": object{"replicas": "text"}},
	{"metadata": object{"labels": nil}},
	{"metadata": object{"creationTimestamp": nil}},
}
