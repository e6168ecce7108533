//go:build !nopatches

package suggest

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
)

// Problem is what a finding is about.
type Problem string

const (
	// Conflict is a field that another manager owns.
	Conflict Problem = "Conflict"
	// Duplicate is a list with two elements of one key.
	Duplicate Problem = "Duplicate"
	// Undeclared is a field that the schema does not have.
	Undeclared Problem = "Undeclared"
	// Immutable is a field whose value must stay.
	Immutable Problem = "Immutable"
	// Mistyped is a value of another type than that of the schema.
	Mistyped Problem = "Mistyped"
	// Required is a field that must be there.
	Required Problem = "Required"
	// KeyMissing is a list element without one of the fields that identify it.
	KeyMissing Problem = "KeyMissing"
	// Equal is a value that two elements of a list have, and one at most may.
	Equal Problem = "Equal"
	// Managed is metadata.managedFields in the package.
	Managed Problem = "ManagedFields"
	// Forbidden is a request that the API server refuses as a whole.
	Forbidden Problem = "Forbidden"
	// Unread is a conflict whose field can't be read.
	Unread Problem = "Unread"
)

// Finding is one thing that is wrong with an object.
type Finding struct {
	Problem Problem
	Path    Path
	// Ref is the object as far as the text names it, in front of what is wrong.
	Ref report.Ref
	// Manager, Subresource and APIVersion are those of the owner in a conflict.
	Manager, Subresource, APIVersion string
	// Says is what else the text says: the missing key, the reason for a refusal.
	Says string

	// isConflict is true for a conflict, also if its field can't be read.
	isConflict bool
	offset     int
}

// Report is what a text says.
type Report struct {
	Tool *Tool
	// Messages are the findings by messages of the API server, each about one object.
	Messages [][]Finding
}

// FormatError is a text in which there is nothing of a failed apply.
type FormatError struct{ Found string }

func (e *FormatError) Error() string {
	found := "a text that may have a Secret in it"
	if !redact.MayHold([]byte(e.Found)) {
		found = strconv.Quote(words.Shorten(strings.Join(strings.Fields(e.Found), " "), maxFound))
	}
	return "the text must hold the message of a failed server-side apply, such as " +
		`Apply failed with 1 conflict: conflict with "hpa" using apps/v1: .spec.replicas; ` +
		"or duplicate entries for key, field not declared in schema, field is immutable, Required value or Duplicate value behind a field; found " + found
}

const maxFound = 60

const quoted = `"(?:[^"\\]|\\.)*"`

