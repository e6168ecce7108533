package fn

import "testing"

// AddKind adds a kind to the table, for the time of a test.
func AddKind(t *testing.T, kind Kind) {
	before := table
	t.Cleanup(func() { table = before })
	table = append(Kinds(), kind)
}
