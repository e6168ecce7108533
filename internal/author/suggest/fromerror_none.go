//go:build nopatches

package suggest

import (
	"errors"

	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// IsFailedApply is false, so that nobody is led to what this program can't do.
func IsFailedApply(string) bool { return false }

// FromError fails: it writes patches, too, which a program that is built without the kind
// ApplyPatches does not have.
func FromError(string, []*object.Object, Options) (Suggestions, error) {
	return Suggestions{}, errors.New("this program was built without ApplyPatches (tag nopatches), so it can't suggest what mends a failed apply")
}