var (
	// fieldPattern begins with a name, and has spaces in quotes only.
	fieldPattern = `((?:\.?[A-Za-z])(?:[^\s\[\]:"(){},;]|\[(?:` + quoted + `|[^"\[\]\s])*\])*)`
	// The object in the middle is what krm-fields apply writes, and the last part what kluctl does.
	conflict = words.Pattern(`conflicts?\s+with\s+(` + quoted + `)(?:\s+with\s+subresource\s+(` + quoted + `))?` +
		`(?:\s+using\s+(\S+?))?(?:\s+at\s+\S+?)?(?::\s+(?:\([^()\n]*\)\s+\[ApplyError\]\s+)?|\.\s+Not\s+updating\s+field\s+')((?:-\s+)?\.\S)`)
	conflicting = words.Pattern(`^(?:\s*-)?\s*` + strings.Replace(fieldPattern, `(?:\.?[A-Za-z])`, `\.[^\s\[\]]`, 1))
	// goesOn is what is behind a field only if its name goes on.
	goesOn = words.Pattern(`^(?:[\[\]({}]|[":,;][\w./-])`)
	// failed is the beginning of a message.
	failed = words.Pattern(`Apply\s+failed\s+with\s+(\d+)\s+conflicts?`)
	faults = []struct {
		problem Problem
		pattern func() *regexp.Regexp
	}{
		{Duplicate, words.Pattern(fieldPattern + `:\s+duplicate\s+entries\s+for\s+key\s+(\[(?:` + quoted + `|[^"\]])*\])`)},
		{Undeclared, words.Pattern(fieldPattern + `:\s+field\s+not\s+declared\s+in\s+schema`)},
		{Immutable, words.Pattern(fieldPattern + `:\s+(?:Invalid\s+value|Forbidden):[^\n]*?` +
			`(?:is\s+immutable|may\s+not\s+change|are\s+forbidden|cannot\s+change)`)},
		{Mistyped, words.Pattern(fieldPattern + `:\s+expected\s+[a-z][^,\n]*,\s+got\s`)},
		{Required, words.Pattern(fieldPattern + `:\s+Required\s+value`)},
		{KeyMissing, words.Pattern(fieldPattern + `:\s+(element\s+\d+):\s+associative\s+list\s+with\s+keys\s+has\s+an\s+element\s+that\s+omits\s+` +
			`(?:all\s+)?key\s+fields?\s+\[?(` + quoted + `)`)},
		{Equal, words.Pattern(fieldPattern + `:\s+Duplicate\s+value`)},
		{Managed, words.Pattern(`(metadata\.managedFields)\s+must\s+be\s+nil`)},
	}
	forbidden = words.Pattern(`\b[a-z][a-z0-9.-]*\s+"[^"\s]+"\s+is\s+forbidden:\s+([^\n]+)`)
	// escaped is a quote of the message inside a quoted text.
	escaped = words.Pattern(`(?:with|=|\[|:|-) *\\+"|\\n *(?:- )?\.[a-z]`)
	colour  = words.Pattern(`\x1b\[[0-9;]*m|\x{FEFF}`)
	// margin is what boxes, quoting and logs put in front of each line.
	margin = words.Pattern(`(?m)^(?:[ \t]*(?:[│╷╵|>]+|#[ \t]|` +
		`(?:[^\t\n]+\t[^\t\n]+\t)?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?[ \t]|` + // a time, in gh behind the job and the step
		`[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]+ [\w.-]+(?:\[\d+\])?:[ \t]|` + // syslog
		`##\[\w+\]|::\w+[^:\n]*::|#\d+ [\d.]+[ \t]|` + // Azure Pipelines, GitHub Actions, BuildKit
		`\[[\w:.,+/ -]+\][ \t]|[\w.-]+[ \t]+\|))+[ \t]?`) // Jenkins and kubectl logs --prefix, docker compose
)

// IsFailedApply tells whether FromError finds something in a text.
func IsFailedApply(text string) bool {
	_, err := Read(text)
	return err == nil
}

