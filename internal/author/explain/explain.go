// Package explain tells a person what a run did and why: which objects each rule chose, which
// fields each expression found in them and where those stand, what matched nothing and why, and how
// the manifests change.
//
// It resolves nothing itself: what it tells is the trace of the one run.
package explain

import (
	"encoding/json"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Run is a finished run, with its input and output.
type Run struct {
	FunctionConfig *tree.Node
	// ConfigFile is the file that the functionConfig was read from.
	ConfigFile string
	// Items are the input, Out is the output.
	Items, Out []*object.Object
	Results    []report.Result
	Trace      *ignorefields.Trace
	// Mask is for the expressions, which may quote values of Secrets.
	Mask *redact.Mask
}

// Explanation describes a run. Its JSON is what `krm-fields explain -o json` prints.
type Explanation struct {
	FunctionConfig Config `json:"functionConfig"`
	// Rules are those of the functionConfig, and then the objects' own.
	Rules []*ExplainedRule `json:"rules,omitempty"`
	// Unmatched are the entries of selectors and exclude that match no object.
	Unmatched []selector.Unmatched `json:"unmatched,omitempty"`
	NotChosen []Refused            `json:"notChosen,omitempty"`
	Changes   []Change             `json:"changes,omitempty"`
	Results   []report.Result      `json:"results,omitempty"`
	Summary   Summary              `json:"summary"`
	// limit is how many results of a kind a person sees one by one.
	limit int
}

// Config names the functionConfig.
type Config struct {
	report.Ref
	File string `json:"file,omitempty"`
}

// ExplainedRule is a rule and what its expressions found.
type ExplainedRule struct {
	Path      string `json:"rule"` // ignoreFields[0]
	Condition string `json:"condition"`
	// Of is the object with its own rule.
	Of *report.Ref `json:"of,omitempty"`
	// Chosen is how many objects the rule applies to.
	Chosen int `json:"chosen"`
	// NotInRule are chosen objects that the selectors of the rule leave out, and MoreNotInRule is
	// how many more there are.
	NotInRule     []Refused `json:"notInRule,omitempty"`
	MoreNotInRule int       `json:"moreNotInRule,omitempty"`
	// Within are the expressions that find the strings in whose documents the others are resolved.
	Within      []*Expression `json:"within,omitempty"`
	Expressions []*Expression `json:"expressions"`
}

// Expression is an expression, or the record that a rule with fromAnnotation reads, and what became
// of it.
type Expression struct {
	Path    string   `json:"path"` // ignoreFields[0].jsonPointers[1]
	Dialect string   `json:"dialect,omitempty"`
	Text    string   `json:"expression,omitempty"`
	Found   []Fields `json:"found,omitempty"`
	Nothing []Missed `json:"nothing,omitempty"`
	Failed  []Missed `json:"failed,omitempty"`
	// MatchedNothing is true if it found nothing in any object of the run, and did not fail either.
	MatchedNothing bool `json:"matchedNothing,omitempty"`
	// Notes are further remarks, such as a better notation.
	Notes []string `json:"notes,omitempty"`
	// key is the field of a rule without expressions of its own; "" for an expression.
	key string
}

// Fields are the fields that were found in one object.
type Fields struct {
	Object report.Ref   `json:"object"`
	Fields []FoundField `json:"fields"`
}

// FoundField is one field that was found.
type FoundField struct {
	Path      string          `json:"field"`   // spec.replicas
	Pointer   string          `json:"pointer"` // /spec/replicas, and #/a for a place in a string
	Condition string          `json:"condition"`
	Value     json.RawMessage `json:"value"` // *** for values of a Secret
	File      string          `json:"file,omitempty"`
	Line      int             `json:"line,omitempty"`
	// Owner is the owner that a rule with fromOwners leaves the field to.
	Owner string `json:"owner,omitempty"`
	// at is where the field is, also where Pointer has a *** for a key.
	at string
}

// Missed is an object in which an expression found nothing, or failed.
type Missed struct {
	Object report.Ref `json:"object"`
	File   string     `json:"file,omitempty"`
	Why    string     `json:"why,omitempty"`
}

// Refused is an object that is not selected.
type Refused struct {
	Object report.Ref `json:"object"`
	File   string     `json:"file,omitempty"`
	// Entry is the selector or exclude entry that decides: selectors[0].
	Entry string `json:"entry,omitempty"`
	// Wants is what the entry asks for.
	Wants string `json:"wants"`
	Why   string `json:"why"`
	// has is what the object has instead; "" where an entry excludes it or there is none.
	has string
	// addition follows what is said of several objects.
	addition string
}

// The kinds of change.
const (
	Changed = "changed"
	Created = "created"
	Removed = "removed"
	// LeftAlone is an object that does not come out, since the one on the cluster is the same.
	LeftAlone = "left alone"
)

// Change is what happens to an object.
type Change struct {
	Object report.Ref `json:"object"`
	File   string     `json:"file,omitempty"`
	Change string     `json:"change"`
	// Diff is unified, with the line numbers of the file and *** for the values of a Secret.
	Diff string `json:"diff,omitempty"`
}

// Summary counts.
type Summary struct {
	// Objects are all that the run was to look at, live ones left out; Chosen those that selectors
	// and exclude leave; Changed those that change, with the Created, which are none of Objects.
	Objects int `json:"objects"`
	Chosen  int `json:"chosen"`
	Fields  int `json:"fields"`
	Changed int `json:"changed"`
	Created int `json:"created,omitempty"`
	// MatchedNothing are the expressions and entries that matched nothing in the whole run.
	MatchedNothing int `json:"matchedNothing"`
}
