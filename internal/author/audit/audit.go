// Package audit tells of a whole cluster, as a stream of its live objects, where field managers are
// at odds. It keeps no object: only those that show the owners of others, and the rows of a table.
package audit

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/owners"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Problem is what is wrong with a field, or an object.
type Problem string

const (
	// Contested is a field that two appliers own: the next one that changes it has a conflict, or
	// takes it over.
	Contested Problem = "contested"
	// Claimed is a field that an applier owns alone, although another object says that it is its.
	Claimed Problem = "claimed"
	// SharedWhole is an atomic list or map with several owners: whoever changes it sets all of it.
	SharedWhole Problem = "sharedWhole"
	// LeftBehind is an entry of client-side apply beside that of a server-side apply.
	LeftBehind Problem = "leftBehind"
)

// problems are all of them in the order of the table, each with its heading.
var problems = []struct {
	Problem
	heading string
}{
	{Contested, "Contested: two appliers own the field, so the next one that changes it has a conflict or takes it over"},
	{Claimed, "Claimed: one applier owns the field alone, and another object sets it"},
	{SharedWhole, "Shared as a whole: several managers own an atomic list or map, so whoever changes it sets all of it"},
	{LeftBehind, "Left behind: an entry of client-side apply, which keeps fields that the package no longer has"},
}

// Finding is a problem of one object.
type Finding struct {
	Problem Problem    `json:"problem"`
	Object  report.Ref `json:"object"`
	// Field is as the API server writes it; "" for LeftBehind.
	Field    string   `json:"field,omitempty"`
	Managers []string `json:"managers"`
	// Owner is the object that says that a Claimed field is its.
	Owner string `json:"owner,omitempty"`
	// TakenOverBy is the manager whose next apply ends what is LeftBehind.
	TakenOverBy string `json:"takenOverBy,omitempty"`

	// pointer names a Claimed field in all objects alike.
	pointer string
}

// Audit goes over the live objects of a cluster twice: for the owners, then for the findings.
type Audit struct {
	Schemas *schema.Schemas
	// Manager is the one whose findings count; "" for all.
	Manager string
	// Objects counts those that were read, and Unmanaged those without managedFields.
	Objects, Unmanaged int

	owners *owners.Index
	seen   map[[8]byte]bool
}

// isNew tells whether an object comes for the first time: the API server serves some in several
// groups, such as Ingresses. Eight bytes of a hash of the uid tell millions of objects apart.
func (a *Audit) isNew(root *tree.Node) bool {
	uid := tree.GetString(root, "metadata", "uid")
	if uid == "" {
		return true
	}
	hash := sha256.Sum256([]byte(uid))
	key := [8]byte(hash[:])
	if a.seen == nil {
		a.seen = map[[8]byte]bool{}
	}
	wasSeen := a.seen[key]
	a.seen[key] = true
	return !wasSeen
}

// Check reads a stream only to find faults. It tells whether there are objects, or nothing at all.
func (a *Audit) Check(stream io.Reader) (bool, error) {
	return each(stream, all, func(*tree.Node) []Finding { return nil }, func(*tree.Node, []Finding) {})
}

// AddOwners reads a stream for the objects that show owners.
func (a *Audit) AddOwners(stream io.Reader) error {
	if a.owners == nil {
		a.owners = owners.Empty()
	}
	small := func(root *tree.Node) []Finding { // without what takes most of the memory
		for _, n := range []*tree.Node{tree.Get(root, "status"), tree.Get(root, "metadata", "managedFields")} {
			if n != nil {
				n.Content = nil
			}
		}
		return nil
	}
	_, err := each(stream, owners.MayShow, small, func(root *tree.Node, _ []Finding) {
		// Its strings must not keep all of the text in memory.
		if text, err := tree.MarshalJSON(root); err == nil {
			if alone, err := tree.ParseJSON(text); err == nil {
				a.owners.Add(alone, "", report.File{}, true)
			}
		}
	})
	return err
}

// Find reads a stream and tells its findings in its order, of each object once. It returns what
// Check does.
func (a *Audit) Find(stream io.Reader, tell func(Finding)) (bool, error) {
	return each(stream, all, a.object, func(root *tree.Node, found []Finding) {
		if !a.isNew(root) {
			return
		}
		a.Objects++
		if len(tree.Elements(tree.Get(root, "metadata", "managedFields"))) == 0 {
			a.Unmanaged++
		}
		for _, f := range found {
			if a.Manager == "" || slices.Contains(f.Managers, a.Manager) {
				tell(f)
			}
		}
	})
}

// atOnce bounds the objects, and the bytes, that are in memory together.
const atOnce, bytesAtOnce = 256, 4 << 20

func all([]byte) bool { return true }

