package reasons

// All are the reasons that a run, a plan or an apply gives.
var All = []Reason{
	{
		Name: "AgentDiffers", Severity: "warning",
		Meaning: "The agent of Open Cluster Management does something else with a part of the ManifestWork than the work says.",
		Action:  "Write the expression in the form that the message offers.",
		Page:    "docs/manifestwork.md",
	}, {
		Name: "AmbiguousLive", Severity: "error",
		Meaning: "The object has no namespace, and there are live objects of its name in several.",
		Action:  "Set metadata.namespace, or say --namespace NAME.",
		Page:    "docs/troubleshooting.md#live-objects-are-not-found",
	}, {
		Name: "AppliedManifestSSAIgnoreFieldError", Severity: "error",
		Meaning: "An expression failed on an object: it is not for what stands there, or it took too much time or memory.",
		Action:  "Mend the expression. In jq, [] over a missing list is an error: write []?.",
		Page:    "docs/troubleshooting.md#an-expression-fails-on-an-object",
	}, {
		Name: "ApplyError", Severity: "error",
		Meaning: "krm-fields apply could not apply the object; the message has what kubectl said.",
		Action:  "Do what kubectl says. For a conflict, krm-fields plan shows the rule that would resolve it.",
		Page:    "docs/apply.md",
	}, {
		Name: "AtomicParent", Severity: "warning; onHandover",
		Meaning: "A stripped field is inside a list or map that the API server treats as one value, so the next apply resets or removes the field.",
		Action:  "Use action: TakeLive, or name the whole list.",
		Page:    "docs/troubleshooting.md#the-value-on-the-cluster-is-reset-although-the-rule-matches",
	}, {
		Name: "Create", Severity: "info",
		Meaning: "The object is not on the cluster, so it comes out whole, with its first values.",
		Page:    "docs/what-is-left-to-whom.md#with-live-objects",
	}, {
		Name: "Created", Severity: "info",
		Meaning: "An operation of ApplyOperations created the object.",
		Page:    "docs/apply-operations.md",
	}, {
		Name: "Deleted", Severity: "info",
		Meaning: "An operation of ApplyOperations deleted the object, itself or as a dependent.",
		Page:    "docs/apply-operations.md",
	}, {
		Name: "DottedKey", Severity: "info",
		Meaning: "A JSONPath found its field only by joining segments with dots: the key itself has a dot.",
		Action:  "Write the spelling of the message, which has the dot escaped.",
		Page:    "docs/expressions.md#dotted-keys",
	}, {
		Name: "ExpressionCost", Severity: "info",
		Meaning: "What an expression of IgnoreFields took and found in the run, said where run --stats asks for it.",
		Page:    "docs/jq.md#which-expression-is-slow",
	}, {
		Name: "FieldsAnnotated", Severity: "info",
		Meaning: "These fields were written down in the object's annotation fn.kpt.dev/ignored-fields.",
		Page:    "docs/start/rendered-in-place.md",
	}, {
		Name: "FieldsIgnored", Severity: "info",
		Meaning: "These fields were stripped from the object, each by the rule that is named behind it.",
		Page:    "docs/results.md#reasons",
	}, {
		Name: "FieldsTaken", Severity: "info",
		Meaning: "These fields have their live values now: the value of the package, an arrow, the live value.",
		Page:    "docs/what-is-left-to-whom.md#take-the-live-value",
	}, {
		Name: "InvalidFunctionConfig", Severity: "error",
		Meaning: "The functionConfig, or rules in an annotation or a ManifestWork, have a fault. No object was touched.",
		Action:  "Mend the field that the message begins with.",
		Page:    "docs/troubleshooting.md#the-functionconfig-is-refused",
	}, {
		Name: "LiveKindMissing", Severity: "warning",
		Meaning: "There are live objects, but none of this object's kind, so the object is taken for new.",
		Action:  "Get the live objects of that kind, too; the message has the command.",
		Page:    "docs/troubleshooting.md#live-objects-are-not-found",
	}, {
		Name: "NoMatch", Severity: "warning; onNoMatch",
		Meaning: "An expression, a selector or an exclude entry matched nothing in the whole run.",
		Action:  "Take the spelling that the message offers, or delete the rule if the package does not set the field.",
		Page:    "docs/troubleshooting.md#my-rule-matches-nothing",
	}, {
		Name: "NotThere", Severity: "info; warning where something near may be meant",
		Meaning: "A deletion, or a patch with ignoreMissingObject, found no object of that name.",
		Page:    "docs/apply-operations.md",
	}, {
		Name: "OperationConflict", Severity: "error",
		Meaning: "The resourceVersion of an operation is not that of the object: somebody has changed it since.",
		Action:  "Read the object again, and write the operation for what it is now.",
		Page:    "docs/apply-operations.md",
	}, {
		Name: "OperationError", Severity: "error",
		Meaning: "An operation of ApplyOperations failed. All operations are done, or none.",
		Page:    "docs/apply-operations.md",
	}, {
		Name: "PatchError", Severity: "error",
		Meaning: "An operation of ApplyPatches failed on an object. Nothing was changed.",
		Action:  "Mend the path or the value; onMissing: Ignore passes over what is not there.",
		Page:    "docs/apply-patches.md",
	}, {
		Name: "Patched", Severity: "info",
		Meaning: "Patches or operations changed the object.",
		Page:    "docs/results.md#reasons",
	}, {
		Name: "Reformatted", Severity: "info",
		Meaning: "The text of the object could not be edited in place and was written anew, with the same data.",
		Action:  "Write the object in block style, without anchors that other items use.",
		Page:    "docs/troubleshooting.md#an-object-was-written-anew",
	}, {
		Name: "Removed", Severity: "info",
		Meaning: "removes: of ApplyPatches took the object out of the list.",
		Page:    "docs/apply-patches.md",
	}, {
		Name: "RequiredField", Severity: "warning; onHandover",
		Meaning: "The API server requires a stripped field, and refuses the object where nobody else owns it.",
		Action:  "Use action: TakeLive, or leave the field in the package.",
		Page:    "docs/troubleshooting.md#the-value-on-the-cluster-is-reset-although-the-rule-matches",
	}, {
		Name: "SoleFieldManager", Severity: "warning; onHandover",
		Meaning: "One manager alone owns a stripped field, so the next apply without it removes the field or resets it to its default.",
		Action:  "Let the new owner apply the field once, or use action: TakeLive.",
		Page:    "docs/troubleshooting.md#replicas-went-to-1",
	}, {
		Name: "TakeLiveError", Severity: "error",
		Meaning: "A field could be several fields of the live object, or has another type there.",
		Action:  "Name the field more exactly, or give the elements of the list a name.",
		Page:    "docs/what-is-left-to-whom.md#take-the-live-value",
	}, {
		Name: "Unchanged", Severity: "info",
		Meaning: "The hash on the live object equals that of the package: there is nothing to apply.",
		Page:    "docs/what-is-left-to-whom.md#with-live-objects",
	}, {
		Name: "Update", Severity: "info",
		Meaning: "The package has changed since the last apply, so the object is to be applied.",
		Page:    "docs/what-is-left-to-whom.md#with-live-objects",
	}, {
		Name: "Updated", Severity: "info",
		Meaning: "An operation of ApplyOperations changed the object.",
		Page:    "docs/apply-operations.md",
	},
}
