// Package redact hides the values of Secrets in output. A Mask is made of the objects that a text
// is about. What is printed of an object is made from a masked copy of it: Value for a field,
// Copies for a diff. Error shows an error of an expression by its kind, and Text hides the values
// that a user has written, into an expression for example. Manifests that a user asks for are not
// redacted.
package redact

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Masked replaces a value of a Secret.
const Masked = "***"

// Mask hides the values of Secrets in results. The zero Mask hides nothing. A Mask is safe for use
// by several goroutines.
type Mask struct {
	roots []*tree.Node
	// holds is true if there is a Secret in the objects.
	holds bool
	// values are looked for in a text, in which keys stay; sorted. starts are their first bytes.
	values []string
	starts *[256]bool
	keys   map[string]bool
}

// New returns the mask for results about the objects at roots: the object as it came, and as it
// stands, say. The values of every v1 Secret in them are hidden, in a List, a ManifestWork or the
// documents of a string, too: all under data and stringData, the data values decoded, each line of
// a value, the strings within a value that is JSON, and what the annotation
// kubectl.kubernetes.io/last-applied-configuration holds of them. The keys of the first object
// stay.
func New(roots ...*tree.Node) Mask {
	var c collector
	roots = slices.DeleteFunc(slices.Clone(roots), func(root *tree.Node) bool { return root == nil })
	for _, root := range roots {
		c.collect(root, anObject)
	}
	m := Mask{roots: roots, holds: c.holds, keys: map[string]bool{}}.hiding(c.values)
	if m.holds {
		addTexts(m.keys, roots[0], true)
	}
	return m
}

// addTexts adds the keys of an object, and its scalars unless only keys are asked for.
func addTexts(texts map[string]bool, n *tree.Node, onlyKeys bool) {
	for i, child := range n.Content {
		isKey := n.Kind == tree.MappingNode && i%2 == 0
		if isKey || child.Kind == tree.ScalarNode && !onlyKeys {
			texts[tree.Deref(child).Text()] = true
		}
		addTexts(texts, child, onlyKeys)
	}
}

// With returns the mask with more texts to hide: those that an expression derived from the objects.
func (m Mask) With(texts ...string) Mask {
	c := collector{values: slices.Clone(m.values)}
	for _, text := range texts {
		c.add(text)
	}
	return m.hiding(c.values)
}

// hiding returns the mask with these values, which it sorts.
func (m Mask) hiding(values []string) Mask {
	if len(values) == 0 {
		return m
	}
	slices.Sort(values)
	m.values, m.starts = slices.Compact(values), &[256]bool{}
	for _, value := range m.values {
		m.starts[value[0]] = true
	}
	return m
}

// IsZero tells whether the mask hides nothing.
func (m Mask) IsZero() bool { return len(m.values) == 0 && !m.holds }

// EvaluationError is an error of an expression. It may contain data that the expression derived
// from an object: a part of a value, or another form of it, that no Mask knows.
type EvaluationError interface {
	error
	// WithoutData returns the error by its kind, without data.
	WithoutData() error
}

// Error returns the message of an error about the objects without anything of a Secret.
func (m Mask) Error(err error) string {
	message := err.Error()
	if m.IsZero() {
		return message
	}
	if failed, ok := errors.AsType[EvaluationError](err); ok {
		before, behind, isQuoted := strings.Cut(message, failed.Error())
		if !isQuoted {
			before, behind = "", ""
		}
		message = before + failed.WithoutData().Error() + behind
	}
	return m.Text(message)
}

// Show returns a value at a location for a message, as Value does: JSON of at most so many
// characters, or `nothing` for nil.
func (m Mask) Show(l location.Location, n *tree.Node, characters int) string {
	if n == nil {
		return "nothing"
	}
	text, err := tree.MarshalJSON(tree.FromValue(m.Value(l, tree.Value(n))))
	if err != nil {
		return "a " + tree.Type(n)
	}
	return words.Shorten(string(text), characters)
}

// Value returns v, the value at l of the object that the mask is for, with *** for each scalar
// under data and stringData of a Secret and for the annotation with its last applied state, and
// with values hidden in all other scalars. Keys stay. The type of v is one that tree.Value returns;
// v is not changed.
func (m Mask) Value(l location.Location, v any) any {
	if m.IsZero() {
		return v
	}
	c := copier{mask: m}
	return tree.Value(c.copy(tree.FromValue(v), nil, m.roleAt(l)))
}

// Hides tells whether the scalar n, found at l, must not be shown as it is.
func (m Mask) Hides(l location.Location, n *tree.Node) bool {
	value := tree.Value(n)
	return !m.IsZero() && n != nil && !reflect.DeepEqual(m.Value(l, value), value)
}

// Public returns the keys and scalars of the objects that are not hidden.
func (m Mask) Public() map[string]bool {
	public := map[string]bool{}
	c := copier{mask: m}
	for _, root := range m.roots {
		addTexts(public, c.copy(root, nil, anObject), false)
	}
	return public
}
