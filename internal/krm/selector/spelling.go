package selector

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	values := c.valuesIn(objects)
	pattern := globs.Replace(strings.TrimPrefix(strings.TrimSuffix(c.want, "$"), "^"))
	if pattern != c.want && slices.ContainsFunc(values, func(v string) bool { return Glob(pattern, v) }) {
		what := c.field
		if isGlob(pattern) {
			what = "the glob " + what
		}
		return fmt.Sprintf("did you mean %s: %s?", what, value(pattern))
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
	values := c.valuesIn(objects)
	each := make([]string, len(parts))
	for i, part := range parts {
		if near, ok := words.Nearest(part, values); ok {
			part = near
		}
		each[i] = c.field + ": " + value(part)
	}
	if c.flat {
		return fmt.Sprintf("a ConfigMap has room for one value; run the function once for each: %s", words.All(each))
	}
	return fmt.Sprintf("an entry has one value for each field; write %d entries, %s", len(parts), words.All(each))
}

// globs are the nearest globs to what stands in simple regular expressions and patterns with other
// wildcards.
var globs = strings.NewReplacer(
	`\.`, ".", ".*", "*", ".+", "*", `\d+`, "*", `\w+`, "*", "[0-9]+", "*", "[0-9]*", "*", "[a-z]+", "*", "[a-z]*", "*",
	"[a-z0-9]+", "*", "[a-z0-9-]+", "*", "%", "*", "?", "*",
)

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

var versionPattern = words.Pattern(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// slashFix says how to write a value such as `apps/v1`, `apps/v1/Deployment` or `Deployment/web` in
// one field: each part in the field that its form shows. It returns "" if that is unclear.
func slashFix(text string) string {
	var fields []string
	parts := map[string]string{}
	for part := range strings.SplitSeq(text, "/") {
		if part == "" || part == "*" {
			continue
		}
		field := fieldOfPart(part, parts)
		if parts[field] != "" {
			return ""
		}
		parts[field] = part
		switch kind := usualKind(part); {
		case field == fieldGroup && part == "core":
			part = ""
		case field == fieldKind && kind != "":
			part = kind
		}
		fields = append(fields, field+": "+value(part))
	}
	if len(fields) == 0 {
		return ""
	}
	fix := "; write " + words.All(fields)
	if group, version := parts[fieldGroup], parts[fieldVersion]; len(parts) == 2 && group != "" && version != "" {
		fix += ", or apiVersion: " + value(strings.TrimPrefix(group+"/"+version, "core/"))
	}
	return fix
}

// fieldOfPart returns the field of a part, by its form and the parts before it.
func fieldOfPart(part string, before map[string]string) string {
	first, _ := utf8.DecodeRuneInString(part)
	switch {
	case before[fieldKind] != "":
		return fieldName
	case versionPattern().MatchString(part):
		return fieldVersion
	case unicode.IsUpper(first), usualKind(part) != "":
		return fieldKind
	}
	return fieldGroup
}

// usualKinds are kinds that people often name as kubectl does: in lower case, in the plural, or by
// a short name.
var usualKinds = []string{
	"ConfigMap", "CronJob", "DaemonSet", "Deployment", "Ingress", "Job", "Namespace", "Pod", "ReplicaSet", "Secret", "Service",
	"ServiceAccount", "StatefulSet",
}

// usualKind returns the kind that a name of kubectl means; "" if it is not known.
func usualKind(name string) string {
	if kind := shortKinds[name]; kind != "" {
		return kind
	}
	for _, kind := range usualKinds {
		if name == strings.ToLower(kind) || name == words.Plural(kind) {
			return kind
		}
	}
	return ""
}

// dottedFix says how to write a kind with its version and group behind it, as kubectl accepts it:
// `Deployment.v1.apps` or `deployments.apps`. The kinds are the existing ones.
func dottedFix(kind string, kinds []string) string {
	kind, group, _ := strings.Cut(kind, ".")
	if near, ok := words.Nearest(kind, kinds); ok {
		kind = near
	}
	version, rest, _ := strings.Cut(group, ".")
	fields := []string{fieldKind + ": " + value(kind)}
	if versionPattern().MatchString(version) {
		fields = append(fields, fieldVersion+": "+value(version))
		group = rest
	}
	if group != "" {
		fields = append(fields, fieldGroup+": "+value(group))
	}
	return "write " + words.All(fields)
}
