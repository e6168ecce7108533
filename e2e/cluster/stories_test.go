package cluster

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// The kinds of the objects of histories.
const (
	anyDeployment = "Deployment"
	anySecret     = "Secret"
	anySettings   = "ConfigMap"
	anyAutoscaler = "HorizontalPodAutoscaler"
	anyKeyed      = "Keyed"
)

// A subject is a kind of objects that histories are of.
type subject struct {
	// paths are the paths of the API server's list by the version of the kind.
	paths map[string]string
	// first is the first package.
	first func(h *history) object
	// rules are the paths that rules of a history may be for, and managers those whose fields they
	// may be for.
	rules    []string
	managers []string
}

var subjects = map[string]subject{
	anyDeployment: {
		paths: map[string]string{"apps/v1": "/apis/apps/v1/namespaces/default/deployments"},
		first: func(h *history) object { return h.deployment(object{"name": "main", "image": h.image()}) },
		rules: []string{"spec.replicas", `spec.template.spec.containers[name="main"].image`, `spec.template.spec.containers[name="main"].env`,
			`spec.template.spec.containers[name="main"].env[name="OURS"].value`, "spec.template.spec.tolerations", "metadata.labels.team"},
		managers: []string{"hpa", "updater", "team", "injector", "pools", "vault", "controller", "flux"},
	},
	anySecret: {
		paths:    map[string]string{"v1": "/api/v1/namespaces/default/secrets"},
		first:    func(h *history) object { return h.secretWith("data", object{"password": h.secret()}) },
		rules:    []string{"data.password", "stringData.password", "data.token"},
		managers: []string{"rotator", "issuer", "controller", "flux"},
	},
	anySettings: {
		paths: map[string]string{"v1": "/api/v1/namespaces/default/configmaps"},
		first: func(h *history) object {
			return h.settings(object{"data": object{"color": h.secret(), "size": h.secret()}})
		},
		rules:    []string{"data.color", "binaryData.color", "data.size", "metadata.labels.team"},
		managers: []string{"painter", "controller"},
	},
	anyAutoscaler: {
		paths: map[string]string{
			"autoscaling/v1": "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers",
			"autoscaling/v2": "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
		},
		first:    func(h *history) object { return h.autoscaler(pick(h.r, []string{"autoscaling/v1", "autoscaling/v2"})) },
		rules:    []string{"spec.minReplicas", "spec.maxReplicas", "spec.metrics"},
		managers: []string{"bounds", "tuner", "controller"},
	},
	anyKeyed: {
		paths: map[string]string{
			"test.krm-fields.dev/v1": "/apis/test.krm-fields.dev/v1/namespaces/default/keyeds",
			"test.krm-fields.dev/v2": "/apis/test.krm-fields.dev/v2/namespaces/default/keyeds",
		},
		first: func(h *history) object {
			return h.keyed(object{"replicas": h.number(), "ports": []any{object{"port": 80, "name": "http"}}, "items": []any{h.env("OURS")}})
		},
		rules:    []string{"spec.replicas", "spec.items", `spec.items[name="OURS"].value`, "metadata.labels.team"},
		managers: []string{"team", "namer", "kubectl-edit", "controller"},
	},
}

// kindsOfHistories are the kinds, those of which histories are more often several times.
var kindsOfHistories = []string{anyDeployment, anyDeployment, anyDeployment, anySecret, anySettings, anyAutoscaler, anyKeyed}

// A story is what people or controllers do to an object of some kinds.
type story struct {
	name string
	of   []string // the kinds; nil for all
	tell func(h *history)
}

