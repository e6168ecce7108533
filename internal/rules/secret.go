package rules

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Members of a Secret that hold the same values: the API server moves stringData into data.
const secretData, secretStrings = "data", "stringData"

// inputOf is what expressions are resolved in: an object, or a document in a string of it, which
// has no schema.
func (r *Resolver) inputOf(s embedded.Scope) expr.Input {
	in := expr.Input{Root: s.Root(), Reporter: r}
	if s.IsInside {
		in.Find = s.Lookup
		return in
	}
	if r.find == nil {
		r.find = s.Lookup
	}
	in.Find = r.find
	if in.Schema = r.schema; r.IsForeign {
		return in
	}
	if r.view == nil {
		r.view = secretView(s.Object)
	}
	if in.Root != r.view {
		in.Root, in.Find = r.view, nil
	}
	return in
}

// placesIn returns the places that locations of the input stand for.
func (r *Resolver) placesIn(s embedded.Scope, all []location.Location) []location.Location {
	if s.IsInside || r.IsForeign || !redact.IsSecretObject(s.Root()) {
		return all
	}
	if r.secret == nil {
		r.secret = location.NewReader(s.Root())
	}
	return secretPlaces(r.secret, all)
}

// secretView returns the root of a Secret as rules see it: data and stringData have the keys of
// both, so that a rule on one of them holds for the other. It returns any other root as it is. What
// it makes is in the memory of the object.
func secretView(o *object.Object) *tree.Node {
	root := o.Root()
	data, texts := tree.Deref(tree.Lookup(root, secretData)), tree.Deref(tree.Lookup(root, secretStrings))
	if !redact.IsSecretObject(root) || !tree.IsMap(data) && !tree.IsMap(texts) {
		return root
	}
	var space [usualMembers]*tree.Node
	view := space[:0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i].Text(); key != secretData && key != secretStrings {
			view = append(view, root.Content[i], root.Content[i+1])
		}
	}
	return o.NewMap(append(view,
		o.NewString(secretData), withKeysOf(o, data, texts, encoded),
		o.NewString(secretStrings), withKeysOf(o, texts, data, shownText)))
}

// usualMembers is how many keys and values of a map need no other memory than the object's.
const usualMembers = 32

// withKeysOf returns a map with the members of another one that it lacks, as convert makes them.
func withKeysOf(o *object.Object, own, other *tree.Node, convert func(string) (string, bool)) *tree.Node {
	var space [usualMembers]*tree.Node
	if !tree.IsMap(own) {
		own = o.NewMap(nil)
	}
	both, members := append(space[:0], own.Content...), tree.MembersOf(own)
	for key, value := range tree.Entries(other) {
		if members.Get(key) != nil {
			continue
		}
		if text, ok := convert(tree.Deref(value).Text()); ok {
			both = append(both, o.NewString(key), o.NewString(text))
		}
	}
	return o.NewMap(both)
}

func encoded(text string) (string, bool) {
	return base64.StdEncoding.EncodeToString([]byte(text)), true
}

// shownText is SecretText, also for data that kubectl diff has masked, which is as it is.
func shownText(data string) (string, bool) {
	if strings.HasPrefix(data, redact.Masked) {
		return data, true
	}
	return SecretText(data)
}

// SecretText returns the text that stringData has for a value in the data of a Secret; false if no
// text can hold it.
func SecretText(data string) (string, bool) {
	bytes, err := base64.StdEncoding.DecodeString(data)
	return string(bytes), err == nil && utf8.Valid(bytes)
}

// secretPlaces returns the places of the Secret of a reader that locations of its view stand for,
// each once.
func secretPlaces(reader *location.Reader, all []location.Location) []location.Location {
	var places []location.Location
	for _, l := range all {
		if len(l) == 0 || l[0].Key != secretData && l[0].Key != secretStrings {
			places = append(places, l)
			continue
		}
		for _, member := range []string{secretData, secretStrings} {
			at := append(location.Location{location.Key(member)}, l[1:]...)
			if reader.At(at) != nil {
				places = append(places, at)
			}
		}
	}
	return location.Distinct(places)
}
