// Package plural names the resources of kinds.
package plural

import "strings"

// Of returns the name of a kind's resource as k8s.io/apimachinery/pkg/api/meta.UnsafeGuessKindToResource guesses it:
// deployments of Deployment, but gatewaies of Gateway. It knows no exceptions, as the API server does.
func Of(kind string) string {
	name := strings.ToLower(kind)
	switch {
	case name == "", strings.HasSuffix(name, "endpoints"):
		return name
	case strings.HasSuffix(name, "s"):
		return name + "es"
	case strings.HasSuffix(name, "y"):
		return strings.TrimSuffix(name, "y") + "ies"
	}
	return name + "s"
}
