//go:build nopatches

package fn

// patches is empty in a program that is built without the kind ApplyPatches.
var patches []Kind
