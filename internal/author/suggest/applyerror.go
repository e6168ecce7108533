//go:build !nopatches

package suggest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
)

// Kind is what a finding is about.
type Kind string

const (
	// Conflict is a field that another manager owns.
	Conflict Kind = "Conflict"
	// Duplicate is a list with two elements of one key.
	Duplicate Kind = "Duplicate"
	// Undeclared is a field that the schema does not have.
	Undeclared Kind = "Undeclared"
	// Immutable is a field whose value must stay.
	Immutable Kind = "Immutable"
	// Mistyped is a value of another type than that of the schema.
	Mistyped Kind = "Mistyped"
	// Required is a field that must be there.
	Required Kind = "Required"
)

// Finding is one thing that is wrong with an object.
type Finding struct {
	Kind Kind
	Path Path
	// Ref is the object as far as the text names it, in front of what is wrong.
	Ref report.Ref
	// Manager, Subresource and APIVersion are those of the owner in a conflict.
	Manager, Subresource, APIVersion string

	offset int
}

// Report is what a text says.
type Report struct {
	Tool     *Tool
	Findings []Finding
}

// FormatError is a text in which there is nothing of a failed apply.
type FormatError struct{ Found string }

func (e *FormatError) Error() string {
	return "the text must hold the message of a failed server-side apply, such as " +
		`Apply failed with 1 conflict: conflict with "hpa" using apps/v1: .spec.replicas; ` +
		"or duplicate entries for key, field not declared in schema, field is immutable or Required value behind a field; found " +
		strconv.Quote(words.Shorten(strings.Join(strings.Fields(e.Found), " "), maxFound))
}

const maxFound = 60

const quoted = `"(?:[^"\\]|\\.)*"`

var (
	// fieldPattern begins with a name, and has spaces in quotes only.
	fieldPattern = `((?:\.?[A-Za-z])(?:[^\s\[\]:"(){},;]|\[(?:` + quoted + `|[^"\[\]\s])*\])*)`
	conflict     = words.Pattern(`conflicts?\s+with\s+(` + quoted + `)(?:\s+with\s+subresource\s+(` + quoted + `))?` +
		`(?:\s+using\s+(\S+?))?(?:\s+at\s+\S+?)?:\s+((?:-\s+)?\.\S)`)
	conflicting = words.Pattern(`^(?:\s*-)?\s*` + strings.Replace(fieldPattern, `(?:\.?[A-Za-z])`, `\.[^\s\[\]]`, 1))
	faults      = []struct {
		kind    Kind
		pattern func() *regexp.Regexp
	}{
		{Duplicate, words.Pattern(fieldPattern + `:\s+duplicate\s+entries\s+for\s+key\s+(\[(?:` + quoted + `|[^"\]])*\])`)},
		{Undeclared, words.Pattern(fieldPattern + `:\s+field\s+not\s+declared\s+in\s+schema`)},
		{Immutable, words.Pattern(fieldPattern + `:\s+(?:Invalid\s+value|Forbidden):[^\n]*?` +
			`(?:is\s+immutable|may\s+not\s+change|are\s+forbidden|cannot\s+change)`)},
		{Mistyped, words.Pattern(fieldPattern + `:\s+expected\s+[a-z][^,\n]*,\s+got\s`)},
		{Required, words.Pattern(fieldPattern + `:\s+Required\s+value`)},
	}
	// escaped is a quote of the message inside a quoted text.
	escaped = words.Pattern(`(?:with|=|\[|:|-) *\\+"|\\n *(?:- )?\.[a-z]`)
	margin  = words.Pattern(`(?m)^[ \t]*[│╷╵|][ \t]?|\x1b\[[0-9;]*m`)
)

// Read reads the text of a failed server-side apply: the API server's message, and what kubectl,
// Helm, Flux, Argo CD, Terraform or Pulumi write around it. The error is a *FormatError.
func Read(text string) (Report, error) {
	plain := unescape(margin().ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), ""))
	tool := slices.IndexFunc(tools, func(t *Tool) bool { return t.says().MatchString(plain) })
	r := Report{Tool: tools[tool], Findings: conflicts(plain)}
	for _, f := range faults {
		for _, m := range f.pattern().FindAllStringSubmatchIndex(plain, -1) {
			name := plain[m[2]:m[3]]
			if f.kind == Duplicate {
				name += plain[m[4]:m[5]]
			}
			if path, ok := ParsePath(name); ok {
				r.Findings = append(r.Findings, Finding{Kind: f.kind, Path: path, offset: m[0]})
			}
		}
	}
	if len(r.Findings) == 0 {
		return Report{}, &FormatError{Found: text}
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return a.offset - b.offset })
	named, next := objectsIn(plain), 0
	for i, f := range r.Findings {
		for next < len(named) && named[next].offset < f.offset {
			next++
		}
		if next > 0 {
			r.Findings[i].Ref = named[next-1].ref
		}
	}
	r.Findings = distinct(r.Findings)
	return r, nil
}

