package convert

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Source is a form of rules that can be read: one entry of the table, one file.
type Source struct {
	Name string
	// Title is the name for a person.
	Title string
	// Holds names the objects that hold such rules.
	Holds string
	// read reads the rules of one document; there are none in any other.
	read func(root *tree.Node) []*source
	// isOne is true if the rules of all documents become one document.
	isOne bool
}

// Form is a form of rules that can be written: one entry of the table, one file.
type Form struct {
	Name string
	// Title is the name for a person.
	Title string
	// Writes names what is written.
	Writes string
	// readsOthers is true if the objects beside the rules say something about them.
	readsOthers bool
	// write writes the rules of the sources. The others are the objects beside them.
	write func(sources []*source, others []*object.Object, options Options) ([]*object.Object, []report.Result)
}

// Sources are the forms that can be read.
var Sources = []Source{
	fromArgoCD, fromArgoAnnotations, fromOCM, fromFlux, fromKapp, fromFleet, fromSveltos, fromGreenhouse, fromKluctl, fromACK, fromTerraform,
	fromIgnoreFields,
}

// Targets are the forms that can be written.
var Targets = []Form{toArgoCD, toArgoAnnotations, toOCM, toFlux, toKapp, toFleet, toIgnoreFields, toAdmissionPolicy}

// SourceNames and TargetNames are what --from and --to take.
var (
	SourceNames = lists.Map(Sources, func(s Source) string { return s.Name })
	TargetNames = lists.Map(Targets, func(t Form) string { return t.Name })
)

// IsRules tells whether a document that is no object holds rules of a form, as Helm values and a
// fleet.yaml do. Without a form, it may be any.
func IsRules(form string, root *tree.Node) bool {
	return slices.ContainsFunc(Sources, func(s Source) bool { return (form == "" || form == s.Name) && len(s.read(root)) > 0 })
}

// documents writes the rules of each source as one document; none if no rule remains.
func documents(write func(s *source) *tree.Node) func([]*source, []*object.Object, Options) ([]*object.Object, []report.Result) {
	return func(sources []*source, _ []*object.Object, _ Options) ([]*object.Object, []report.Result) {
		var written []*object.Object
		var results []report.Result
		for _, s := range sources {
			if document := write(s); document != nil {
				written = append(written, object.NewDocument(document))
			}
			results = append(results, s.warnings()...)
		}
		return written, results
	}
}
