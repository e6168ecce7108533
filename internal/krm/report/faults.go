package report

import (
	"maps"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
)

// FaultResults returns the results for the faults of the functionConfig ref that came from file:
// errors whose message begins with the path of the faulty field.
func FaultResults(faults []Fault, ref Ref, file File) []Result {
	results := make([]Result, len(faults))
	for i, fault := range faults {
		message := fault.Message
		if fault.Path != "" {
			message = fault.Path + ": " + message
		}
		tags := map[string]string{"reason": ReasonInvalidFunctionConfig}
		maps.Copy(tags, fault.Tags)
		results[i] = Result{
			Message: message, Severity: SeverityError, Ref: ref, File: file, Field: Field{Path: fault.Path}, Tags: tags,
			Detail: fault.Detail,
		}
	}
	return results
}

// Redacted returns the fault without anything of the Secrets of the mask.
func (f Fault) Redacted(mask redact.Mask) Fault {
	if mask.IsZero() {
		return f
	}
	f.Path, f.Message, f.Detail = mask.Text(f.Path), mask.Text(f.Message), mask.Text(f.Detail)
	f.Tags = redactedTags(f.Tags, mask)
	return f
}

// Redacted returns the result without anything of the Secrets of the mask. The value of its field
// is redacted where it is read.
func (r Result) Redacted(mask redact.Mask) Result {
	if mask.IsZero() {
		return r
	}
	r.Message, r.Detail = mask.Text(r.Message), mask.Text(r.Detail)
	r.Tags = redactedTags(r.Tags, mask)
	return r
}

func redactedTags(tags map[string]string, mask redact.Mask) map[string]string {
	expression, ok := tags["expression"]
	if !ok || mask.Text(expression) == expression {
		return tags
	}
	tags = maps.Clone(tags)
	tags["expression"] = mask.Text(expression)
	return tags
}
