package rules

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// RecordAnnotation names the annotation that records fields for a later run.
const RecordAnnotation = "fn.kpt.dev/ignored-fields"

// recordFormat is the one that holds all that a rule says.
var recordFormat = Format{Name: "Record", Annotation: RecordAnnotation, parse: parseRecord, write: recordText}

// Record is one field in the annotation fn.kpt.dev/ignored-fields.
type Record struct {
	Condition string `json:"condition"`
	// Document is the number of the document in its string, from 0. It is a list of such numbers
	// where a string in the second or a later document holds the document.
	Document oneOrMore[int] `json:"document,omitempty"`
	Pointer  string         `json:"pointer"`
	// Within are the pointers of the strings around the document, the outermost first.
	Within oneOrMore[string] `json:"within,omitempty"`
}

// oneOrMore is a list that is written as its element where it has one.
type oneOrMore[T any] []T

func (all oneOrMore[T]) MarshalJSON() ([]byte, error) {
	var v any = []T(all)
	if len(all) == 1 {
		v = all[0]
	}
	text, err := tree.JSONText(v)
	return []byte(text), err
}

func (all *oneOrMore[T]) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, (*[]T)(all))
	}
	*all = make([]T, 1)
	return json.Unmarshal(text, &(*all)[0])
}

// record takes the locations that an annotation of the object lists, where an earlier run recorded
// them, and strips those that are left to the cluster.
func (r *Resolver) record(o *object.Object, rule *Rule, name string) {
	annotation := tree.Get(o.Original(), "metadata", "annotations", name)
	if annotation == nil || annotation.Kind != tree.ScalarNode {
		return
	}
	by := &Source{Path: rule.Path, RulePath: rule.Path, Rule: rule.Index}
	records, warnings, err := rule.FromAnnotation.parse(name, annotation.Text(), rule.Condition)
	if err != nil {
		r.fail(Failure{Source: by, Err: err}, rule.Number)
		return
	}
	for _, warning := range warnings {
		r.PassedOver = append(r.PassedOver, Failure{Source: by, Err: warning})
	}
	if rule.Number >= 0 {
		r.Matched = append(r.Matched, rule.Number)
	}
	var strip []location.Location
	in := &expr.Input{Root: o.Original()}
	for _, entry := range records {
		f := Failure{Condition: entry.Condition, Source: &Source{
			Path: rule.Path, Rule: rule.Index, dialect: jsonpointer.Dialect.Names, expression: entry.Pointer,
		}}
		var found []location.Location
		if len(entry.Within) > 0 {
			f.Err = r.recorded(embedded.Scope{Object: o}, entry, 0, by)
		} else {
			found, f.Err = located(entry.Pointer, in)
		}
		if f.Err != nil {
			r.fail(f)
			continue
		}
		for _, l := range r.allowed(found, f, "") {
			r.Found = append(r.Found, Found{Location: l, Condition: entry.Condition, By: by})
			if entry.Condition == OnSpokePresent {
				strip = append(strip, l)
			}
		}
	}
	o.RemoveOriginal(strip)
}

// recordError is an annotation fn.kpt.dev/ignored-fields that can't be read.
type recordError struct{ reason string }

func (e *recordError) Error() string {
	return "the annotation " + RecordAnnotation + ` must be a JSON list such as ` +
		`[{"condition":"OnSpokePresent","pointer":"/spec/replicas"}]: ` + e.reason
}

func parseRecord(_, text, _ string) ([]Record, []error, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	var records []Record
	if err := decoder.Decode(&records); err != nil {
		return nil, nil, &recordError{reason: err.Error()}
	}
	list, err := tree.ParseJSON([]byte(text)) // refuses a key twice, and text behind the list
	if err != nil {
		return nil, nil, &recordError{reason: err.Error()}
	}
	for _, entry := range tree.Elements(list) {
		for key := range tree.Entries(entry) {
			if !slices.Contains([]string{"condition", "document", "pointer", "within"}, key) { // in another case
				return nil, nil, &recordError{reason: fmt.Sprintf("its fields are condition, document, pointer and within, found %q", key)}
			}
		}
	}
	for _, entry := range records {
		if entry.Condition != OnSpokePresent && entry.Condition != OnSpokeChange {
			return nil, nil, &recordError{reason: "condition must be OnSpokePresent or OnSpokeChange, found '" + entry.Condition + "'"}
		}
	}
	return records, nil, nil
}

// recordOf is what the annotation says of a field.
func recordOf(f Found) Record {
	record := Record{Condition: f.Condition, Pointer: f.Location.Pointer()}
	if len(f.Inside) == 0 {
		return record
	}
	isLater := false
	for _, p := range f.Inside {
		record.Within = append(record.Within, record.Pointer)
		record.Document, record.Pointer = append(record.Document, p.Document), p.Location.Pointer()
		isLater = isLater || p.Document > 0
	}
	switch last := len(record.Document) - 1; {
	case !isLater:
		record.Document = nil
	case !slices.ContainsFunc(record.Document[:last], func(n int) bool { return n > 0 }):
		record.Document = record.Document[last:]
	}
	return record
}

