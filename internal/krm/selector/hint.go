package selector

import (
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
)

// noMatch returns the message that the entry matches no object, with the first hint that applies:
// the object exists but is never selected by default, a field that matches no object at all, the
// nearest object and its fields that differ.
func (e *compiledSelector) noMatch(what string, objects []*Candidate) string {
	message := fmt.Sprintf("no object matches the %s %s", what, e)
	if len(e.conditions) == 0 {
		message = "no object matches the " + what
	}
	if i := slices.IndexFunc(objects, e.holds); i >= 0 {
		return message + fmt.Sprintf("; %s is skipped unless a selector has kind: %s", objects[i], objects[i].Kind)
	}
	for _, c := range e.conditions {
		if !slices.ContainsFunc(objects, c.holds) {
			return message + "; " + c.hint(objects)
		}
	}
	if len(objects) == 0 {
		return message
	}
	nearest := slices.MinFunc(objects, func(a, b *Candidate) int { return e.distance(a) - e.distance(b) })
	_, differs := e.differs(nearest)
	return message + fmt.Sprintf("; the nearest object, %s, has %s", nearest, words.All(differs))
}

// differs returns the conditions that an object fails, and what it has instead.
func (e *compiledSelector) differs(o *Candidate) (wants, has []string) {
	for _, c := range e.conditions {
		if !c.holds(o) {
			wants, has = append(wants, c.String()), append(has, c.has(o))
		}
	}
	return wants, has
}

// distance grows with the number of conditions that the object fails; for equal numbers, an object
// of the right kind is nearer, then one of the right name.
func (e *compiledSelector) distance(o *Candidate) int {
	distance := 0
	for _, c := range e.conditions {
		if c.holds(o) {
			continue
		}
		distance += 4
		switch c.field {
		case fieldKind:
			distance += 2
		case fieldName:
			distance++
		}
	}
	return distance
}

// has describes the object's value that fails the condition.
func (c condition) has(o *Candidate) string {
	switch c.field {
	case fieldLabels, fieldAnnotations:
		if _, ok := o.text(c.field, c.key); ok {
			return "another value of the " + c.what()
		}
		return "no " + c.what()
	case fieldLabelSelector:
		return "other labels"
	case fieldAnnotationSelector:
		return "other annotations"
	}
	if c.of(o) == "" && c.field != fieldGroup {
		return "no " + c.field
	}
	return c.field + ": " + value(c.of(o))
}

// what names the label or annotation that the condition is about.
func (c condition) what() string {
	return strings.TrimSuffix(c.field, "s") + " " + config.Quote(c.key)
}

// hint says why no object may meet the condition.
func (c condition) hint(objects []*Candidate) string {
	switch {
	case len(objects) == 0:
		return "there are no objects"
	case c.field == fieldLabels || c.field == fieldAnnotations:
		return c.pairHint(objects)
	case c.field == fieldLabelSelector:
		return "no object has labels that match the labelSelector"
	case c.field == fieldAnnotationSelector:
		return "no object has annotations that match the annotationSelector"
	case c.field == fieldGroup && c.want == "core":
		return `the core group is written group: ""`
	}
	values := lists.Map(objects, c.of)
	slices.Sort(values)
	switch kind, isShort := OfShortName(c.want); {
	case c.field == fieldKind && isShort:
		return fmt.Sprintf("a kind is written as in manifests; write kind: %s", kind)
	case strings.HasPrefix(c.want, "!") && fieldInCEL[c.field] != "":
		return fmt.Sprintf(`a "!" negates nothing here; write exclude: [{%s: %s}], or in a target of ApplyPatches where: %s != %q`,
			c.field, value(c.want[1:]), fieldInCEL[c.field], c.want[1:])
	}
	if hint := c.severalHint(); hint != "" {
		return hint
	}
	if near, ok := words.Nearest(c.want, slices.Compact(values)); ok {
		return fmt.Sprintf("did you mean %s: %s?", c.field, value(near))
	}
	return fmt.Sprintf("no object has the %s %s", c.field, value(c.want))
}

// severalHint says how to write what several names, or a regular expression as kustomize reads it,
// stand for; "" for another value.
func (c condition) severalHint() string {
	names := strings.FieldsFunc(strings.ReplaceAll(strings.Trim(c.want, "^$()"), ".*", "*"), func(r rune) bool { return strings.ContainsRune(",| ", r) })
	if len(names) == 1 && strings.ContainsAny(c.want, "^$()|.") && names[0] != c.want {
		return fmt.Sprintf("a selector is no regular expression, and * stands for any characters; write %s: %s", c.field, value(names[0]))
	}
	if len(names) < 2 {
		return ""
	}
	hint := "write one selector for each: " + strings.Join(lists.Map(names, func(name string) string {
		return fmt.Sprintf("{%s: %s}", c.field, value(name))
	}), ", ")
	if field := fieldInCEL[c.field]; field != "" && !strings.Contains(c.want, "*") {
		hint += fmt.Sprintf(`; or in a target of ApplyPatches where: %s in ["%s"]`, field, strings.Join(names, `", "`))
	}
	return hint
}

// fieldInCEL are the fields of an object that a target compares, as its where has them.
var fieldInCEL = map[string]string{
	fieldKind: "resource.kind", fieldName: "resource.metadata.name", fieldNamespace: "resource.metadata.namespace",
}

// OfShortName returns the kind that a short name of kubectl stands for.
func OfShortName(name string) (kind string, ok bool) {
	kind, ok = shortNames[strings.ToLower(name)]
	return kind, ok
}

// shortNames are the kinds that kubectl's short names of them stand for.
var shortNames = map[string]string{
	"cj": "CronJob", "cm": "ConfigMap", "crd": "CustomResourceDefinition", "crds": "CustomResourceDefinition", "deploy": "Deployment",
	"ds": "DaemonSet", "ep": "Endpoints", "hpa": "HorizontalPodAutoscaler", "ing": "Ingress", "limits": "LimitRange",
	"netpol": "NetworkPolicy", "no": "Node", "ns": "Namespace", "pc": "PriorityClass", "pdb": "PodDisruptionBudget",
	"po": "Pod", "pv": "PersistentVolume", "pvc": "PersistentVolumeClaim", "quota": "ResourceQuota", "rs": "ReplicaSet",
	"sa": "ServiceAccount", "sc": "StorageClass", "sts": "StatefulSet", "svc": "Service",
}

// pairHint says whether the key of a label or annotation exists. It shows no values, since an
// annotation of a Secret may hold the Secret's.
func (c condition) pairHint(objects []*Candidate) string {
	if strings.Contains(c.want, "*") {
		return fmt.Sprintf("the value of the %s must be exact; to select objects that have it, write %sSelector: %s",
			c.what(), strings.TrimSuffix(c.field, "s"), config.Quote(c.key))
	}
	var keys []string
	for _, o := range objects {
		for key := range o.entries(c.field) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	if slices.Contains(keys, c.key) {
		return fmt.Sprintf("no object has this value of the %s", c.what())
	}
	if near, ok := words.Nearest(c.key, keys); ok {
		return fmt.Sprintf("no object has the %s; did you mean %s?", c.what(), config.Quote(near))
	}
	return fmt.Sprintf("no object has the %s", c.what())
}
