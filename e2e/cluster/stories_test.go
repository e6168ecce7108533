package cluster

import (
	"fmt"
	"net/http"
)

const (
	anyDeployment = iota
	anySecret
)

// stories are the steps of histories: what people and controllers do to an object of a kind.
var stories = []struct {
	name string
	kind int
	tell func(h *history)
}{
	{"we apply", anyDeployment, func(h *history) { h.apply("kubectl", h.ours, false) }},
	{"we apply by force", anyDeployment, func(h *history) { h.apply("kubectl", h.ours, true) }},
	{"an autoscaler takes over", anyDeployment, func(h *history) {
		h.api.patch(h.path+"/scale", "hpa", mergePatch, object{"spec": object{"replicas": h.number()}}, false)
	}},
	{"someone scales by hand", anyDeployment, func(h *history) {
		h.api.patch(h.path, "kubectl-edit", mergePatch, object{"spec": object{"replicas": h.number()}}, false)
	}},
	{"we leave replicas out", anyDeployment, func(h *history) { delete(inner(h.ours, "spec"), "replicas") }},
	{"we set replicas", anyDeployment, func(h *history) { inner(h.ours, "spec")["replicas"] = h.number() }},
	{"we release an image", anyDeployment, func(h *history) { h.container()["image"] = h.image() }},
	{"another tool applies the same file", anyDeployment, func(h *history) { h.apply("flux", h.ours, true) }},
	{"helm had installed it", anyDeployment, func(h *history) { h.api.patch(h.path, "helm", mergePatch, h.ours, false) }},
	{"a team splits the file", anyDeployment, func(h *history) {
		h.apply("team", h.deployment(object{"name": "main", "image": h.image(), "env": []any{h.env("SHARED"), h.env("TEAM")}}), true)
	}},
	{"an element is shared", anyDeployment, func(h *history) { h.container()["env"] = []any{h.env("OURS"), h.env("SHARED")} }},
	{"a key is renamed", anyDeployment, func(h *history) { h.container()["env"] = []any{h.env(fmt.Sprint("RENAMED", h.number()))} }},
	{"a value moves", anyDeployment, func(h *history) {
		ref := object{"configMapKeyRef": object{"name": "settings", "key": "ours"}}
		h.container()["env"] = []any{object{"name": "OURS", "valueFrom": ref}}
	}},
	{"we apply", anySecret, func(h *history) { h.apply("kubectl", h.ours, false) }},
	{"we apply by force", anySecret, func(h *history) { h.apply("kubectl", h.ours, true) }},
	{"the password is rotated", anySecret, func(h *history) {
		h.api.patch(h.path, "rotator", mergePatch, object{"data": object{"password": h.secret()}}, false)
	}},
	{"we write data", anySecret, func(h *history) { h.ours = h.secretWith("data", object{"password": h.secret()}) }},
	{"a key is renamed", anySecret, func(h *history) { h.ours = h.secretWith("data", object{"pass": h.secret()}) }},
	{"another tool applies the same file", anySecret, func(h *history) { h.apply("flux", h.ours, true) }},
}

func (h *history) number() int    { return 1 + h.r.IntN(3) }
func (h *history) image() string  { return fmt.Sprint("app:", h.number()) }
func (h *history) secret() string { return pick(h.r, []string{"b25l", "dHdv", "dGhyZWU="}) }

func (h *history) env(name string) object {
	return object{"name": name, "value": fmt.Sprint(h.number())}
}

func (h *history) apply(manager string, config object, force bool) {
	h.api.patch(h.path, manager, applyPatch, config, force)
}

func (h *history) meta() object { return object{"name": h.name, "namespace": "default"} }

func (h *history) deployment(container object) object {
	labels := object{"app": "a"}
	return object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": h.meta(), "spec": object{
		"replicas": 1, "selector": object{"matchLabels": labels},
		"template": object{"metadata": object{"labels": labels}, "spec": object{"containers": []any{container}}},
	}}
}

func (h *history) container() object {
	pod := inner(inner(inner(h.ours, "spec"), "template"), "spec")
	return pod["containers"].([]any)[0].(object)
}

func (h *history) secretWith(field string, values object) object {
	return object{"apiVersion": "v1", "kind": "Secret", "metadata": h.meta(), field: values}
}

// begin writes the first package and applies it.
func (h *history) begin() {
	h.path = "/apis/apps/v1/namespaces/default/deployments/" + h.name
	h.ours = h.deployment(object{"name": "main", "image": h.image()})
	if h.kind == anySecret {
		h.path = "/api/v1/namespaces/default/secrets/" + h.name
		h.ours = h.secretWith("data", object{"password": h.secret()})
	}
	h.apply("kubectl", h.ours, false)
}

func (h *history) remove() { h.api.do(http.MethodDelete, h.path, "application/json", nil) }
