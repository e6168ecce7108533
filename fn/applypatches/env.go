package applypatches

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// containerLists are the keys of lists of containers, whose environment the API server checks.
var containerLists = []string{"containers", "initContainers", "ephemeralContainers"}

// envFault is a variable in the environment of a container that the API server refuses.
type envFault struct {
	location location.Location
	message  string
}

// envFaults finds the variables in n, at the location, that the API server refuses.
func envFaults(l location.Location, n *tree.Node) (faults []envFault) {
	for key, value := range tree.Entries(n) {
		at := l.With(location.Key(key))
		elements := tree.Elements(value)
		if tree.IsMap(value) {
			faults = append(faults, envFaults(at, value)...)
		}
		for i, element := range elements {
			if slices.Contains(containerLists, key) {
				faults = append(faults, faultsOfContainer(at.With(location.Index(i)), element)...)
			} else if tree.IsMap(element) {
				faults = append(faults, envFaults(at.With(location.Index(i)), element)...)
			}
		}
	}
	return faults
}

func faultsOfContainer(l location.Location, container *tree.Node) (faults []envFault) {
	for i, variable := range tree.Elements(tree.Get(container, "env")) {
		at := l.With(location.Key("env")).With(location.Index(i))
		value, t := tree.Get(variable, "value"), tree.Type(tree.Get(variable, "value"))
		switch {
		case t == tree.Null:
		case t != tree.String:
			fix := "; write it in quotes, or string(…) around what an expression in it results in"
			if t == tree.Map || t == tree.List {
				fix = ""
			}
			faults = append(faults, envFault{at.With(location.Key("value")), "must be a string, found a " + t + fix})
		case hasValue(tree.Get(variable, "valueFrom")) && value.Text() != "":
			faults = append(faults, envFault{at, "must not have value beside valueFrom; " +
				`"replace: true" makes ensure replace the whole element, and remove takes one of the two out`})
		}
	}
	return faults
}

// envWarnings warns of the variables that the patches have made such that the API server refuses
// them.
func (j *job) envWarnings() (warnings []report.Result) {
	after := envFaults(nil, j.object.Root())
	if after == nil {
		return nil
	}
	before := map[string]bool{}
	for _, f := range envFaults(nil, j.object.Original()) {
		before[f.location.String()+config.Quote(f.message)] = true
	}
	for _, f := range after {
		if before[f.location.String()+config.Quote(f.message)] {
			continue
		}
		by := j.changes[len(j.changes)-1].by
		for _, c := range j.changes {
			if shared := min(len(c.location), len(f.location)); location.Compare(c.location[:shared], f.location[:shared]) == 0 {
				by = c.by
			}
		}
		warnings = append(warnings, j.newResult(report.SeverityWarning, report.ReasonLikelyMistake,
			fmt.Sprintf("%s: the API server will refuse %s: it %s", by, f.location, f.message)).At(f.location.String()))
	}
	return warnings
}
