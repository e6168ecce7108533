package merge

import (
	"reflect"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

func isService(kind *schema.Kind) bool { return kind.GVK == schema.GVK{Version: "v1", Kind: "Service"} }

// keepAllocated makes of a Service that replaces another one what the API server does in
// pkg/registry/core/service before it validates it: what was allocated stays where it is still
// needed, and goes where it isn't. The Service is changed.
func keepAllocated(service, old map[string]any) {
	spec, _ := service["spec"].(map[string]any)
	was, _ := old["spec"].(map[string]any)
	if spec == nil || was == nil {
		return
	}
	keep := func(field string) {
		if value, ok := was[field]; ok && isUnset(spec[field]) {
			spec[field] = value
		}
	}
	drop := func(fields ...string) {
		for _, field := range fields {
			if reflect.DeepEqual(spec[field], was[field]) {
				delete(spec, field)
			}
		}
	}
	isSameIP := reflect.DeepEqual(spec["clusterIPs"], was["clusterIPs"])
	switch {
	case needsClusterIP(was) && needsClusterIP(spec):
		keep("clusterIP")
		keep("clusterIPs")
		keep("ipFamilies")
		keep("ipFamilyPolicy")
		if ip := spec["clusterIP"]; ip != was["clusterIP"] && isSameIP {
			spec["clusterIPs"] = []any{ip}
		}
	case needsClusterIP(was):
		if spec["clusterIP"] == was["clusterIP"] {
			drop("clusterIPs")
		} else if isUnset(spec["clusterIP"]) && isSameIP {
			delete(spec, "clusterIPs")
		}
		drop("clusterIP", "ipFamilies", "ipFamilyPolicy")
	}
	switch {
	case needsNodePort(was) && needsNodePort(spec):
		keepNodePorts(spec, was)
	case needsNodePort(was):
		dropNodePorts(spec, was)
	}
	switch {
	case needsHealthPort(was) && needsHealthPort(spec):
		keep("healthCheckNodePort")
	case needsHealthPort(was):
		drop("healthCheckNodePort")
	}
	if was["type"] == "LoadBalancer" && spec["type"] != "LoadBalancer" {
		drop("allocateLoadBalancerNodePorts", "loadBalancerClass")
	}
	if isExternal(was) && !isExternal(spec) {
		drop("externalTrafficPolicy")
	}
}

func isUnset(value any) bool {
	list, isList := value.([]any)
	return value == nil || value == "" || value == int64(0) || isList && len(list) == 0
}

func needsClusterIP(spec map[string]any) bool { return spec["type"] != "ExternalName" }

func needsNodePort(spec map[string]any) bool {
	return spec["type"] == "NodePort" || spec["type"] == "LoadBalancer"
}

func needsHealthPort(spec map[string]any) bool {
	return spec["type"] == "LoadBalancer" && spec["externalTrafficPolicy"] == "Local"
}

func isExternal(spec map[string]any) bool {
	return needsNodePort(spec) || spec["type"] == "ClusterIP" && !isUnset(spec["externalIPs"])
}

// portsOf are the ports of a Service, and the node ports that they have.
func portsOf(spec map[string]any) (ports []map[string]any, nodePorts map[any]bool) {
	list, _ := spec["ports"].([]any)
	nodePorts = map[any]bool{}
	for _, element := range list {
		if port, ok := element.(map[string]any); ok {
			ports = append(ports, port)
			if !isUnset(port["nodePort"]) {
				nodePorts[port["nodePort"]] = true
			}
		}
	}
	return ports, nodePorts
}

// keepNodePorts gives ports that have no node port the one of the old port of their name.
func keepNodePorts(spec, was map[string]any) {
	ports, isUsed := portsOf(spec)
	old, wasUsed := portsOf(was)
	byName := map[any]any{}
	for _, port := range old {
		byName[nameOf(port)] = port["nodePort"]
	}
	for _, port := range ports {
		if before := byName[nameOf(port)]; isUnset(port["nodePort"]) && !isUnset(before) && (!isUsed[before] || !wasUsed[before]) {
			port["nodePort"] = before
		}
	}
}

// nameOf is the name of a port, "" for none.
func nameOf(port map[string]any) string {
	name, _ := port["name"].(string)
	return name
}

// dropNodePorts takes the node ports from ports that need none, if none of them is new.
func dropNodePorts(spec, was map[string]any) {
	ports, isUsed := portsOf(spec)
	_, wasUsed := portsOf(was)
	for nodePort := range isUsed {
		if !wasUsed[nodePort] {
			return
		}
	}
	for _, port := range ports {
		delete(port, "nodePort")
	}
}
