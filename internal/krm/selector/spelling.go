package selector

import (
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/words"
)

// spellingHint says how to write here a value in the form of another tool: a list, a regular
// expression, a negation, a short name of kubectl; "" for any other.
func (c condition) spellingHint(objects []*Candidate) string {
	if parts := alternatives(c.want); len(parts) > 1 {
		return c.entriesHint(parts, objects)
	}
	if rest, isNegated := strings.CutPrefix(c.want, "!"); isNegated && rest != "" {
		return fmt.Sprintf("there is no negation; write exclude with %s: %s", c.field, value(rest))
	}
	values := valuesOf(c.field, objects)
	if glob := globOfPattern(c.want); glob != c.want && matchesAny(glob, values) {
		return fmt.Sprintf("did you mean %s%s: %s?", whereGlob(glob), c.field, value(glob))
	}
	if kind := shortKinds[strings.ToLower(c.want)]; c.field == fieldKind && slices.Contains(values, kind) {
		return fmt.Sprintf("did you mean kind: %s?", kind)
	}
	return ""
}

// alternatives returns the values of a text that lists several, as a regular expression or with
// commas.
func alternatives(text string) []string {
	text = strings.TrimPrefix(strings.TrimSuffix(text, "$"), "^")
	if inner, ok := strings.CutPrefix(text, "("); ok && strings.HasSuffix(inner, ")") {
		text = strings.TrimSuffix(inner, ")")
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("|,; \n", r) })
	return slices.Compact(parts)
}

// entriesHint suggests an entry for each of the values, or for similar existing ones.
func (c condition) entriesHint(parts []string, objects []*Candidate) string {
	values := valuesOf(c.field, objects)
	each := make([]string, len(parts))
	for i, part := range parts {
		if near, ok := words.Nearest(part, values); ok {
			part = near
		}
		each[i] = c.field + ": " + value(part)
	}
	if c.flat {
		return fmt.Sprintf("a ConfigMap has room for one value; run the function once for each: %s", sentence(each))
	}
	return fmt.Sprintf("an entry has one value for each field; write %d entries, %s", len(parts), sentence(each))
}

// globOfPattern returns the glob nearest to a simple regular expression or to a pattern with other
// wildcards.
func globOfPattern(pattern string) string {
	glob := strings.TrimPrefix(strings.TrimSuffix(pattern, "$"), "^")
	glob = strings.NewReplacer(
		`\.`, ".", ".*", "*", ".+", "*", `\d+`, "*", `\w+`, "*", "[0-9]+", "*", "[0-9]*", "*", "[a-z]+", "*", "[a-z]*", "*",
		"[a-z0-9]+", "*", "[a-z0-9-]+", "*", "%", "*", "?", "*",
	).Replace(glob)
	return glob
}

func whereGlob(pattern string) string {
	if isGlob(pattern) {
		return "the glob "
	}
	return ""
}

func matchesAny(glob string, values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool { return Glob(glob, v) })
}

// shortKinds are the kinds of Kubernetes' own short names, as `kubectl api-resources` lists them,
// that are too short to be near the kind.
var shortKinds = map[string]string{
	"cm": "ConfigMap", "crd": "CustomResourceDefinition", "crds": "CustomResourceDefinition", "cj": "CronJob", "deploy": "Deployment",
	"ds": "DaemonSet", "ep": "Endpoints", "hpa": "HorizontalPodAutoscaler", "ing": "Ingress", "limits": "LimitRange",
	"netpol": "NetworkPolicy", "no": "Node", "ns": "Namespace", "pc": "PriorityClass", "pdb": "PodDisruptionBudget",
	"po": "Pod", "pv": "PersistentVolume", "pvc": "PersistentVolumeClaim", "quota": "ResourceQuota",
	"rc": "ReplicationController", "rs": "ReplicaSet", "sa": "ServiceAccount", "sc": "StorageClass", "sts": "StatefulSet",
	"svc": "Service",
}
