package ignorefields

import (
	"fmt"
	"slices"

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
	inside []embedded.InnerLocation
	number int
	// like is the live document if our string has none, and gets one.
	like *object.Object
	// in has what takers, by their numbers, found in the two objects, and taking what comes of it.
	in     livevalue.Input
	takers []rules.Found
	taking livevalue.ChangeSet
}

// key identifies the document.
func (t *takingInside) key() string {
	return embedded.Text(t.at, append(t.inside[:len(t.inside):len(t.inside)], embedded.InnerLocation{Document: t.number}))
}

// found is what an expression found at a place of the document.
func (t *takingInside) found(at location.Location, by int) rules.Found {
	f := t.takers[by]
	f.Location = t.at
	f.Inside = append(t.inside[:len(t.inside):len(t.inside)], embedded.InnerLocation{Document: t.number, Location: at})
	return f
}

// compareInside determines what to take in documents in strings, of what choose returns for a
// place in one; nil takes all.
func (j *job) compareInside(choose func(*takingInside) func(livevalue.PairedField) *tree.Node) error {
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
		t.in.Keys, t.in.IsKept = func(location.Location) listkey.Key { return nil }, func(location.Location) bool { return false }
		if t.in.IsLenient = j.run.config.compared != ""; choose != nil {
			t.in.Choose = choose(t)
		}
		known[t.key()] = t
		j.inside = append(j.inside, t)
		return t
	}
	for _, f := range j.resolver.Found {
		if len(f.Inside) > 0 && (j.takesChanges || f.Condition == rules.OnSpokePresent) {
			t := document(f, f.Location)
			t.in.InOurs = append(t.in.InOurs, t.named(f))
		}
	}
	for _, f := range j.inLive {
		if len(f.Inside) == 0 || f.Condition != rules.OnSpokePresent && !j.takesChanges {
			continue
		}
		if at, ok := toOurs.Find(f.Location); ok {
			t := document(f, at)
			t.in.InLive = append(t.in.InLive, t.named(f))
		}
	}
	if err := j.openInside(toLive); err != nil {
		return err
	}
	for _, t := range j.inside {
		if err := t.compare(j.view.Original()); err != nil {
			return err
		}
	}
	return nil
}

// named is the place of what a rule found, which becomes the next taker.
func (t *takingInside) named(f rules.Found) livevalue.Named {
	t.takers = append(t.takers, f)
	return livevalue.Named{At: f.Inside[len(f.Inside)-1].Location, By: len(t.takers) - 1}
}

// openInside opens the documents of both sides.
func (j *job) openInside(toLive *managedfields.Counterparts) error {
	ours, live := object.JSON(j.view.Original()), object.JSON(j.live)
	var opener, openerOfLive embedded.Opener
	for _, all := range j.insideByString() {
		isString := false
		openOurs := all.each(func(t *takingInside, d *object.Object) error {
			if t.in.Ours = d.Original(); t.like != nil {
				t.in.Ours = d.Root()
			}
			return nil
		})
		err := edit(&opener, ours, all[0].at, all[0].inside, func(s *embedded.String) error {
			isString = true
			return openOurs(s)
		})
		if err != nil {
			return err
		}
		if at, ok := toLive.Find(all[0].at); ok && isString {
			err = edit(&openerOfLive, live, at, all[0].inside, all.each(func(t *takingInside, d *object.Object) error {
				t.in.Live = d.Original()
				if t.in.Ours == nil && t.number == 0 && tree.IsMap(t.in.Live) {
					t.like = d
				}
				return nil
			}))
		}
		if err != nil {
			return &takeLiveError{by: all[0].takers[0].By, err: err}
		}
		if slices.ContainsFunc(all, func(t *takingInside) bool { return t.like != nil }) {
			if err := edit(&opener, ours, all[0].at, all[0].inside, openOurs); err != nil {
				return err
			}
		}
	}
	return nil
}

// documentsOf are documents in one string.
type documentsOf []*takingInside

// insideByString returns what is taken in the documents of each string.
func (j *job) insideByString() (all []documentsOf) {
	at := map[string]int{}
	for _, t := range j.inside {
		key := embedded.Text(t.at, t.inside)
		i, ok := at[key]
		if !ok {
			i = len(all)
			at[key], all = i, append(all, nil)
		}
		all[i] = append(all[i], t)
	}
	return all
}

// each returns what does something with each of the documents of a string that are there.
func (all documentsOf) each(do func(*takingInside, *object.Object) error) func(*embedded.String) error {
	return func(s *embedded.String) error {
		for _, t := range all {
			if t.like != nil && len(s.Documents) == 0 {
				s.AddLike(t.like)
			}
			if t.number >= len(s.Documents) {
				continue
			}
			if err := do(t, s.Documents[t.number].Object); err != nil {
				return err
			}
		}
		return nil
	}
}

// leaveOutInside removes what is taken in documents in strings for the hash.
func (j *job) leaveOutInside() error {
	return j.editInside(&j.resolver.Strings, &j.view, func(t *takingInside, d *object.Object) error {
		if t.like == nil {
			t.leaveOut(d)
		}
		return nil
	})
}

// takeInside puts the live values into documents in strings.
func (j *job) takeInside() error {
	return j.editInside(new(embedded.Opener), j.object, func(t *takingInside, d *object.Object) error { return t.taking.Apply(d) })
}

// editInside edits the documents in which something is taken.
func (j *job) editInside(opener *embedded.Opener, o *object.Object, do func(*takingInside, *object.Object) error) error {
	for _, all := range j.insideByString() {
		if err := edit(opener, o, all[0].at, all[0].inside, all.each(do)); err != nil {
			return err
		}
	}
	return nil
}

// compare determines what to take.
func (t *takingInside) compare(ours *tree.Node) (err error) {
	if t.in.Ours == nil {
		return nil
	}
	if t.taking, err = livevalue.Compare(t.in); err != nil {
		return &takeLiveError{by: sourceOf(err, t.takers), err: t.fault(err, ours)}
	}
	return nil
}

// fault returns an error of the comparison with the document that it is about. In a Secret it names
// no key of the document.
func (t *takingInside) fault(err error, ours *tree.Node) error {
	if redact.IsSecretObject(ours) {
		return fmt.Errorf("%s#%s: fields of the document have other types on the cluster, or can't be paired", t.at, redact.Masked)
	}
	return fmt.Errorf("%s: %w", t.key(), err)
}

// leaveOut removes what is taken, and what becomes empty by that, from the document.
func (t *takingInside) leaveOut(d *object.Object) {
	d.RemoveOriginal(t.taking.Places)
	pruneEmptied(d, t.taking.Parents, func(location.Location) bool { return false })
}

// edit edits the documents in the string at a location of an object in its input state. A missing
// string is not edited.
func edit(opener *embedded.Opener, o *object.Object, at location.Location, inside []embedded.InnerLocation, do func(*embedded.String) error) error {
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
		err = edit(opener, opened.Documents[next.Document].Object, next.Location, inside[1:], do)
	} else {
		err = do(opened)
	}
	if err != nil {
		return err
	}
	return opener.Write(o, opened, now)
}
