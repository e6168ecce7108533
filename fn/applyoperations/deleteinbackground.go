package applyoperations

// deleteInBackground has the same outcome as Delete here, where nobody waits for it.
var deleteInBackground = Spec{
	Name: "DeleteInBackground", Doc: "has the same outcome as Delete",
	Cascade: "background", compile: deleting(deleteCascading),
}
