package ignorefields

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Compared returns a functionConfig that strips from an object what a comparison with the cluster
// must not see: its action is Strip, it emits no object hash, and with always it has no condition
// OnSpokeChange.
func Compared(functionConfig *yaml.Node, always bool) *yaml.Node {
	config, ok := tree.Value(functionConfig).(map[string]any)
	if !ok {
		return functionConfig
	}
	switch config["kind"] {
	case Kind:
		config["action"] = string(Strip)
		delete(config, "annotate")
		delete(config, "live")
		hash, _ := config["objectHash"].(map[string]any)
		if hash == nil {
			hash = map[string]any{}
		}
		hash["emit"] = false
		config["objectHash"], config["onHandover"] = hash, "Ignore"
		rules, _ := config["ignoreFields"].([]any)
		for _, rule := range rules {
			if rule, ok := rule.(map[string]any); ok && always {
				delete(rule, "condition")
			}
		}
	case "ConfigMap":
		data, _ := config["data"].(map[string]any)
		if data == nil {
			return functionConfig
		}
		data["action"] = string(Strip)
		data["objectHash"] = "false"
		if always {
			delete(data, "condition")
		}
	default:
		return functionConfig
	}
	return tree.FromValue(config)
}