// each looks at the wanted objects of a stream side by side, and ends with each in its order. It
// tells whether there are any, or the stream is empty.
func each(stream io.Reader, wanted func([]byte) bool, look func(*tree.Node) []Finding, end func(*tree.Node, []Finding)) (bool, error) {
	type read struct {
		number int
		text   []byte
		isItem bool
		isList bool
		ends   []func() // one for each object
		fault  error    // that an item is no object
	}
	var fault error // the first of an item
	var batch []read
	size, number, holds := 0, 0, false
	flush := func() error {
		memories := make([]*tree.Memory, len(batch))
		err := parallel.Each(len(batch), func(i int) (err error) {
			r := &batch[i]
			memories[i] = tree.NewMemory()
			root, err := parse(memories[i], r.text)
			if err != nil {
				return fmt.Errorf("object %d: %w", r.number, err)
			}
			r.isList = resourcelist.HoldsObjects(root) // in flow style, or without items: others are cut
			for _, n := range resourcelist.Objects(root) {
				kind, version := tree.Get(n, "kind"), tree.Get(n, "apiVersion")
				if object.IsName(kind) && object.IsName(version) {
					found := look(n)
					r.ends = append(r.ends, func() { end(n, found) })
				} else if object.IsName(kind) && version == nil {
					return fmt.Errorf("object %d: must have an apiVersion beside the kind %q, found none", r.number, kind.Text())
				} else if r.isItem || r.isList {
					r.fault = fmt.Errorf("object %d: the items of a list must have an apiVersion and a kind, found one without", r.number)
				}
			}
			return nil
		})
		for i, r := range batch {
			holds, fault = holds || r.isList || len(r.ends) > 0, cmp.Or(fault, r.fault)
			for j := 0; err == nil && j < len(r.ends); j++ {
				r.ends[j]()
			}
			if memories[i] != nil {
				memories[i].Free()
			}
		}
		batch, size = batch[:0], 0
		return err
	}
	for text, err := range manifests.Texts(stream) {
		if number++; err != nil {
			return false, fmt.Errorf("object %d: %w", number, err)
		}
		if !wanted(text.Bytes) {
			continue
		}
		batch, size = append(batch, read{number: number, text: text.Bytes, isItem: text.IsItem}), size+len(text.Bytes)
		if len(batch) >= atOnce || size >= bytesAtOnce {
			if err := flush(); err != nil {
				return false, err
			}
		}
	}
	err := flush()
	if err == nil && holds { // else it may be a file of something else
		err = fault
	}
	return holds || number == 0, err
}

func parse(memory *tree.Memory, text []byte) (*tree.Node, error) {
	if text[0] == '{' {
		if root, err := memory.ParseJSON(text, object.JSONDepth); err == nil {
			return root, nil
		}
	}
	return memory.Parse(text)
}

// object finds the problems of an object.
func (a *Audit) object(root *tree.Node) []Finding {
	survey := managedfields.SurveyOf(root)
	if len(survey.Entries) == 0 {
		return nil
	}
	ref := report.RefOf(root)
	var all []Finding
	for _, s := range survey.Shared {
		f := Finding{Problem: Contested, Object: ref, Field: s.Path}
		appliers := 0
		for _, e := range s.Owners {
			if f.Managers = append(f.Managers, e.Manager); e.Applies() {
				appliers++
			}
		}
		if s.IsWhole {
			f.Problem = SharedWhole
		}
		if slices.Sort(f.Managers); s.IsWhole || appliers > 1 {
			all = append(all, f)
		}
	}
	left := survey.LeftBehind()
	for _, manager := range slices.Sorted(maps.Keys(left)) {
		all = append(all, Finding{Problem: LeftBehind, Object: ref, Managers: []string{manager}, TakenOverBy: left[manager]})
	}
	return append(all, a.claimed(root, ref)...)
}

// claimed finds the fields that an applier owns alone and other objects say are theirs.
func (a *Audit) claimed(root *tree.Node, ref report.Ref) []Finding {
	claims := a.owners.Of(selector.Of(root), "", "")
	if len(claims) == 0 {
		return nil
	}
	kind := a.Schemas.Kind(schema.ParseGVK(ref.APIVersion, ref.Kind))
	entries := managedfields.Of(root)
	var all []Finding
	for _, c := range claims {
		for _, f := range owners.WithoutAtomic(c.Locate(root, kind), kind) {
			sole, ok := managedfields.SoleOwner(entries, f.Location, root, "")
			if !ok || f.Left != "" {
				continue
			}
			found := Finding{Problem: Claimed, Object: ref, Field: "." + f.Location.String(),
				pointer: f.Pointer, Managers: []string{sole.Manager}, Owner: c.Name(), TakenOverBy: sole.TakenOverBy}
			if !slices.ContainsFunc(all, func(o Finding) bool { return o.Field == found.Field && o.Owner == found.Owner }) {
				all = append(all, found)
			}
		}
	}
	return all
}
