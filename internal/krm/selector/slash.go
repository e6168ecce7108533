package selector

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/words"
)

var versionPattern = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

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
	fix := "; write " + sentence(fields)
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
	case versionPattern.MatchString(part):
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
	if versionPattern.MatchString(version) {
		fields = append(fields, fieldVersion+": "+value(version))
		group = rest
	}
	if group != "" {
		fields = append(fields, fieldGroup+": "+value(group))
	}
	return "write " + sentence(fields)
}

// sentence joins parts: `a`, `a and b`, `a, b and c`.
func sentence(parts []string) string {
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}
