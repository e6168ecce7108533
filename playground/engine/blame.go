package engine

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/author/locate"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/world"
)

// blameAnswer says who owns the fields of the manifests on the cluster.
type blameAnswer struct {
	Fields []Owned `json:"fields"`
	// Results say which objects have no owners that are known.
	Results []Result `json:"results"`
}

// Owned is a field of the manifests that has owners.
type Owned struct {
	Line   int     `json:"line"`
	Path   string  `json:"path"`
	Owners []owner `json:"owners"`
}

type owner struct {
	Manager string `json:"manager"`
	// Text is the owner as locate shows it, and the time of its last change.
	Text string `json:"text"`
}

func blame(q runRequest) (blameAnswer, error) {
	a := blameAnswer{Fields: []Owned{}, Results: []Result{}}
	t, fault := read(inManifests, q.Manifests)
	live, liveFault := read(inLive, q.Live)
	if fault != nil || liveFault != nil || !q.hasLive() {
		return a, nil
	}
	objects := slices.DeleteFunc(slices.Clone(t.objects), hostless.IsLocal)
	all, results, err := locate.NewBlame(&world.World{Objects: objects, Live: live.objects, HasLive: true}, []*manifests.File{t.file}, 0, true)
	if err != nil {
		return a, err
	}
	a.Results = resultsOf(results, t.objects)
	for _, f := range locate.Fields(all) {
		if len(f.Owners) == 0 {
			continue
		}
		owned := Owned{Line: f.Line, Path: f.Path}
		for _, o := range f.Owners {
			owned.Owners = append(owned.Owners, owner{o.Manager, strings.TrimSuffix(o.String()+" since "+o.Time, " since ")})
		}
		a.Fields = append(a.Fields, owned)
	}
	return a, nil
}
