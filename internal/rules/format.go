package rules

import (
	"fmt"
	"slices"
)

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
	i := slices.IndexFunc(Formats, func(f *Format) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return Formats[i]
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
			return fmt.Errorf("must be true, false or ArgoCD, found %q; write true", name)
		}
	}
	return nil
}
