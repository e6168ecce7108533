package ignorefields

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/livevalue"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// takingInside is what is taken in one document in a string.
type takingInside struct {
	// at is the location of the outermost string in our object, inside the places of the strings in
	// it, and number that of the document in the innermost.
	at     location.Location
	inside []embedded.Place
	number int
	// ours and live are what the rules found in the two objects.
	ours, live []rules.Found
	taking     livevalue.Outcome
	takers     []rules.Found
}

// key identifies the document.
func (t *takingInside) key() string {
	return embedded.Text(t.at, append(t.inside[:len(t.inside):len(t.inside)], embedded.Place{Document: t.number}))
}

// found is what an expression found at a place of the document.
func (t *takingInside) found(at location.Location, by int) rules.Found {
	f := t.takers[by]
	f.Location = t.at
	f.Inside = append(t.inside[:len(t.inside):len(t.inside)], embedded.Place{Document: t.number, Location: at})
	return f
}

// compareInside determines what to take in documents in strings, of what choose returns for a
// place in one; nil takes all.
func (j *job) compareInside(choose func(*takingInside) func(livevalue.Place) *tree.Node) error {
	if j.inside = nil; j.live == nil {
		return nil
	}
	toLive := j.managed().counterparts
	toOurs := managedfields.NewCounterparts(j.managed().entries, j.live, j.view.Original())
	known := map[string]*takingInside{}
	document := func(f rules.Found, at location.Location) *takingInside {
		last := len(f.Inside) - 1
		t := &takingInside{at: at, inside: f.Inside[:last], number: f.Inside[last].Document}
		if other, ok := known[t.key()]; ok {
			return other
		}
		known[t.key()] = t
		j.inside = append(j.inside, t)
		return t
	}
	for _, f := range j.resolution.Found {
		if len(f.Inside) > 0 && (j.takesChanges || f.Condition == rules.OnSpokePresent) {
			t := document(f, f.Location)
			t.ours = append(t.ours, f)
		}
	}
	for _, f := range j.inLive {
		if len(f.Inside) == 0 || f.Condition != rules.OnSpokePresent && !j.takesChanges {
			continue
		}
		if at, ok := toOurs.Find(f.Location); ok {
			t := document(f, at)
			t.live = append(t.live, f)
		}
	}
	for _, t := range j.inside {
		in := livevalue.Input{
			Keys:   func(location.Location) listkey.Key { return nil },
			IsKept: func(location.Location) bool { return false }, IsLenient: j.run.config.compared != "",
		}
		if choose != nil {
			in.Choose = choose(t)
		}
		if err := t.compare(in, j.view.Original(), j.live, toLive); err != nil {
			return err
		}
	}
	return nil
}

// leaveOutInside removes what is taken in documents in strings for the hash.
func (j *job) leaveOutInside() error {
	for _, t := range j.inside {
		if err := t.leaveOut(j); err != nil {
			return err
		}
	}
	return nil
}

// compare determines what to take.
func (t *takingInside) compare(in livevalue.Input, ours, there *tree.Node, toLive *managedfields.Counterparts) error {
	var opener embedded.Opener
	for _, side := range []struct {
		found []rules.Found
		named *[]livevalue.Named
	}{{t.ours, &in.InOurs}, {t.live, &in.InLive}} {
		for _, f := range side.found {
			*side.named = append(*side.named, livevalue.Named{At: f.Inside[len(f.Inside)-1].Location, By: len(t.takers)})
			t.takers = append(t.takers, f)
		}
	}
	err := edit(&opener, object.JSON(ours), t.at, t.inside, t.number, func(d *object.Object) error {
		in.Ours = d.Original()
		return nil
	})
	if err != nil || in.Ours == nil {
		return err
	}
	if at, ok := t.counterpart(there, toLive); ok {
		err = edit(&opener, object.JSON(there), at, t.inside, t.number, func(d *object.Object) error {
			in.Live = d.Original()
			return nil
		})
		if err != nil {
			return &takeLiveError{by: t.takers[0].By, err: err}
		}
	}
	if t.taking, err = livevalue.Compare(in); err != nil {
		return &takeLiveError{by: sourceOf(err, t.takers), err: t.fault(err, ours)}
	}
	return nil
}

// counterpart returns where the outermost string is in the live object. The API server keeps
// the stringData of a Secret in its data.
func (t *takingInside) counterpart(there *tree.Node, toLive *managedfields.Counterparts) (location.Location, bool) {
	if at, ok := toLive.Find(t.at); ok || len(t.at) != 2 || t.at[0].Key != "stringData" || !isSecret(there) {
		return at, ok
	}
	at := location.Location{location.Key("data"), t.at[1]}
	return at, location.At(there, at) != nil
}

// fault returns an error of the comparison with the document that it is about. In a Secret it names
// no key of the document.
func (t *takingInside) fault(err error, ours *tree.Node) error {
	if isSecret(ours) {
		return fmt.Errorf("%s#%s: fields of the document have other types on the cluster, or can't be paired", t.at, redact.Masked)
	}
	return fmt.Errorf("%s: %w", t.key(), err)
}

func isSecret(root *tree.Node) bool {
	return redact.IsSecret(tree.GetString(root, "apiVersion"), tree.GetString(root, "kind"))
}

// leaveOut removes what is taken, and what becomes empty by that, from the document.
func (t *takingInside) leaveOut(j *job) error {
	return edit(&j.resolution.Strings, &j.view, t.at, t.inside, t.number, func(d *object.Object) error {
		var places []location.Location
		for _, l := range t.taking.Places {
			if now, ok := d.EditedLocation(l); ok {
				places = append(places, now)
			}
		}
		d.Remove(places)
		pruneEmptied(d, t.taking.Parents, func(location.Location) bool { return false })
		return nil
	})
}

// takeInside puts the live values into documents in strings.
func (j *job) takeInside() error {
	var opener embedded.Opener
	for _, t := range j.inside {
		if err := edit(&opener, j.object, t.at, t.inside, t.number, t.taking.Apply); err != nil {
			return err
		}
	}
	return nil
}

// edit edits a document in the string at a location of an object in its input state. A missing
// document is not edited.
func edit(
	opener *embedded.Opener, o *object.Object, at location.Location, inside []embedded.Place, number int,
	do func(d *object.Object) error,
) error {
	now, ok := o.EditedLocation(at)
	if !ok {
		return nil
	}
	opened, err := opener.Open(o, now, embedded.Auto)
	if err != nil {
		return err
	}
	if len(inside) > 0 {
		next := inside[0]
		if next.Document >= len(opened.Documents) {
			return nil
		}
		err = edit(opener, opened.Documents[next.Document].Object, next.Location, inside[1:], number, do)
	} else if number < len(opened.Documents) {
		err = do(opened.Documents[number].Object)
	}
	if err != nil {
		return err
	}
	return opener.Write(o, opened, now)
}