// recorded resolves an entry from a level of its strings on. Its pointers are those of the object
// as it came, whatever other entries have stripped of the documents since.
func (r *Resolver) recorded(s embedded.Scope, entry Record, level int, by *Source) error {
	pointer := entry.Pointer
	if level < len(entry.Within) {
		pointer = entry.Within[level]
	}
	found, err := located(pointer, &expr.Input{Root: s.Original(), WithoutHint: true})
	if err != nil {
		return err
	}
	var locations []location.Location
	for _, l := range found {
		if now, ok := s.EditedLocation(l); ok {
			locations = append(locations, now)
		}
	}
	if level == len(entry.Within) {
		r.add(s, locations, entry.Condition, by)
		if entry.Condition == OnSpokePresent {
			s.Remove(locations)
		}
		return nil
	}
	for _, l := range locations {
		err := r.documents(s, l, embedded.Auto, func(in embedded.Scope, number int) error {
			if number != entry.documentAt(level) {
				return nil
			}
			return r.recorded(in, entry, level+1, by)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// located returns where a recorded pointer leads.
func located(pointer string, in *expr.Input) ([]location.Location, error) {
	parsed, err := jsonpointer.Parse(pointer)
	if err != nil {
		return nil, &recordError{reason: err.Error()}
	}
	found, err := parsed.Locate(in)
	return found.Locations, err
}

// documentAt is the number of the document in the string of a level.
func (e Record) documentAt(level int) int {
	skipped := len(e.Within) - len(e.Document)
	if level < skipped || level-skipped >= len(e.Document) {
		return 0
	}
	return e.Document[level-skipped]
}

// Recordable returns the locations without duplicates and without those that lie in another one
// that stands for them, sorted by pointer.
func Recordable(all []Found) []Found {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b Found) int { // what is left to the cluster altogether first
		return cmp.Or(location.Compare(a.Full(), b.Full()), strings.Compare(b.Condition, a.Condition))
	})
	var fields []Found
	// The last location that is recorded for each condition: those inside it follow it.
	var present, change location.Location
	for _, f := range sorted {
		full := f.Full()
		switch {
		case present != nil && present.Contains(full):
			continue
		case f.Condition == OnSpokePresent:
			present = full
		case change != nil && change.Contains(full):
			continue
		default:
			change = full
		}
		fields = append(fields, f)
	}
	slices.SortStableFunc(fields, func(a, b Found) int {
		return cmp.Or(strings.Compare(recordOf(a).Pointer, recordOf(b).Pointer), strings.Compare(a.Full().Pointer(), b.Full().Pointer()))
	})
	return fields
}

func recordText(fields []Found) (string, []Found, error) {
	text, err := tree.JSONText(lists.Map(fields, recordOf))
	return text, nil, err
}

// A Format is a form in which an annotation of an object lists fields.
type Format struct {
	// Name is the value of annotate.format, and of fromAnnotation unless that is true.
	Name       string
	Annotation string
	// Draft is a former name of the annotation, which is read and not written; "" for none.
	Draft string
	// IsForCluster is true if the annotation is for somebody on the cluster, so that it stays when
	// its fields are stripped.
	IsForCluster bool
	// parse reads an annotation; condition is that of the rule, for a format that has none. The
	// warnings are about parts that its reader on the cluster passes over.
	parse func(annotation, text, condition string) (records []Record, warnings []error, err error)
	// write returns the value for the fields, "" for none, and those that the format can't hold.
	write func(fields []Found) (text string, left []Found, err error)
}

// Formats are the formats, the default first.
var Formats = []*Format{&recordFormat, &argoCDFormat}

// FormatOf returns the format of a name; nil if there is none.
func FormatOf(name string) *Format {
	f, _ := lists.Find(Formats, func(f *Format) bool { return f.Name == name })
	return f
}

// Annotations are the names of the annotation.
func (f *Format) Annotations() []string {
	if f.Draft == "" {
		return []string{f.Annotation}
	}
	return []string{f.Annotation, f.Draft}
}

// Text returns the value of the annotation for the fields, "" for none, and the fields that it
// can't hold.
func (f *Format) Text(fields []Found) (text string, left []Found, err error) {
	if len(fields) == 0 {
		return "", nil, nil
	}
	return f.write(fields)
}

// FromAnnotation is the value of the field fromAnnotation: the format to read, nil for none.
type FromAnnotation struct {
	*Format
}

// UnmarshalText sets f from true, false or the name of a format.
func (f *FromAnnotation) UnmarshalText(text []byte) error {
	switch name := string(text); name {
	case "true":
		f.Format = Formats[0]
	case "false":
		f.Format = nil
	default:
		if f.Format = FormatOf(name); f.Format == nil || f.Format == Formats[0] {
			f.Format = nil
			fix := cmp.Or(words.DidYouMean(name, []string{"true", "false", argoCDFormat.Name}), "; write true")
			return fmt.Errorf("must be true, false or %s, found %q%s", argoCDFormat.Name, name, fix)
		}
	}
	return nil
}