var stories = []story{
	{"we apply", nil, func(h *history) { h.apply(h.manager, h.ours, false) }},
	{"we apply by force", nil, func(h *history) { h.apply(h.manager, h.ours, true) }},
	{"krm-fields applies", nil, func(h *history) { h.isApplied = true }},
	{"another tool applies the same file", nil, func(h *history) { h.apply("flux", h.ours, true) }},
	{"helm had installed it", nil, func(h *history) { h.patch("", "helm", mergePatch, h.ours) }},
	{"the tool is changed", nil, func(h *history) {
		h.manager = map[string]string{"kubectl": "kluctl", "kluctl": "kubectl"}[h.manager]
		h.apply(h.manager, h.ours, true)
	}},
	{"the tool is changed, and the file", nil, func(h *history) {
		h.manager = map[string]string{"kubectl": "kluctl", "kluctl": "kubectl"}[h.manager]
		delete(h.meta(), "labels")
		if h.kind == anyDeployment {
			delete(h.container(), "env")
		}
		h.apply(h.manager, h.ours, true)
	}},
	{"it is deleted, and another tool brings it back", nil, func(h *history) {
		h.api.do(http.MethodDelete, h.path(), "application/json", nil)
		h.apply("flux", h.ours, true)
	}},
	{"a rule is added", nil, func(h *history) { h.rules[pick(h.r, subjects[h.kind].rules)] = pick(h.r, actions) }},
	{"two rules are added", nil, func(h *history) {
		for range 2 {
			h.rules[pick(h.r, subjects[h.kind].rules)] = pick(h.r, actions)
		}
	}},
	{"a rule of a manager is added", nil, func(h *history) {
		h.rules[ofManager+pick(h.r, subjects[h.kind].managers)] = pick(h.r, actions)
	}},
	{"the rules are removed", nil, func(h *history) { clear(h.rules) }},
	{"a controller labels it", nil, func(h *history) {
		h.patch("", "controller", mergePatch, object{"metadata": object{"labels": object{"team": h.word()}, "annotations": object{"seen": h.word()}}})
	}},
	{"we label it", nil, func(h *history) { h.meta()["labels"] = object{"team": h.word()} }},
	{"we drop the labels", nil, func(h *history) { delete(h.meta(), "labels") }},

	{"an autoscaler takes over", []string{anyDeployment}, func(h *history) {
		h.patch("/scale", "hpa", mergePatch, object{"spec": object{"replicas": h.number()}})
	}},
	{"an autoscaler is created", []string{anyDeployment}, func(h *history) {
		h.others = []object{h.autoscaler("autoscaling/v2")}
	}},
	{"someone scales by hand", []string{anyDeployment, anyKeyed}, func(h *history) {
		h.patch("", "kubectl-edit", mergePatch, object{"spec": object{"replicas": h.number()}})
	}},
	{"we leave replicas out", []string{anyDeployment, anyKeyed}, func(h *history) { delete(inner(h.ours, "spec"), "replicas") }},
	{"we set replicas", []string{anyDeployment, anyKeyed}, func(h *history) { inner(h.ours, "spec")["replicas"] = h.number() }},
	{"we release an image", []string{anyDeployment}, func(h *history) { h.container()["image"] = h.image() }},
	{"an image updater releases one", []string{anyDeployment}, func(h *history) {
		h.patchPod("updater", object{"containers": []any{object{"name": "main", "image": h.image()}}})
	}},
	{"a team splits the file", []string{anyDeployment}, func(h *history) {
		h.apply("team", h.deployment(object{"name": "main", "image": h.image(), "env": []any{h.env("SHARED"), h.env("TEAM")}}), true)
	}},
	{"an element is shared", []string{anyDeployment}, func(h *history) { h.container()["env"] = []any{h.env("OURS"), h.env("SHARED")} }},
	{"a key is renamed", []string{anyDeployment}, func(h *history) { h.container()["env"] = []any{h.env(fmt.Sprint("RENAMED", h.number()))} }},
	{"a value moves", []string{anyDeployment}, func(h *history) { h.container()["env"] = []any{movedEnv()} }},
	{"a value moves on the cluster", []string{anyDeployment}, func(h *history) {
		moved := movedEnv()
		moved["value"] = nil
		h.patchPod("vault", object{"containers": []any{object{"name": "main", "env": []any{moved}}}})
	}},
	{"a sidecar is injected", []string{anyDeployment}, func(h *history) {
		h.patchPod("injector", object{"containers": []any{object{"name": "proxy", "image": h.image(), "ports": []any{object{"containerPort": 15001}}}}})
	}},
	{"we write the sidecar, too", []string{anyDeployment}, func(h *history) {
		h.pod()["containers"] = []any{h.container(), object{"name": "proxy", "image": h.image(), "ports": []any{object{"containerPort": 15001}}}}
	}},
	{"the scheduler's tolerations", []string{anyDeployment}, func(h *history) { h.patchPod("pools", object{"tolerations": h.tolerations()}) }},
	{"our tolerations", []string{anyDeployment}, func(h *history) { h.pod()["tolerations"] = h.tolerations() }},
	{"the status is written", []string{anyDeployment}, func(h *history) {
		h.patch("/status", "kube-controller-manager", mergePatch, object{"status": object{"replicas": h.number(), "observedGeneration": h.number()}})
	}},
	{"it is stopped by hand", []string{anyDeployment}, func(h *history) { h.patch("", "kubectl-edit", mergePatch, object{"spec": object{"paused": true}}) }},

	{"the password is rotated", []string{anySecret}, func(h *history) {
		h.patch("", "rotator", mergePatch, object{"data": object{"password": h.secret()}})
	}},
	{"a token is added", []string{anySecret}, func(h *history) {
		h.patch("", "issuer", mergePatch, object{"data": object{"token": h.secret()}})
	}},
	{"we write data", []string{anySecret}, func(h *history) { h.write(h.secretWith("data", object{"password": h.secret()})) }},
	{"we write stringData", []string{anySecret}, func(h *history) { h.write(h.secretWith("stringData", object{"password": h.word()})) }},
	{"we write both", []string{anySecret}, func(h *history) {
		both := h.secretWith("data", object{"password": h.secret(), "token": h.secret()})
		both["stringData"] = object{pick(h.r, []string{"password", "user"}): h.word()}
		h.write(both)
	}},
	{"a key is renamed", []string{anySecret}, func(h *history) { h.write(h.secretWith("data", object{"pass": h.secret()})) }},

	{"we change a color", []string{anySettings}, func(h *history) {
		h.write(h.settings(object{"data": object{"color": h.secret(), "size": "1"}}))
	}},
	{"someone changes the color", []string{anySettings}, func(h *history) {
		h.patch("", pick(h.r, []string{"kubectl-edit", "painter"}), mergePatch, object{"data": object{"color": h.secret()}})
	}},
	{"the color moves", []string{anySettings}, func(h *history) {
		h.write(h.settings(object{"binaryData": object{"color": h.secret()}, "data": object{"size": h.secret()}}))
	}},
	{"the color moves on the cluster", []string{anySettings}, func(h *history) {
		h.patch("", "painter", mergePatch, object{"binaryData": object{"color": h.secret()}, "data": object{"color": nil}})
	}},

	{"we change the bounds", []string{anyAutoscaler}, func(h *history) {
		spec := inner(h.ours, "spec")
		spec["minReplicas"], spec["maxReplicas"] = h.number(), 3+h.number()
	}},
	{"we write the other version", []string{anyAutoscaler}, func(h *history) {
		h.write(h.autoscaler(map[string]string{"autoscaling/v1": "autoscaling/v2", "autoscaling/v2": "autoscaling/v1"}[h.version()]))
	}},
	{"a program of v1 sets a bound", []string{anyAutoscaler}, func(h *history) {
		h.patchAs("autoscaling/v1", "bounds", object{"spec": object{"minReplicas": h.number()}})
	}},
	{"a program of v1 sets the target", []string{anyAutoscaler}, func(h *history) {
		h.patchAs("autoscaling/v1", "tuner", object{"spec": object{"targetCPUUtilizationPercentage": 50 + h.number()}})
	}},
	{"a program of v2 sets the behavior", []string{anyAutoscaler}, func(h *history) {
		behavior := object{"scaleDown": object{"stabilizationWindowSeconds": h.number()}}
		h.patchAs("autoscaling/v2", "tuner", object{"spec": object{"behavior": behavior}})
	}},

	{"we change an item", []string{anyKeyed}, func(h *history) { inner(h.ours, "spec")["items"] = []any{h.env("OURS"), h.env("SHARED")} }},
	{"we drop the ports", []string{anyKeyed}, func(h *history) { delete(inner(h.ours, "spec"), "ports") }},
	{"a team adds an item by v2", []string{anyKeyed}, func(h *history) {
		config := h.keyed(object{"items": []any{h.env("SHARED"), h.env("TEAM")}})
		config["apiVersion"] = "test.krm-fields.dev/v2"
		h.api.patch(subjects[anyKeyed].paths["test.krm-fields.dev/v2"]+"/"+h.name, "team", applyPatch, config, true)
	}},
	{"a program of v2 names the port", []string{anyKeyed}, func(h *history) {
		h.patchAs("test.krm-fields.dev/v2", "namer", object{"spec": object{"ports": []any{object{"port": 80, "protocol": "TCP", "name": h.word()}}}})
	}},
	{"we write the other version", []string{anyKeyed}, func(h *history) {
		h.ours["apiVersion"] = map[string]string{"test.krm-fields.dev/v1": "test.krm-fields.dev/v2", "test.krm-fields.dev/v2": "test.krm-fields.dev/v1"}[h.version()]
	}},
}

