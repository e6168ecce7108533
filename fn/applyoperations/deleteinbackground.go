package applyoperations

// deleteInBackground has the same outcome as Delete, since nobody waits for it here.
var deleteInBackground = Spec{
	Name: "DeleteInBackground", Doc: "has the same outcome as Delete",
	Cascade: "background", compile: deleting(deleteCascading),
}
