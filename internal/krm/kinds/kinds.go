// Package kinds knows the names of the kinds of functionConfig. Their table is in package fn, which
// sets the names here for the packages that it imports.
package kinds

import "slices"

// APIVersion is that of the functionConfigs.
const APIVersion = "fn.kpt.dev/v1alpha1"

var names []string

// Set sets the names. It must be called before anything is read.
func Set(all []string) { names = all }

// Has tells whether an apiVersion and a kind are those of a functionConfig.
func Has(apiVersion, kind string) bool {
	return apiVersion == APIVersion && slices.Contains(names, kind)
}
