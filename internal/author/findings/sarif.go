package findings

import (
	"io"
	"net/url"
	"slices"

	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/reasons"
	"github.com/krm-fields/krm-fields/internal/krm/report"
)

// What is used of SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		HelpURI          string    `json:"helpUri"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId,omitempty"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

// sarifLevels are the levels for the severities.
var sarifLevels = map[string]string{
	report.SeverityError:   "error",
	report.SeverityWarning: "warning",
	report.SeverityInfo:    "note",
}

// WriteSARIF writes findings as a log of the Static Analysis Results Interchange Format. Its rules
// are the reasons.
func WriteSARIF(out io.Writer, findings []Finding) error {
	driver := sarifDriver{Name: "krm-fields", InformationURI: reasons.Repository, Rules: []sarifRule{}}
	results := make([]sarifResult, len(findings))
	for i, f := range findings {
		results[i] = sarifOf(f)
		if id := results[i].RuleID; id != "" && !slices.ContainsFunc(driver.Rules, func(r sarifRule) bool { return r.ID == id }) {
			driver.Rules = append(driver.Rules, ruleOf(id))
		}
	}
	run := sarifRun{Tool: sarifTool{driver}, ColumnKind: "utf16CodeUnits", Results: results}
	return explain.WriteJSON(out, sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

func sarifOf(f Finding) sarifResult {
	result := sarifResult{RuleID: f.Tags["reason"], Level: sarifLevels[f.Severity], Message: sarifText{f.text()}}
	if f.File == "" {
		return result
	}
	uri := url.URL{Path: f.File}
	at := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{URI: uri.String()}}}
	if f.Line > 0 {
		at.Physical.Region = &sarifRegion{StartLine: f.Line}
	}
	if ref := f.Ref.String(); ref != "" {
		at.Logical = []sarifLogical{{Name: ref, Kind: "object"}}
	}
	result.Locations = []sarifLocation{at}
	return result
}

func ruleOf(id string) sarifRule {
	rule := sarifRule{ID: id, ShortDescription: sarifText{id}, HelpURI: reasons.Repository}
	if reason, ok := reasons.Find(id); ok {
		rule.ShortDescription.Text, rule.HelpURI = reason.Meaning, reason.URL()
	}
	return rule
}
