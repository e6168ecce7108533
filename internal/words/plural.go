package words

import "strings"

// Plural returns the name of a kind's resource: deployments of Deployment, policies of Policy,
// gateways of Gateway. It is a guess, since each CustomResourceDefinition has its own.
func Plural(kind string) string {
	name := strings.ToLower(kind)
	switch {
	case name == "", strings.HasSuffix(name, "endpoints"):
		return name
	case strings.HasSuffix(name, "s"):
		return name + "es"
	case strings.HasSuffix(name, "y") && !strings.ContainsAny(name[max(len(name)-2, 0):len(name)-1], "aeiou"):
		return strings.TrimSuffix(name, "y") + "ies"
	}
	return name + "s"
}
