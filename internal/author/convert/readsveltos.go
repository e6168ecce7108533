package convert

import (
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// fromSveltos reads the driftExclusions of Sveltos, which have the form of Flux's rules
// (libsveltos, api/v1beta1, DriftExclusion, and addon-controller, api/v1beta1/spec.go).
var fromSveltos = Source{Name: "sveltos", Title: "Sveltos", Holds: "a ClusterProfile or a Profile of Sveltos", read: readSveltos}

func readSveltos(root *tree.Node) []*source {
	o := selector.Of(root)
	if o.Group != "config.projectsveltos.io" || o.Kind != "ClusterProfile" && o.Kind != "Profile" {
		return nil
	}
	return readPathRules(root, "Sveltos", "driftExclusions", "spec")
}
