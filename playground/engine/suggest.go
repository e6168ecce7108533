package engine

import (
	"bytes"
	"errors"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/suggest"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// suggestRequest asks for rules: for the difference to the live objects, or where there are none
// for the fields that the manifests themselves say are others'.
type suggestRequest struct {
	Manifests string `json:"manifests"`
	Live      string `json:"live"`
}

// suggestAnswer is a functionConfig; "" where no field needs a rule.
type suggestAnswer struct {
	Config  string   `json:"config"`
	Results []Result `json:"results"`
	Errors  []*Fault `json:"errors"`
}

func suggestRules(q suggestRequest) (suggestAnswer, error) {
	a := suggestAnswer{Results: []Result{}, Errors: []*Fault{}}
	desired, fault := read(inManifests, q.Manifests)
	if fault != nil {
		a.Errors = append(a.Errors, fault)
	}
	live, fault := read(inLive, q.Live)
	if fault != nil {
		a.Errors = append(a.Errors, fault)
	}
	if len(a.Errors) > 0 {
		return a, nil
	}
	out, err := suggested(desired.copies(), live.copies())
	if err != nil {
		return a, err
	}
	a.Results = resultsOf(out.Results, desired.objects, live.objects)
	if out.Config == nil || fn.HasError(out.Results) {
		return a, nil
	}
	a.Config, err = textOf([]*object.Object{object.NewDocument(out.Config)})
	return a, err
}

// suggested suggests rules from what is there.
func suggested(desired, live []*object.Object) (suggest.Suggestions, error) {
	options := suggest.Options{Name: suggest.DefaultName, FieldManager: suggest.DefaultFieldManager}
	if len(live) == 0 {
		return suggest.FromOwners(desired, options)
	}
	out, err := suggest.Suggest(&world.World{
		Objects: desired, Live: live, HasLive: true, As: managedfields.Tools[0], Manager: managedfields.Kubectl,
	}, options)
	if err == nil && out.Compared == 0 && !fn.HasError(out.Results) {
		return out, errors.New("the live objects must have one of the manifests, by group, kind, namespace and name, found none")
	}
	return out, err
}

// textOf writes objects as a stream.
func textOf(objects []*object.Object) (string, error) {
	var text bytes.Buffer
	err := manifests.WriteStream(&text, objects)
	return text.String(), err
}