// Read reads the text of a failed server-side apply: the API server's message, and what kubectl,
// Helm, Flux, Argo CD, Terraform or Pulumi write around it. The error is a *FormatError.
func Read(text string) (Report, error) {
	plain := colour().ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), "")
	plain = unescape(margin().ReplaceAllString(plain, ""))
	tool := slices.IndexFunc(tools, func(t *Tool) bool { return t.says().MatchString(plain) })
	findings := conflicts(plain)
	cutOff := cut(plain, findings)
	for _, f := range faults {
		for _, m := range f.pattern().FindAllStringSubmatchIndex(plain, -1) {
			name, found := plain[m[2]:m[3]], Finding{Problem: f.problem, offset: m[0]}
			switch f.problem {
			case Duplicate:
				name += plain[m[4]:m[5]]
			case KeyMissing:
				name += "[" + strings.Fields(plain[m[4]:m[5]])[1] + "]"
				found.Says, _ = strconv.Unquote(plain[m[6]:m[7]])
			}
			found.readPath(name)
			findings = append(findings, found)
		}
	}
	for _, m := range forbidden().FindAllStringSubmatchIndex(plain, -1) {
		findings = append(findings, Finding{Problem: Forbidden, Says: strings.TrimSpace(plain[m[2]:m[3]]), offset: m[2]})
	}
	if len(findings) == 0 {
		return Report{}, &FormatError{Found: text}
	}
	findings = append(findings, cutOff...)
	slices.SortStableFunc(findings, func(a, b Finding) int { return a.offset - b.offset })
	return Report{Tool: tools[tool], Messages: messages(plain, findings)}, nil
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
		f := Finding{Problem: Conflict, APIVersion: part(3), isConflict: true, offset: m[0]}
		f.Manager, _ = strconv.Unquote(part(1))
		f.Subresource, _ = strconv.Unquote(part(2))
		for rest := text[m[8]:]; ; {
			found := conflicting().FindStringSubmatchIndex(rest)
			if found == nil {
				break
			}
			written := rest[found[2]:found[3]]
			rest = rest[found[1]:]
			name := strings.TrimRight(written, ".'`")
			f.Problem = Conflict
			if f.readPath(name); goesOn().MatchString(rest) || strings.HasSuffix(written, "...") || strings.HasSuffix(written, "…") {
				f.Problem, f.Path = Unread, Path{text: name}
			}
			all = append(all, f)
			if !strings.HasPrefix(strings.TrimLeft(rest, " \t\n"), "- .") {
				break
			}
		}
	}
	return all
}

// readPath parses the field of a finding, which is Unread if that is no path.
func (f *Finding) readPath(name string) {
	path, ok := parsePath(name)
	if !ok {
		f.Problem, path = Unread, Path{text: name}
	}
	f.Path = path
}

// cut finds the messages that have fewer conflicts than they say.
func cut(text string, conflicts []Finding) (all []Finding) {
	begins, next := failed().FindAllStringSubmatchIndex(text, -1), 0
	for i, m := range begins {
		end := len(text)
		if i+1 < len(begins) {
			end = begins[i+1][0]
		}
		read := 0
		for ; next < len(conflicts) && conflicts[next].offset < end; next++ {
			if m[0] < conflicts[next].offset {
				read++
			}
		}
		if says, err := strconv.Atoi(text[m[2]:m[3]]); err != nil || read < says {
			all = append(all, Finding{Problem: Unread, offset: m[0],
				Says: fmt.Sprintf("the message says %q, and has %d: give the whole message", text[m[0]:m[1]], read)})
		}
	}
	return all
}

// messages gives each finding the object that the text names in front of it. The conflicts of one
// message are about one object, and each other finding is a message of its own.
func messages(text string, findings []Finding) (all [][]Finding) {
	named, begins := objectsIn(text), failed().FindAllStringIndex(text, -1)
	name, begin := 0, 0
	for _, f := range findings {
		isNext := len(all) == 0 || !f.isConflict || !all[len(all)-1][0].isConflict
		for first := name; name < len(named) && named[name].offset < f.offset; name++ {
			if isNext = true; name > first {
				named[name].complete(named[name-1].ref)
			}
		}
		for begin < len(begins) && begins[begin][0] < f.offset {
			begin, isNext = begin+1, true
		}
		if name > 0 {
			f.Ref = named[name-1].ref
		}
		if isNext {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], f)
	}
	return distinct(all)
}

// distinct leaves out messages that the text repeats.
func distinct(all [][]Finding) [][]Finding {
	type key struct {
		findings string
		ref      report.Ref // none: of any object
	}
	known := map[key]bool{}
	return slices.DeleteFunc(all, func(message []Finding) bool {
		findings := lists.Map(message, func(f Finding) string { return fmt.Sprintf("%s %q %q %q", f.Problem, f.Path.text, f.Manager, f.Says) })
		one := key{strings.Join(findings, "\n"), message[0].Ref}
		isKnown := known[one]
		known[one] = true
		one.ref = report.Ref{}
		known[one] = true
		return isKnown
	})
}

