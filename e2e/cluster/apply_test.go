package cluster

import "testing"

// TestApply runs apply and diff as a page shows them: progress, an object of several that fails,
// unchanged objects, conflicts, exit codes, kubectl's external diff and operations.
func TestApply(t *testing.T) { follow(t, "testdata/apply.md") }

// TestKeep runs apply while the owners of fields have not applied them yet, and when they have.
func TestKeep(t *testing.T) { follow(t, "testdata/keep.md") }

// TestPlanServer asks the API server beside the plan, and what a prune would delete.
func TestPlanServer(t *testing.T) { follow(t, "testdata/plan-server.md") }