// storiesOf are the stories of a kind.
func storiesOf(kind string) []story {
	return slices.DeleteFunc(slices.Clone(stories), func(s story) bool { return s.of != nil && !slices.Contains(s.of, kind) })
}

func (h *history) number() int    { return 1 + h.r.IntN(3) }
func (h *history) image() string  { return fmt.Sprint("app:", h.number()) }
func (h *history) word() string   { return pick(h.r, []string{"one", "two", "three"}) }
func (h *history) secret() string { return pick(h.r, []string{"b25l", "dHdv", "dGhyZWU="}) }

func (h *history) env(name string) object {
	return object{"name": name, "value": fmt.Sprint(h.number())}
}

func movedEnv() object {
	return object{"name": "OURS", "valueFrom": object{"configMapKeyRef": object{"name": "settings", "key": "ours"}}}
}

func (h *history) tolerations() []any { return []any{object{"key": h.word(), "operator": "Exists"}} }

func (h *history) version() string { return h.ours["apiVersion"].(string) }

// path is that of the object in the version of the package.
func (h *history) path() string { return subjects[h.kind].paths[h.version()] + "/" + h.name }

func (h *history) apply(manager string, config object, force bool) {
	h.api.patch(h.path(), manager, applyPatch, config, force)
}

// patch updates the object or a subresource of it.
func (h *history) patch(below, manager, how string, change object) {
	h.api.patch(h.path()+below, manager, how, change, false)
}

