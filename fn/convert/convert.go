// Package convert writes the rules of one program that ignores fields in the form
// of another: Argo CD's ignoreDifferences, the manifestConfigs of Open Cluster
// Management, Flux's ignore rules, and our IgnoreFields.
//
// Every format has a file that reads it and one that writes it; between them
// stand rules. A rule is never widened: what the target has no words for is left
// out, and each part that is left out or means something else there is named in
// a comment and in a warning.
package convert

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/words"
)

// The formats.
const (
	ArgoCD       = "argocd"
	OCM          = "ocm"
	Flux         = "flux"
	IgnoreFields = "ignorefields"
)

// Formats are the names of the formats.
var Formats = []string{ArgoCD, OCM, Flux, IgnoreFields}

// reads tells, for a format, what objects hold rules, and reads one of them; the
// reader tells false for any other object.
var reads = map[string]struct {
	objects string
	read    func(root *yaml.Node) (*source, bool)
}{
	ArgoCD:       {"an Application, an ApplicationSet or the ConfigMap argocd-cm", readArgoCD},
	OCM:          {"a ManifestWork or a ManifestWorkReplicaSet", readOCM},
	Flux:         {"a Kustomization or a HelmRelease of Flux", readFlux},
	IgnoreFields: {"an IgnoreFields, or a ConfigMap in its place", readIgnoreFields},
}

// writes has the function that writes the rules of a source in a format; nil
// where nothing is left of them.
var writes = map[string]func(s *source) *yaml.Node{
	ArgoCD: writeArgoCD, OCM: writeOCM, Flux: writeFlux, IgnoreFields: writeIgnoreFields,
}

// Outcome is what comes of a conversion.
type Outcome struct {
	// Documents are the objects in the new format, one for each that holds rules.
	Documents []*yaml.Node
	// Results are the faults of the input (errors, and then there are no
	// documents), and warnings of what is not carried over as it was.
	Results []report.Result
}

// UsageError is a conversion that can't be: its message says why.
type UsageError struct {
	message string
}

func (e *UsageError) Error() string { return e.message }

// Check tells whether there is a conversion from one format to another. The
// error is a *UsageError.
func Check(from, to string) error {
	for _, flag := range []struct{ name, format string }{{"--from", from}, {"--to", to}} {
		if slices.Contains(Formats, flag.format) {
			continue
		}
		hint := ""
		if near, ok := words.Nearest(flag.format, Formats); ok {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return &UsageError{fmt.Sprintf("%s must be %s, found %q%s", flag.name, words.List(Formats), flag.format, hint)}
	}
	if from == to {
		return &UsageError{fmt.Sprintf("--from and --to must be two formats, found %q for both", from)}
	}
	return nil
}

// Convert converts the rules that the objects hold; other objects are passed
// over. The error is a *UsageError: one of Check, or that no object is of the
// format.
func Convert(from, to string, objects []*object.Object) (Outcome, error) {
	if err := Check(from, to); err != nil {
		return Outcome{}, err
	}
	sources := readAll(from, objects)
	if len(sources) == 0 {
		return Outcome{}, &UsageError{fmt.Sprintf("the input must hold %s, found %s", reads[from].objects, describe(objects))}
	}
	var out Outcome
	for _, s := range sources {
		out.Results = append(out.Results, report.FaultResults(s.faults, s.ref, s.file)...)
	}
	if len(out.Results) > 0 {
		return out, nil
	}
	for _, s := range sources {
		if document := writes[to](s); document != nil {
			out.Documents = append(out.Documents, document)
		}
		out.Results = append(out.Results, s.warnings()...)
	}
	return out, nil
}

// readAll reads the objects that hold rules in the format.
func readAll(from string, objects []*object.Object) []*source {
	var sources []*source
	for _, o := range objects {
		s, ok := reads[from].read(o.Root())
		if !ok {
			continue
		}
		s.ref, s.file = report.RefOf(o.Root()), o.File()
		sources = append(sources, s)
	}
	return sources
}

// describe names the objects of an input for a message.
func describe(objects []*object.Object) string {
	const shown = 3
	if len(objects) == 0 {
		return "no object"
	}
	text := ""
	for i, o := range objects[:min(shown, len(objects))] {
		if i > 0 {
			text += ", "
		}
		text += report.RefOf(o.Root()).String()
	}
	if more := len(objects) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
