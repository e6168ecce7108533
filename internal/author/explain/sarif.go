package explain

import (
	"io"
	"net/url"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
)

// sarifLevels are the levels for the severities.
var sarifLevels = map[string]string{
	report.SeverityError:   "error",
	report.SeverityWarning: "warning",
	report.SeverityInfo:    "note",
}

// fields are an object of JSON; types of its own for each would make the program larger.
type fields = map[string]any

var sarif = Writer{Name: "sarif", Extension: ".sarif", Doc: "a SARIF log", HasPlaces: true, Write: withPlaces(writeSARIF)}

// writeSARIF writes a log of the Static Analysis Results Interchange Format 2.1.0
// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html). Its rules are the reasons.
//
// What is about no file is a notification, since GitHub refuses a log with a result that has no
// place.
func writeSARIF(out io.Writer, findings []Finding) error {
	rules, results, notifications, known := []any{}, []any{}, []any{}, map[string]bool{"": true}
	succeeded := true
	for _, f := range findings {
		succeeded = succeeded && f.Severity != report.SeverityError
		id, about := f.Tags["reason"], fields{"level": sarifLevels[f.Severity], "message": fields{"text": f.text()}}
		if f.File != "" {
			about["locations"] = []any{f.sarifLocation()}
			if id != "" {
				about["ruleId"] = id
			}
			results = append(results, about)
		} else {
			if id != "" {
				about["associatedRule"] = fields{"id": id}
			}
			notifications = append(notifications, about)
		}
		if known[id] {
			continue
		}
		known[id] = true
		rule := fields{"id": id}
		if reason, ok := FindReason(id); ok {
			rule["shortDescription"], rule["helpUri"] = fields{"text": reason.Meaning}, reason.URL()
		}
		rules = append(rules, rule)
	}
	driver := fields{"name": "krm-fields", "informationUri": Repository, "rules": rules}
	run := fields{"tool": fields{"driver": driver}, "columnKind": "utf16CodeUnits", "results": results}
	if len(notifications) > 0 {
		run["invocations"] = []any{fields{"executionSuccessful": succeeded, "toolExecutionNotifications": notifications}}
	}
	return WriteJSON(out, fields{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []any{run}})
}

func (f Finding) sarifLocation() fields {
	place := fields{"artifactLocation": fields{"uri": uriOf(f.File)}}
	if f.Line > 0 {
		place["region"] = fields{"startLine": f.Line}
	}
	at := fields{"physicalLocation": place}
	if ref := f.Ref.String(); ref != "" {
		at["logicalLocations"] = []any{fields{"fullyQualifiedName": ref, "kind": "object"}}
	}
	return at
}

// uriOf is the relative reference to a file. A colon would make a scheme of what is before it.
func uriOf(file string) string {
	return strings.Join(lists.Map(strings.Split(file, "/"), func(segment string) string {
		return strings.ReplaceAll(url.PathEscape(segment), ":", "%3A")
	}), "/")
}