// unescape undoes quoting, as JSON, HCL and Go do it, around the message.
func unescape(text string) string {
	const levels = 4
	for range levels {
		if !escaped().MatchString(text) {
			break
		}
		text = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t").Replace(text)
	}
	return text
}

// conflicts finds the conflicts: one field behind a manager, or a list of them.
func conflicts(text string) []Finding {
	var all []Finding
	for _, m := range conflict().FindAllStringSubmatchIndex(text, -1) {
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return text[m[2*i]:m[2*i+1]]
		}
		f := Finding{Kind: Conflict, APIVersion: part(3), offset: m[0]}
		f.Manager, _ = strconv.Unquote(part(1))
		f.Subresource, _ = strconv.Unquote(part(2))
		for rest := text[m[8]:]; ; {
			found := conflicting().FindStringSubmatchIndex(rest)
			if found == nil {
				break
			}
			if path, ok := ParsePath(strings.TrimRight(rest[found[2]:found[3]], ".'`")); ok {
				f.Path = path
				all = append(all, f)
			}
			if rest = rest[found[1]:]; !strings.HasPrefix(strings.TrimLeft(rest, " \t\n"), "- .") {
				break
			}
		}
	}
	return all
}

// distinct leaves out what the text repeats.
func distinct(all []Finding) []Finding {
	var once []Finding
	for _, f := range all {
		if !slices.ContainsFunc(once, func(o Finding) bool {
			return o.Kind == f.Kind && o.Path.text == f.Path.text && o.Manager == f.Manager && (o.Ref == f.Ref || f.Ref.IsZero())
		}) {
			once = append(once, f)
		}
	}
	return once
}

// objects are the ways in which objects are named, with groups a (apiVersion), g (group), k (kind),
// s (namespace) and n (name).
var objects = []func() *regexp.Regexp{
	// The API server, of an object that its schema does not fit.
	words.Pattern(`\((?P<s>[^\s/();]*)/(?P<n>[^\s/();]+);\s+/?(?P<a>[\w.-][\w./-]*),\s+Kind=(?P<k>\w+)\)`),
	// Helm.
	words.Pattern(`object\s+(?P<s>[^\s/]*)/(?P<n>\S+)\s+/?(?P<a>[\w.-][\w./-]*),\s+Kind=(?P<k>\w+)`),
	// Flux.
	words.Pattern(`(?P<k>[A-Z]\w+)/(?:(?P<s>[^\s/]+)/)?(?P<n>[^\s/]+)\s+dry-run\s+failed`),
	// The API server, of an object that is not valid.
	words.Pattern(`(?:The\s+)?(?P<k>[A-Z]\w+)(?P<g>\.[a-z0-9.-]+)?\s+"(?P<n>[^"\s]+)"\s+is\s+invalid`),
	// kpt, which has the resource in place of the kind.
	words.Pattern(`\b[a-z]+(?P<g>\.[a-z0-9.-]+)?/(?P<n>[a-z0-9.-]+)\s+apply\s+failed`),
	// Terraform.
	words.Pattern(`manifest\s+for\s+"(?P<s>[^"/\s]*)/(?P<n>[^"/\s]+)"`),
	// Pulumi, whose names are those of its resources.
	words.Pattern(`kubernetes:(?:core/)?(?P<a>[a-z0-9./-]+):(?P<k>[A-Z]\w+)\b(?:[^"]*"(?P<s>[^"/\s]*)/(?P<n>[^"/\s]+)"\s+failed\s+to\s+fully)?`),
}

// namedObject is an object that a text names, and where.
type namedObject struct {
	offset int
	ref    report.Ref
}

// objectsIn returns the objects that a text names, in its order.
func objectsIn(text string) []namedObject {
	var all []namedObject
	for _, pattern := range objects {
		re := pattern()
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			part := func(name string) string { return string(re.ExpandString(nil, "${"+name+"}", text, m)) }
			o := namedObject{m[0], report.Ref{APIVersion: part("a"), Kind: part("k"), Namespace: part("s"), Name: part("n")}}
			if group := strings.TrimPrefix(part("g"), "."); group != "" {
				o.ref.APIVersion = group + "/*"
			}
			all = append(all, o)
		}
	}
	slices.SortStableFunc(all, func(a, b namedObject) int { return a.offset - b.offset })
	return all
}
