package owners

import (
	"iter"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/selector"
)

// kustomized are annotations that objects have while kustomize runs its transformers, lists with
// commas. It rewrites references to an object that it has renamed only after the last one, so until
// then they have a former name of the object.
type kustomized struct {
	previousNames, prefixes, suffixes string
}

func kustomizedOf(o *selector.Candidate) (k kustomized) {
	for key, value := range o.Annotations() {
		switch key {
		case "internal.config.kubernetes.io/previousNames":
			k.previousNames = value.Text()
		case "internal.config.kubernetes.io/prefixes":
			k.prefixes = value.Text()
		case "internal.config.kubernetes.io/suffixes":
			k.suffixes = value.Text()
		}
	}
	return k
}

// formerNames yields the names that the object had before.
func (k *kustomized) formerNames() iter.Seq[string] {
	return strings.FieldsFuncSeq(k.previousNames, func(c rune) bool { return c == ',' })
}

// belongsTo tells whether both objects have the prefixes and suffixes of the same kustomizations,
// as kustomize requires of an object and a reference to it.
func (k *kustomized) belongsTo(other *kustomized) bool {
	return endAlike(k.prefixes, other.prefixes) && endAlike(k.suffixes, other.suffixes)
}

// endAlike tells whether the shorter of two lists, unless only that is empty, is the end of the
// other one.
func endAlike(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || a != "" && strings.HasSuffix(b, ","+a)
}
