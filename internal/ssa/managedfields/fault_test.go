package managedfields

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestFaults holds what is said of an entry that no API server writes, and that the others count,
// in the entries and in the survey alike.
func TestFaults(t *testing.T) {
	for entry, want := range map[string]string{
		"operation: Replace, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {}":                           `operation must be Apply or Update, found "Replace"`,
		"operation: Apply, fieldsType: FieldsV1, fieldsV1: {}":                                             `apiVersion must be set, found none`,
		"operation: Apply, apiVersion: v1, fieldsType: FieldsV2, fieldsV1: {}":                             `fieldsType must be FieldsV1, found "FieldsV2"`,
		"operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: []":                             `fieldsV1 must be fields, found a list`,
		"operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {replicas: {}}}":       `fieldsV1 must be fields, found "replicas"`,
		"operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:replicas: 3}}":      `fieldsV1 must be fields, found "f:replicas"`,
		"operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {'x:1': {}, '.': {}}}": "",
		"operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {'k:{\"a\"': {}}}":     `fieldsV1 must be fields, found "k:{\"a\""`,
		"operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {'i:0': {f:spec: {}}}":          `fieldsV1 must be fields, found "i:0"`,
	} {
		root, err := tree.Parse([]byte("apiVersion: v1\nkind: A\nmetadata: {name: a, managedFields: [{manager: hpa, " + entry +
			"}, {manager: b, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {}}}]}\n"))
		if err != nil {
			t.Fatal(err)
		}
		entries, faults := Of(root)
		survey := SurveyOf(root)
		count := 2
		if want != "" {
			count = 1
			want = `metadata.managedFields[0] of the live object, by "hpa": ` + want + "; no API server writes that, so the entry counts as missing"
		}
		got, surveyed := "", ""
		if len(faults) == 1 && len(survey.Faults) == 1 {
			got, surveyed = faults[0].Message, survey.Faults[0].Message
		}
		if got != want || surveyed != want || len(entries) != count || len(survey.Entries) != count || entries[count-1].Manager != "b" {
			t.Errorf("%s: got %q and %q, %d and %d entries, want %q", entry, got, surveyed, len(entries), len(survey.Entries), want)
		}
	}
}
