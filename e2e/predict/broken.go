package main

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
)

// A model is how tools apply, but for one mistake, which the cluster tests must notice.
type model struct {
	name  string
	tools []string
	spoil func(*merge.Apply)
}

var (
	byKubectl = []string{"kubectl", "krm-fields", "argocd", "kpt"} // whose apply is kubectl's
	adding    = []string{"argocd", "flux", "helm", "kpt"}
)

var models = []model{
	{"kubectl applies once and takes over nobody", byKubectl, func(a *merge.Apply) { a.As.Migrates = false }},
	{"kubectl takes over kubectl-client-side-apply alone", byKubectl, func(a *merge.Apply) {
		a.As.Migrates, a.As.Old = false, []managedfields.OldEntry{{Manager: managedfields.ClientSideApply, Operation: merge.Update}}
	}},
	{"kubectl takes over before-first-apply", byKubectl, alsoTakingOver(managedfields.BeforeFirstApply)},
	{"the tool's own Update entry is its own", byKubectl, func(a *merge.Apply) { alsoTakingOver(a.Manager)(a) }},
	{"Argo CD takes over nobody first", []string{"argocd"}, func(a *merge.Apply) { a.As.Old = nil }},
	{"Argo CD and Flux don't force", []string{"argocd", "flux"}, func(a *merge.Apply) { a.Force = false }},
	{"Flux takes over kubectl by no other name", []string{"flux"}, func(a *merge.Apply) {
		a.As.Old = slices.Clone(a.As.Old)
		for i, e := range a.As.Old {
			if e.Manager == "kubectl*" {
				a.As.Old[i].Manager = managedfields.Kubectl
			}
		}
	}},
	{"Flux leaves the annotation of client-side apply", []string{"flux"}, func(a *merge.Apply) { a.As.Cleans = nil }},
	{"Flux applies what stays the same", []string{"flux"}, func(a *merge.Apply) { a.As.SkipsSame = false }},
	{"Helm takes over nobody", []string{"helm"}, func(a *merge.Apply) { a.As.Old = nil }},
	{"the tool applies by another name", slices.Concat(byKubectl, adding), func(a *merge.Apply) { a.Manager = "other" }},
	{"the tool adds nothing to the package", adding, func(a *merge.Apply) { a.As.Adds = nil }},
}

func alsoTakingOver(manager string) func(*merge.Apply) {
	return func(a *merge.Apply) {
		a.As.Old = append(slices.Clone(a.As.Old), managedfields.OldEntry{Manager: manager, Operation: merge.Update})
	}
}
