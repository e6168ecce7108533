package engine

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/author/locate"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
)

// blameAnswer says who owns the fields of the manifests on the cluster.
type blameAnswer struct {
	Fields []Owned `json:"fields"`
	// Results say which objects have no owners that are known.
	Results []Result `json:"results"`
}

// Owned is a field of the manifests that has owners.
type Owned struct {
	Line   int            `json:"line"`
	Path   string         `json:"path"`
	Owners []locate.Owner `json:"owners"`
}

func blame(q runRequest) (blameAnswer, error) {
	a := blameAnswer{Fields: []Owned{}, Results: []Result{}}
	t, fault := read(inManifests, q.Manifests)
	live, liveFault := read(inLive, q.Live)
	if fault != nil || liveFault != nil || !q.hasLive() {
		return a, nil
	}
	objects := slices.DeleteFunc(slices.Clone(t.objects), hostless.IsLocal)
	all, results := locate.NewBlame([]*manifests.File{t.file}, objects, live.objects, 0)
	a.Results = resultsOf(results, t.objects)
	for _, f := range locate.Fields(all) {
		if len(f.Owners) > 0 {
			a.Fields = append(a.Fields, Owned{f.Line, f.Path, f.Owners})
		}
	}
	return a, nil
}
