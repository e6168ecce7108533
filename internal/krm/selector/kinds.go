package selector

import "slices"

// APIVersion is that of the functionConfigs.
const APIVersion = "fn.kpt.dev/v1alpha1"

// functionConfigs are the names of their kinds, whose table is in package fn.
var functionConfigs []string

// SetFunctionConfigs sets the kinds of functionConfig. It must be called before anything is read.
func SetFunctionConfigs(kinds []string) { functionConfigs = kinds }

// isFunctionConfig tells whether an apiVersion and a kind are those of a functionConfig.
func isFunctionConfig(apiVersion, kind string) bool {
	return apiVersion == APIVersion && slices.Contains(functionConfigs, kind)
}
