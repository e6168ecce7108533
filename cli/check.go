package cli

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// checkConflicts checks flags that go badly together with --check.
func (o runOptions) checkConflicts() error {
	switch {
	case !o.check:
		return nil
	case o.inPlace:
		return errors.New("--check and --in-place must not be given together: --check writes nothing")
	case o.strict:
		return errors.New("--check and --strict must not be given together: a rule that has been carried out matches nothing")
	case len(o.live) > 0:
		return errors.New("--check and --live must not be given together: what comes of live objects is for one apply")
	case o.operations != "":
		return errors.New("--check and --operations must not be given together: operations do their work each time")
	}
	return nil
}

// checkSteps are the steps as --check carries them out.
func checkSteps(steps []step) ([]step, error) {
	out := slices.Clone(steps)
	for i, s := range steps {
		if kind := s.kind(); !kind.ReadsLive {
			return nil, fmt.Errorf("with --check, %s must be of kind %s, found %s, which may change something in each run",
				s.path, ignorefields.Kind, kind.Name)
		}
		if err := checkAction(s); err != nil {
			return nil, err
		}
		out[i].functionConfig = checking(s.functionConfig)
	}
	return out, nil
}

// checkAction refuses an action that does its work with live objects.
func checkAction(s step) error {
	fields := s.functionConfig
	if tree.GetString(fields, "kind") == "ConfigMap" {
		fields = tree.Get(fields, "data")
	}
	action := ignorefields.ActionName(tree.GetString(fields, "action"))
	if ignorefields.ActionOf(action).Effect != ignorefields.TakenFromLive {
		return nil
	}
	what := "--action must not be "
	if s.path != "" {
		what = s.path + " must not have action: "
	}
	return fmt.Errorf("with --check, %s%s, which needs live objects: what comes of them is for one apply", what, action)
}

// errNothingToCheck is no success, since a pipe hides that what renders the manifests has failed.
var errNothingToCheck = errors.New("with --check, there must be manifests, found none; see whether what renders them has failed")

// checking returns a functionConfig to which it is no fault that a rule matches nothing, since that
// is what a rule does once it has been carried out. The object hash is that of the run which did
// it.
func checking(functionConfig *yaml.Node) *yaml.Node {
	config, ok := tree.Value(functionConfig).(map[string]any)
	if !ok {
		return functionConfig
	}
	if config["kind"] != "ConfigMap" {
		config["onMissing"], config["onNoMatch"], config["onHandover"] = "Ignore", "Ignore", "Ignore"
		config["objectHash"] = map[string]any{"emit": false}
		return tree.FromValue(config)
	}
	data, ok := config["data"].(map[string]any)
	if !ok {
		return functionConfig
	}
	data["onMissing"], data["onNoMatch"], data["objectHash"] = "Ignore", "Ignore", "false"
	return tree.FromValue(config)
}

// tellUndone tells what the functionConfigs would still do. It is an error if that is anything.
func (o runOptions) tellUndone(ran runOutcome, streams Streams) error {
	undone, count := map[report.Ref]bool{}, 0
	for _, item := range ran.changed {
		if item.Changed() {
			undone[report.RefOf(item.Root())] = true
			count++
		}
	}
	results := slices.Clone(ran.results)
	for i, r := range results {
		if r.Severity == report.SeverityInfo && undone[r.Ref] {
			results[i].Severity, results[i].Message = report.SeverityError, "not carried out: "+r.Message
		}
	}
	if count > 0 {
		results = append(results, report.Result{Severity: report.SeverityError, Message: undoneMessage(count)})
	}
	if err := o.outcome.report(results, streams.Err); err != nil {
		return err
	}
	if o.diff {
		if err := explain.WriteDiff(streams.Out, ran.changed, ran.out, hasColour(streams.Out)); err != nil {
			return err
		}
	}
	if fn.HasError(results) {
		return exitCode(1)
	}
	return nil
}

// undoneMessage names the usual cause: a host that did not run the function, and said nothing.
func undoneMessage(objects int) string {
	what := "1 object is not as the functionConfigs make it"
	if objects > 1 {
		what = fmt.Sprintf("%d objects are not as the functionConfigs make them", objects)
	}
	return what + "; kustomize runs a function only with --enable-alpha-plugins and --enable-exec, and says nothing without"
}
