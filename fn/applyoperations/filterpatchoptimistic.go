package applyoperations

var filterPatchOptimistic = Spec{
	Name: "FilterPatchOptimistic", Doc: "is JQPatch with a required resourceVersion",
	Payload: fieldJQFilter, Lock: RequiredLock, IsPatch: true, compile: patching(compileFilter),
}