// patchAs updates the object in another version.
func (h *history) patchAs(version, manager string, change object) {
	h.api.patch(subjects[h.kind].paths[version]+"/"+h.name, manager, mergePatch, change, false)
}

// patchPod updates the template of the pods by a strategic merge patch.
func (h *history) patchPod(manager string, change object) {
	h.patch("", manager, "application/strategic-merge-patch+json", object{"spec": object{"template": object{"spec": change}}})
}

// write is another revision of the package, with the labels of the last one.
func (h *history) write(revision object) {
	if labels, ok := h.meta()["labels"]; ok {
		inner(revision, "metadata")["labels"] = labels
	}
	h.ours = revision
}

func (h *history) meta() object { return inner(h.ours, "metadata") }

func (h *history) newMeta() object { return object{"name": h.name, "namespace": "default"} }

func (h *history) deployment(container object) object {
	labels := object{"app": "a"}
	return object{"apiVersion": "apps/v1", "kind": anyDeployment, "metadata": h.newMeta(), "spec": object{
		"replicas": 1, "selector": object{"matchLabels": labels},
		"template": object{"metadata": object{"labels": labels}, "spec": object{"containers": []any{container}}},
	}}
}

func (h *history) pod() object { return inner(inner(inner(h.ours, "spec"), "template"), "spec") }

func (h *history) container() object { return h.pod()["containers"].([]any)[0].(object) }

func (h *history) secretWith(field string, values object) object {
	return object{"apiVersion": "v1", "kind": anySecret, "metadata": h.newMeta(), field: values}
}

func (h *history) settings(values object) object {
	maps.Copy(values, object{"apiVersion": "v1", "kind": anySettings, "metadata": h.newMeta()})
	return values
}

func (h *history) keyed(spec object) object {
	return object{"apiVersion": "test.krm-fields.dev/v1", "kind": anyKeyed, "metadata": h.newMeta(), "spec": spec}
}

func (h *history) autoscaler(version string) object {
	spec := object{
		"scaleTargetRef": object{"apiVersion": "apps/v1", "kind": anyDeployment, "name": h.name},
		"minReplicas":    h.number(), "maxReplicas": 3 + h.number(),
	}
	target := 60 + h.number()
	if strings.HasSuffix(version, "v1") {
		spec["targetCPUUtilizationPercentage"] = target
	} else {
		cpu := object{"name": "cpu", "target": object{"type": "Utilization", "averageUtilization": target}}
		spec["metrics"] = []any{object{"type": "Resource", "resource": cpu}}
	}
	return object{"apiVersion": version, "kind": anyAutoscaler, "metadata": h.newMeta(), "spec": spec}
}

func (h *history) remove() { h.api.do(http.MethodDelete, h.path(), "application/json", nil) }
