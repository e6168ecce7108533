package report

import "maps"

// FaultResults returns the results for the faults of the functionConfig ref
// that came from file: errors whose message begins with the path of the faulty
// field.
func FaultResults(faults []Fault, ref Ref, file File) []Result {
	results := make([]Result, len(faults))
	for i, fault := range faults {
		message := fault.Message
		if fault.Path != "" {
			message = fault.Path + ": " + message
		}
		tags := map[string]string{"reason": InvalidFunctionConfig}
		maps.Copy(tags, fault.Tags)
		results[i] = Result{
			Message: message, Severity: Error, Ref: ref, File: file, Field: Field{Path: fault.Path}, Tags: tags,
			Detail: fault.Detail,
		}
	}
	return results
}
