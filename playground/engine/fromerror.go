//go:build !nopatches

package engine

import (
	"github.com/krm-fields/krm-fields/internal/author/suggest"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

func init() { operations["fromError"] = answering(fromError) }

// fromErrorRequest asks for rules for the text of a failed apply.
type fromErrorRequest struct {
	Manifests string `json:"manifests"`
	Failed    string `json:"failed"`
}

// fromErrorAnswer has the rules, and an ApplyPatches that mends what else is wrong; "" for none.
type fromErrorAnswer struct {
	Config  string   `json:"config"`
	Patches string   `json:"patches"`
	Notes   []Result `json:"notes"`
}

func fromError(q fromErrorRequest) (fromErrorAnswer, error) {
	a := fromErrorAnswer{Notes: []Result{}}
	desired, _ := read(inManifests, q.Manifests) // invalid manifests are as good as none
	options := suggest.Options{Name: suggest.DefaultName}
	out, err := suggest.FromError(q.Failed, desired.copies(), options)
	if err == nil && out.Config == nil && out.Patches == nil { // it may be about other manifests
		out, err = suggest.FromError(q.Failed, nil, options)
	}
	if err != nil {
		return a, err
	}
	a.Notes = resultsOf(out.Results, desired.objects)
	if out.Config != nil {
		a.Config, err = textOf([]*object.Object{object.NewDocument(out.Config)})
	}
	if err == nil && out.Patches != nil {
		a.Patches, err = textOf([]*object.Object{object.NewDocument(out.Patches)})
	}
	return a, err
}
