package explain

// Reasons are the reasons that a run, a plan or an apply gives.
var Reasons = []Reason{
	{
		Name: "AgentDiffers", Severity: "warning",
		Meaning: "The agent that reads the rule treats a part of it differently from what it says: " +
			"the work agent of Open Cluster Management a ManifestWork, or Argo CD its annotation.",
		Action: "Write the rule as the message suggests.",
		Page:   "docs/manifestwork.md",
	}, {
		Name: "AmbiguousLive", Severity: "error",
		Meaning: "The object has no namespace, and live objects with its name exist in several namespaces.",
		Action:  "Set metadata.namespace in the object, or run with --namespace NAME.",
		Page:    "docs/troubleshooting.md#live-objects-are-not-found",
	}, {
		Name: "AppliedManifestSSAIgnoreFieldError", Severity: "error",
		Meaning: "An expression failed on an object: it does not fit the data there, or it took too much time or memory.",
		Action:  "Fix the expression. In jq, [] on a missing list is an error: write []?.",
		Page:    "docs/troubleshooting.md#an-expression-fails-on-an-object",
	}, {
		Name: "ApplyError", Severity: "error",
		Meaning: "krm-fields apply could not apply the object; the message contains the error of kubectl.",
		Action:  "Fix what kubectl reports. For a conflict, krm-fields plan shows the rule that would resolve it.",
		Page:    "docs/apply.md",
	}, {
		Name: "AtomicParent", Severity: "warning; onHandover",
		Meaning: "A stripped field is inside an atomic list or map, which the API server treats as one value, so the next apply resets or removes the field.",
		Action:  "Use action: TakeLive, or strip the whole list or map; the message has its pointer.",
		Page:    "docs/troubleshooting.md#the-value-on-the-cluster-is-reset-although-the-rule-matches",
	}, {
		Name: "BeingDeleted", Severity: "warning",
		Meaning: "The live object is being deleted, so what is applied to it goes with it.",
		Action:  "Wait until it is gone, or find out why its finalizers stay.",
		Page:    "docs/apply.md#output",
	}, {
		Name: "Create", Severity: "info",
		Meaning: "The object is not on the cluster, so it comes out whole, with all its fields.",
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
		Action:  "Write the path as in the message, which escapes the dot.",
		Page:    "docs/expressions.md#dotted-keys",
	}, {
		Name: "Duplicate", Severity: "warning",
		Meaning: "The package has the object twice. The one that is applied last wins.",
		Action:  "Remove one of them.",
		Page:    "docs/apply.md#output",
	}, {
		Name: "Encrypted", Severity: "warning; info",
		Meaning: "SOPS has encrypted the object, so its fields are not edited.",
		Action:  "Let the rule run on what sops decrypts.",
		Page:    "docs/encrypted-files.md",
	}, {
		Name: "ExpressionCost", Severity: "info",
		Meaning: "The time that an expression of IgnoreFields took in the run, and how many fields it found; reported by run --stats.",
		Page:    "docs/jq.md#which-expression-is-slow",
	}, {
		Name: "FailedApply", Severity: "info; warning",
		Meaning: "What suggest --error found in the text of a failed apply, and how to mend it.",
		Page:    "docs/suggest.md",
	}, {
		Name: "FieldsAnnotated", Severity: "info",
		Meaning: "These fields were recorded in the object's annotation fn.kpt.dev/ignored-fields.",
		Page:    "docs/start/rendered-in-place.md",
	}, {
		Name: "FieldsIgnored", Severity: "info",
		Meaning: "These fields were stripped from the object; each is followed by the rule that found it.",
		Page:    "docs/results.md#reasons",
	}, {
		Name: "FieldsKept", Severity: "info",
		Meaning: "These fields have their live values, since stripping them would reset or remove them. " +
			"The message says who owns each alone, or which list or string it is in.",
		Page: "docs/what-is-left-to-whom.md#keep-the-field-until-its-owner-has-it",
	}, {
		Name: "FieldsTaken", Severity: "info",
		Meaning: "These fields now have their live values. The message shows the value of the package, an arrow, and the live value.",
		Page:    "docs/what-is-left-to-whom.md#take-the-live-value",
	}, {
		Name: "FromOwners", Severity: "info",
		Meaning: "What a rule with fromOwners leaves in the package, and why; or an owned field that no rule of a ManifestWork covers.",
		Page:    "docs/owners.md",
	}, {
		Name: "InvalidFunctionConfig", Severity: "error",
		Meaning: "The functionConfig, or a rule in an annotation or a ManifestWork, is invalid. No object was changed.",
		Action:  "Fix the field that the message begins with.",
		Page:    "docs/troubleshooting.md#the-functionconfig-is-refused",
	}, {
		Name: "InvalidInput", Severity: "error",
		Meaning: "The input is not a ResourceList that can be read, or an item in it is not a map with apiVersion and kind.",
		Action:  "Correct the input at the place that the message names.",
		Page:    "docs/troubleshooting.md",
	}, {
		Name: "KindMissing", Severity: "warning",
		Meaning: "The cluster does not have the kind of the object, and the package has no CustomResourceDefinition of it.",
		Action:  "Install the CustomResourceDefinition first, or correct the kind.",
		Page:    "docs/apply.md#output",
	}, {
		Name: "LikelyMistake", Severity: "warning",
		Meaning: "The rule or value does something that is hardly meant, such as a rule that strips every element of a list.",
		Action:  "Write it as the message suggests.",
		Page:    "docs/expressions.md#what-an-expression-is-warned-of",
	}, {
		Name: "LiveKindMissing", Severity: "warning",
		Meaning: "There are live objects, but none of this object's kind, so the object is treated as new.",
		Action:  "Include the live objects of that kind; the message has the command.",
		Page:    "docs/troubleshooting.md#live-objects-are-not-found",
	}, {
		Name: "NamespaceMissing", Severity: "warning",
		Meaning: "The cluster does not have the namespace of the object, and the package does not create it.",
		Action:  "Add the Namespace to the package, or create it first.",
		Page:    "docs/apply.md#output",
	}, {
		Name: "NoLiveObjects", Severity: "info",
		Meaning: "The condition OnSpokeChange does nothing without live objects: the fields stay as they are in the package.",
		Action:  "Give live objects, or write condition: OnSpokePresent.",
		Page:    "docs/what-is-left-to-whom.md#with-live-objects",
	}, {
		Name: "NoManagedFields", Severity: "warning",
		Meaning: "The live object has no managedFields, so it is not known who owns its fields.",
		Action:  "Read it by kubectl get --show-managed-fields -o yaml.",
		Page:    "docs/locate.md",
	}, {
		Name: "NoMatch", Severity: "warning; onNoMatch",
		Meaning: "An expression, a selector or an exclude entry matched nothing in the whole run.",
		Action:  "Correct it as the message suggests, or delete the rule if the package does not set the field.",
		Page:    "docs/troubleshooting.md#my-rule-matches-nothing",
	}, {
		Name: "NoRule", Severity: "info",
		Meaning: "suggest has no rule for a difference; the message says why.",
		Page:    "docs/suggest.md",
	}, {
		Name: "NotAnnotated", Severity: "warning",
		Meaning: "The annotation can not record the field, because of its condition or since it is in a document inside a string.",
		Action:  "Strip the field instead.",
		Page:    "docs/start/rendered-in-place.md",
	}, {
		Name: "NotApplied", Severity: "error",
		Meaning: "run --check found objects that the functionConfigs would still change.",
		Action:  "Make sure that the host runs the function; kustomize needs --enable-alpha-plugins and --enable-exec.",
		Page:    "docs/troubleshooting.md#kustomize-did-nothing",
	}, {
		Name: "NotConverted", Severity: "warning",
		Meaning: "The other format has no counterpart for this part of a rule, so it is left out or changed.",
		Page:    "docs/convert.md",
	}, {
		Name: "NotLive", Severity: "info",
		Meaning: "The object is not among the live objects, so it is not compared.",
		Page:    "docs/troubleshooting.md#live-objects-are-not-found",
	}, {
		Name: "NotThere", Severity: "info; warning if a similar object exists",
		Meaning: "The object of a deletion, or of a patch with ignoreMissingObject, does not exist.",
		Page:    "docs/apply-operations.md",
	}, {
		Name: "ObjectHash", Severity: "info",
		Meaning: "Only the object hash changes in these objects, since no rule found a field in them.",
		Page:    "docs/what-is-left-to-whom.md#the-object-hash",
	}, {
		Name: "OperationConflict", Severity: "error",
		Meaning: "The resourceVersion of an operation differs from that of the object, which has changed since.",
		Action:  "Read the object again, and adapt the operation to its current state.",
		Page:    "docs/apply-operations.md",
	}, {
		Name: "OperationError", Severity: "error",
		Meaning: "An operation of ApplyOperations failed. Either all operations take effect, or none; nothing was changed.",
		Page:    "docs/apply-operations.md",
	}, {
		Name: "PatchError", Severity: "error",
		Meaning: "An operation of ApplyPatches failed on an object. Nothing was changed.",
		Action:  "Fix the path or the value; onMissing: Ignore skips the operation if something is missing.",
		Page:    "docs/apply-patches.md",
	}, {
		Name: "Patched", Severity: "info",
		Meaning: "Patches or operations changed the object.",
		Page:    "docs/results.md#reasons",
	}, {
		Name: "PlanAssumption", Severity: "warning; error",
		Meaning: "The plan had to assume something; the message says what.",
		Action:  "Give what is missing, such as --crds, or live objects with their managedFields.",
		Page:    "docs/plan.md",
	}, {
		Name: "Reformatted", Severity: "info",
		Meaning: "The text of the object could not be edited in place, so the whole object was rewritten with the same data.",
		Action:  "Write the object in block style, without anchors that other items use.",
		Page:    "docs/troubleshooting.md#an-object-was-rewritten",
	}, {
		Name: "Removed", Severity: "info",
		Meaning: "removes of ApplyPatches removed the object from the list.",
		Page:    "docs/apply-patches.md",
	}, {
		Name: "RequiredField", Severity: "warning; onHandover",
		Meaning: "The API server requires a stripped field, and refuses the object if nobody else owns the field.",
		Action:  "Use action: TakeLive, or keep the field in the package.",
		Page:    "docs/troubleshooting.md#the-value-on-the-cluster-is-reset-although-the-rule-matches",
	}, {
		Name: "RunError", Severity: "error",
		Meaning: "A command could not do its work, or the run ended early; the message says why. Nothing was changed.",
		Page:    "docs/troubleshooting.md",
	}, {
		Name: "ServerWarning", Severity: "warning",
		Meaning: "The API server or kubectl warns of something although the call succeeded, such as a deprecated API or a field that the API server dropped.",
		Page:    "docs/apply.md#output",
	}, {
		Name: "Skipped", Severity: "info",
		Meaning: "Files that are not manifests, or parts of files, were skipped.",
		Page:    "docs/command-line.md#paths",
	}, {
		Name: "SoleFieldManager", Severity: "warning; onHandover",
		Meaning: "One manager alone owns a stripped field, so the next apply without it removes the field or resets it to its default.",
		Action:  "Let the new owner apply the field once, or use action: TakeLive.",
		Page:    "docs/troubleshooting.md#replicas-went-to-1",
	}, {
		Name: "TakeLiveError", Severity: "error",
		Meaning: "A field could be several fields of the live object, or has another type there.",
		Action:  "Write a more exact expression, or give the elements of the list names.",
		Page:    "docs/what-is-left-to-whom.md#take-the-live-value",
	}, {
		Name: "Unchanged", Severity: "info",
		Meaning: "The hash on the live object equals that of the package, so there is nothing to apply.",
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