// objects are the ways in which objects are named, with groups a (apiVersion), g (group), k (kind),
// s (namespace) and n (name).
var objects = []func() *regexp.Regexp{
	// krm-fields itself, which names it behind the message.
	words.Pattern(`(?m)^error: .*\((?P<k>[A-Z]\w*) (?:(?P<s>[^\s/(),]+)/)?(?P<n>[^\s/(),]+)(?:, [^()\n]*)?\) \[ApplyError\]$`),
	// The API server, of an object that its schema does not fit.
	words.Pattern(`\((?P<s>[^\s/();]*)/(?P<n>[^\s/();]+);\s+/?(?P<a>[\w.-][\w./-]*),\s+Kind=(?P<k>\w+)\)`),
	// Helm.
	words.Pattern(`object\s+(?P<s>[^\s/]*)/(?P<n>\S+)\s+/?(?P<a>[\w.-][\w./-]*),\s+Kind=(?P<k>\w+)`),
	// kluctl, whose table has a column for the object.
	words.Pattern(`(?:\b(?P<s>[a-z0-9-]+)/)?\b(?P<k>[A-Z]\w+)/(?P<n>[a-z0-9.-]+)(?::|\s+\|)\s+conflict`),
	// The API server, of a request that it refuses: the resource is in place of the kind.
	words.Pattern(`\b[a-z]+(?P<g>\.[a-z0-9.-]+)?\s+"(?P<n>[^"\s]+)"\s+is\s+forbidden`),
	// Flux.
	words.Pattern(`(?P<k>[A-Z]\w+)/(?:(?P<s>[^\s/]+)/)?(?P<n>[^\s/]+)\s+dry-run\s+failed`),
	// The API server, of an object that is not valid.
	words.Pattern(`(?:The\s+)?(?P<k>[A-Z]\w+)(?P<g>\.[a-z0-9.-]+)?\s+"(?P<n>[^"\s]+)"\s+is\s+invalid`),
	// Argo CD, of a Server-Side Diff.
	words.Pattern(`for\s+resource\s+(?P<k>[A-Z]\w+)/(?P<n>[^\s:/]+)`),
	// kpt, which has the resource in place of the kind.
	words.Pattern(`\b[a-z]+(?P<g>\.[a-z0-9.-]+)?/(?P<n>[a-z0-9.-]+)\s+(?:apply\s+failed|failed:\s+failed\s+to\s+create)`),
	// Terraform, of a kubernetes_manifest and a kubectl_manifest.
	words.Pattern(`manifest\s+for\s+"(?P<s>[^"/\s]*)/(?P<n>[^"/\s]+)"`),
	words.Pattern(`(?:(?P<s>[^\s/"]+)/)?(?P<n>[^\s/"]+)\s+failed\s+to\s+run\s+apply`),
	// Pulumi, whose names are those of its resources.
	words.Pattern(`kubernetes:(?:core/)?(?P<a>[a-z0-9./-]+):(?P<k>[A-Z]\w+)\b` +
		`(?:[^"]*?(?:"|resource\s+)(?P<s>[^"/\s]*)/(?P<n>[^"/\s]+)"?\s+(?:failed\s+to\s+fully|was\s+not\s+successfully))?`),
}

// namedObject is an object that a text names, and where.
type namedObject struct {
	offset int
	ref    report.Ref
}

// complete takes what the name lacks from the one before it, if both may name the same object.
func (o *namedObject) complete(before report.Ref) {
	isSame := func(a, b string) bool { return a == "" || b == "" || a == b }
	if o.ref.Name != before.Name || !isSame(o.ref.Kind, before.Kind) || !isSame(o.ref.Namespace, before.Namespace) {
		return
	}
	o.ref = report.Ref{
		APIVersion: cmp.Or(o.ref.APIVersion, before.APIVersion), Kind: cmp.Or(o.ref.Kind, before.Kind),
		Namespace: cmp.Or(o.ref.Namespace, before.Namespace), Name: o.ref.Name,
	}
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
