package ignorefields

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// isEncrypted tells whether SOPS has encrypted an item: any edit breaks the message authentication
// code of the whole, so that it can't be decrypted any more.
func isEncrypted(item *object.Object) bool {
	return item.Mentions("sops") && tree.Get(item.Root(), "sops", "mac") != nil
}

// leaveEncrypted reports that an encrypted object comes out as it is, with a warning for each rule
// that names it.
func (j *job) leaveEncrypted(identity *selector.Candidate, applied []rules.Rule) {
	const reason = "SOPS has encrypted the object, so it comes out as it is: any edit breaks its signature (sops.mac), " +
		"and it can't be decrypted any more"
	warn := func(entry, rule string) {
		j.notice(noticeKey{reason: entry, by: rule}, func() report.Result {
			return j.result(report.SeverityWarning, entry+": "+reason+"; let the rule run on what sops decrypts", encryptedTags())
		})
	}
	isNamed := false
	if entry := j.run.selection.NamedBy(identity); entry != "" {
		warn(entry, "")
		isNamed = true
	}
	for _, rule := range applied {
		if entry := rule.Selection.NamedBy(identity); entry != "" {
			warn(entry, rule.Path)
			isNamed = true
		}
	}
	if !isNamed {
		j.notice(noticeKey{reason: "sops"}, func() report.Result { return j.result(report.SeverityInfo, reason, encryptedTags()) })
	}
}

var encryptedDataAt = location.Location{location.Key("spec"), location.Key("encryptedData")}

// warnOfSealed warns of rules on the values of a SealedSecret.
func (j *job) warnOfSealed() {
	if j.name.Group != "bitnami.com" || j.name.Kind != "SealedSecret" {
		return
	}
	for _, f := range j.resolution.Found {
		if !encryptedDataAt.Contains(f.Location) && !f.Location.Contains(encryptedDataAt) {
			continue
		}
		key := j.keyOf(f.By, f.By.Path, "sealed", selector.Kind{Group: j.name.Group, Kind: j.name.Kind})
		j.notice(key, func() report.Result {
			result := j.result(report.SeverityWarning, fmt.Sprintf(
				"%s: %s is sealed: the controller makes a Secret of what the SealedSecret has, so without the value the Secret loses the key; "+
					"no other actor sets it", f.By.Name(), f.Location), f.By.Tags(report.ReasonEncrypted, f.Condition))
			result.Field = report.Field{Path: f.Location.String()}
			return result
		})
	}
}

func encryptedTags() map[string]string { return map[string]string{"reason": report.ReasonEncrypted} }
