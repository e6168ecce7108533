package applyoperations

var filterPatchOptimistic = Spec{
	Name: "FilterPatchOptimistic", Doc: "is JQPatch with a resourceVersion that must be given",
	Payload: fieldJQFilter, Lock: RequiredLock, IsPatch: true, compile: patching(compileFilter),
}
