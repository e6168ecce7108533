package cli

import (
	"errors"
	"fmt"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
)

// checkConflicts checks flags that go badly together with --check.
func (o runOptions) checkConflicts() error {
	switch {
	case !o.check:
		return nil
	case o.inPlace:
		return errors.New("--check and --in-place must not be given together: --check writes nothing")
	case o.strict:
		return errors.New("--check and --strict must not be given together: a rule whose fields are already stripped matches nothing")
	case o.hasLive():
		return errors.New("--check and --live must not be given together: a result with live objects is good for one apply only")
	case o.operations != "":
		return errors.New("--check and --operations must not be given together: operations change the objects in each run")
	}
	return nil
}

// checkSteps refuses functionConfigs that --check can't run.
func checkSteps(steps []hostless.Step) error {
	for _, s := range steps {
		if kind := s.Kind(); !kind.ReadsLive {
			return fmt.Errorf("with --check, %s must be of kind %s, found %s, which may change something in each run",
				s.Path, ignorefields.Kind, kind.Name)
		}
		if err := checkAction(s); err != nil {
			return err
		}
	}
	return nil
}

// checkAction refuses an action that does its work with live objects.
func checkAction(s hostless.Step) error {
	action := ignorefields.ActionIn(s.FunctionConfig)
	if ignorefields.ActionOf(action).Effect != ignorefields.TakenFromLive {
		return nil
	}
	what := "--action must not be "
	if s.Path != "" {
		what = s.Path + " must not have action: "
	}
	return fmt.Errorf("with --check, %s%s, which needs live objects: a result with live objects is good for one apply only", what, action)
}

// errNothingToCheck is no success, since a pipe hides that what renders the manifests has failed.
var errNothingToCheck = errors.New("with --check, there must be manifests, found none; check whether the command that renders them has failed")

// undoneMessage names the usual cause: a host that did not run the function, and said nothing.
func undoneMessage(objects int) string {
	what := "1 object is not as the functionConfigs would leave it"
	if objects > 1 {
		what = fmt.Sprintf("%d objects are not as the functionConfigs would leave them", objects)
	}
	return what + "; kustomize runs a function only with --enable-alpha-plugins and --enable-exec, and skips it silently without them"
}
